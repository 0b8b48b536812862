// Finds which assets a read of a file touches. It translates what traces record (file, offset,
// length) into what layouts list (assets). Built once from scanned content; then any number of
// threads may use it.
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
  data,       // an asset's data as stored: compressed if it is deflated
  header,     // the local header of an asset's entry
  shadowed,   // header or data of an entry that can't be reached; the index is in Content::shadowed
  directory,  // an archive's central directory and everything after it
  other,      // gaps, folders, and entries that were left out
};

// Describes one piece of a read.
struct Touch {
  TouchedPart part = TouchedPart::other;
  uint32_t index = 0;         // index of the asset, or of the shadowed entry; otherwise 0
  uint64_t offset_bytes = 0;  // offset in the file
  uint64_t length_bytes = 0;  // at least 1
};

class Locator {
 public:
  // `content` must outlive this object.
  explicit Locator(const Content& content);

  // Returns the index in Content::sources of the file that a trace calls `path`. It compares the
  // source's path as written, then the canonical path. Last, it ignores case and the kind of
  // separator, as Windows does, if only one file fits.
  std::optional<uint32_t> find_file(std::string_view path) const;

  // Returns the index in Content::assets of the asset that a list calls `path`: the asset's own
  // path, perhaps after its archive's path, or after "../" or "/". An entry of an archive that
  // counts as one asset stands for that archive. If nothing else fits, backslashes count as
  // slashes.
  std::optional<uint32_t> find_asset(std::string_view path) const;

  // Calls `visit(const Touch&)` for each piece of the read, front to back. Parts beyond the end of
  // the file are left out. Takes O(log entries + pieces).
  template <typename Visit>
  void touched(uint32_t file, uint64_t offset_bytes, uint64_t length_bytes, Visit&& visit) const;

 private:
  // Extents adjoin, and none lies past the file's end. Each ends where the next one begins, the
  // last at the file's end.
  struct EntryExtent {
    uint64_t begin_bytes;
    uint32_t index;
    TouchedPart part;
  };

  // Maps a source's canonical path, or the front of it.
  struct Alias {
    std::string path;
    bool is_folder = false;  // the last component of the source's path must be added
  };
  // Holds one possible name of a file. A million of them are sorted by hash instead of kept in
  // maps, and their bytes lie in sources and aliases.
  struct PossibleName {
    uint32_t hash;
    uint32_t file;
    uint32_t alias;  // index in aliases_; kAsWritten means the source's path
  };
  static constexpr uint32_t kAsWritten = UINT32_MAX;

  // Returns the asset that is this entry of this archive.
  std::optional<uint32_t> entry_of(uint32_t file, std::string_view entry) const;
  // Returns the asset for a file that counts as one asset although it is an archive.
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
  std::vector<EntryExtent> extents_;    // extents of all files, one after the other
  std::vector<uint64_t> first_extent_;  // first extent of each file, and one beyond the last
  std::vector<Alias> aliases_;
  // Sorted by hash. If a file was given twice, the later one is used, because its assets win.
  std::vector<PossibleName> by_path_;  // paths as sources are written
  std::vector<PossibleName> by_canonical_path_;
  std::vector<PossibleName> by_folded_path_;  // names of both kinds
};

template <typename Visit>
void Locator::touched(uint32_t file, uint64_t offset_bytes, uint64_t length_bytes,
                      Visit&& visit) const {
  const uint64_t size = content_.sources[file].size_bytes;
  if (offset_bytes >= size) return;
  const uint64_t end = offset_bytes + std::min(length_bytes, size - offset_bytes);
  const std::span<const EntryExtent> extents = extents_of(file);
  auto extent = std::ranges::upper_bound(extents, offset_bytes, {}, &EntryExtent::begin_bytes);
  --extent;  // the first extent begins at 0
  for (uint64_t at = offset_bytes; at < end; ++extent) {
    const auto next = extent + 1;
    const uint64_t extent_end = next == extents.end() ? size : next->begin_bytes;
    const uint64_t piece_end = std::min(end, extent_end);
    visit(Touch{extent->part, extent->index, at, piece_end - at});
    at = piece_end;
  }
}

}  // namespace seekless
