// Which assets a read of a file on disk touches: from what traces record (file, offset, length) to
// what layouts are made of. Built once from scanned content; then read by any number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "packer/content/content.h"

namespace seekless {

enum class TouchedPart : uint8_t {
  data,       // of an asset: as stored, so packed bytes of a deflated one
  header,     // the local header of an asset's entry
  shadowed,   // header or data of an entry that can't be reached: number in Content::shadowed
  directory,  // an archive's central directory and what follows it
  other,      // gaps, folders, entries left out
};

// A piece of a read.
struct Touch {
  TouchedPart part = TouchedPart::other;
  uint32_t index = 0;         // of the asset, or of the shadowed one; else 0
  uint64_t offset_bytes = 0;  // in the file
  uint64_t length_bytes = 0;  // at least 1
};

class Locator {
 public:
  // `content` must outlive it.
  explicit Locator(const Content& content);

  // The index in Content::sources of the file that a trace calls `path`: as a source's path is
  // written; else by canonical path; else without regard to case and kind of separator, as Windows
  // names files, if only one fits.
  std::optional<uint32_t> find_file(std::string_view path) const;

  // The index in Content::assets of what a list calls `path`: an asset's own path, perhaps after
  // that of the archive it lies in, or after "../" and "/". An entry of an archive that is kept
  // whole is that archive.
  std::optional<uint32_t> find_asset(std::string_view path) const;

  // Calls `visit(const Touch&)` for each piece of the read, front to back. What lies beyond the
  // end of the file is left out. Takes O(log entries + pieces).
  template <typename Visit>
  void touched(uint32_t file, uint64_t offset_bytes, uint64_t length_bytes, Visit&& visit) const;

 private:
  // Adjoining, none past the file's end; each lasts to the start of the next one, the last to
  // that end.
  struct EntryExtent {
    uint64_t begin_bytes;
    uint32_t index;
    TouchedPart part;
  };

  // What a source's canonical path begins with, or all of it.
  struct Alias {
    std::string path;
    bool is_folder = false;  // the last component of the source's path is added
  };
  // Something that a file may be called. A million of them are sorted by hash instead of kept in
  // maps, and their bytes are those of sources and aliases.
  struct PossibleName {
    uint32_t hash;
    uint32_t file;
    uint32_t alias;  // in aliases_; kAsWritten: as the source's path
  };
  static constexpr uint32_t kAsWritten = UINT32_MAX;

  // The asset that is this entry of this archive.
  std::optional<uint32_t> entry_of(uint32_t file, std::string_view entry) const;
  // The asset that a file is, if it is an archive all the same.
  std::optional<uint32_t> archive_kept_whole(uint32_t file) const;
  void add_paths();
  std::vector<PossibleName> canonical_names();
  std::string text_of(const PossibleName& name) const;
  std::optional<uint32_t> latest_called(const std::vector<PossibleName>& names,
                                        std::string_view text) const;
  std::optional<uint32_t> only_one_called(std::string_view folded_text) const;
  void add_extents();
  void add_extent(uint64_t begin_bytes, TouchedPart part, uint32_t index);
  std::span<const EntryExtent> extents_of(uint32_t file) const {
    return std::span(extents_).subspan(first_extent_[file],
                                       first_extent_[file + 1] - first_extent_[file]);
  }

  const Content& content_;
  std::vector<EntryExtent> extents_;    // of all files, one after the other
  std::vector<uint64_t> first_extent_;  // of each file, and one beyond
  std::vector<Alias> aliases_;
  // By hash. Of a file that was given twice the later one counts, as its assets win.
  std::vector<PossibleName> by_path_;  // as sources are written
  std::vector<PossibleName> by_canonical_path_;
  std::vector<PossibleName> by_folded_path_;  // of both kinds
};

template <typename Visit>
void Locator::touched(uint32_t file, uint64_t offset_bytes, uint64_t length_bytes,
                      Visit&& visit) const {
  const uint64_t size = content_.sources[file].size_bytes;
  if (offset_bytes >= size) return;
  const uint64_t end = offset_bytes + std::min(length_bytes, size - offset_bytes);
  const std::span<const EntryExtent> extents = extents_of(file);
  auto extent = std::ranges::upper_bound(extents, offset_bytes, {}, &EntryExtent::begin_bytes);
  --extent;  // the first one begins at 0
  for (uint64_t at = offset_bytes; at < end; ++extent) {
    const auto next = extent + 1;
    const uint64_t extent_end = next == extents.end() ? size : next->begin_bytes;
    const uint64_t piece_end = std::min(end, extent_end);
    visit(Touch{extent->part, extent->index, at, piece_end - at});
    at = piece_end;
  }
}

}  // namespace seekless
