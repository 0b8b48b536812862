// Recognises the reads with which a program searches an archive's end for its directory. The end
// record of a zip may lie anywhere in the last 65,557 bytes, so programs first read all of these,
// including whole entries that they don't need. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "packer/content/content.h"
#include "packer/content/read_coverage.h"
#include "runtime/pack_format.h"

namespace seekless {

// Length of an end record without its comment, plus that of the longest comment.
inline constexpr uint64_t kMostEndRecordBytes = 22 + 65'535;

// Takes the reads of one recording. A search is a chain of adjoining reads, from the last bytes of
// the data to the archive's end. A read that continues one outside that range doesn't begin a
// search. Once the end was read, the program knows the directory and doesn't search again. The
// caller gives an `Item` with each read, and gets it back once it is known whether the read is part
// of a search.
template <typename Item>
class DirectorySearches {
 public:
  // `content` must outlive it.
  explicit DirectorySearches(const Content& content) : content_(content) {}

  // Call this when the recording opens the archive. A program that opened it earlier already knows
  // its directory.
  void open(uint32_t source) { of_source(source).was_opened = true; }

  // Calls `visit(const Item&, bool is_search)` for this item and earlier ones of the same source,
  // in order, as soon as that is known.
  template <typename Visit>
  void add(uint32_t source, const ArchiveRead& read, Item item, Visit&& visit) {
    const Source& of = content_.sources[source];
    if (!of.is_archive() || of.directory_offset_bytes == 0) return visit(item, false);
    OfSource& search = of_source(source);
    const bool goes_on =
        std::exchange(search.end_bytes, read.offset_bytes + read.length_bytes) == read.offset_bytes;
    if (!search.items.empty() && !goes_on) hand_on(search, false, visit);
    const bool is_of_search = search.was_opened && !search.is_over &&
                              (search.items.empty() ? !goes_on && may_begin(of, read) : goes_on);
    search.is_over = search.is_over || ends_archive(of, read);
    if (!is_of_search) return visit(item, false);
    search.items.push_back(std::move(item));
    if (search.is_over) hand_on(search, true, visit);
  }

  // Visits the remaining items, in order of sources.
  template <typename Visit>
  void finish(Visit&& visit) {
    for (OfSource& search : searches_) hand_on(search, false, visit);
  }
  // Forgets which directories are known. Call this before another recording.
  void forget() { searches_.clear(); }

 private:
  struct OfSource {
    std::vector<Item> items;
    uint64_t end_bytes = UINT64_MAX;  // end of the latest read
    bool was_opened = false;
    bool is_over = false;
  };

  OfSource& of_source(uint32_t source) {
    if (searches_.empty()) searches_.resize(content_.sources.size());
    return searches_[source];
  }

  static bool may_begin(const Source& of, const ArchiveRead& read) {
    return read.offset_bytes > 0 && read.offset_bytes < of.directory_offset_bytes &&
           read.offset_bytes + kMostEndRecordBytes + format::kPageBytes >= of.size_bytes;
  }
  static bool ends_archive(const Source& of, const ArchiveRead& read) {
    return read.length_bytes >= of.size_bytes - std::min(of.size_bytes, read.offset_bytes);
  }
  template <typename Visit>
  static void hand_on(OfSource& search, bool is_search, Visit&& visit) {
    for (const Item& item : std::exchange(search.items, {})) visit(item, is_search);
  }

  const Content& content_;
  std::vector<OfSource> searches_;  // indexed by source
};

}  // namespace seekless
