// Lists a game's content: every asset of its folders and archives under one name space, each with
// its place. The information comes from files' names and sizes and from archives' central
// directories. It never comes from local headers, because on a cold disk each of those costs a
// seek. It goes to the profile, the layout and the packs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/path_pool.h"

namespace seekless {

// The value of Asset::entry for an asset that is a file of its own.
inline constexpr uint32_t kWholeSource = UINT32_MAX;

// `repack --in-place` keeps the archives that it replaces in this folder, which is never content.
inline constexpr const char* kOriginalsFolder = ".seekless-originals";

// Describes a file on disk that holds one asset (file) or many.
enum class SourceKind : uint8_t {
  file,
  zip,
  flat,  // an archive whose entries are uncompressed ranges of it (flat_archive.h)
};

struct Source {
  // A path that can be opened: the root as the user wrote it, and the path below it.
  PooledPath path;
  uint64_t size_bytes = 0;
  uint64_t directory_offset_bytes = 0;  // for archives; 0 if the directory lies before all data
  uint32_t alignment_bytes = 1;         // alignment of a flat archive's data
  SourceKind kind = SourceKind::file;
  bool is_link = false;   // may be a symbolic link, so its path may not be canonical
  bool is_plain = false;  // its bytes were checked, and it is no archive of any kind

  bool is_archive() const { return kind != SourceKind::file; }

  bool operator==(const Source&) const = default;
};

// Tells where an asset's bytes lie. For a whole file: method 0, equal sizes, everything else 0.
struct Place {
  uint64_t size_bytes = 0;           // size of the content
  uint64_t stored_bytes = 0;         // size of the data in the archive
  uint64_t header_offset_bytes = 0;  // offset of the local header in the source
  uint32_t header_bytes = 0;  // distance from the header to the data, according to the directory
  uint32_t source = 0;        // index in Content::sources
  uint32_t entry = kWholeSource;  // index in the archive's central directory
  uint32_t crc32 = 0;             // CRC of the content; 0 for a whole file
  uint16_t method = 0;            // compression method: zip_method
  bool is_encrypted = false;

  bool operator==(const Place&) const = default;
};

// Returns the largest compressed size that is worth decoding: compression must save at least an
// eighth.
inline uint64_t most_compressed_bytes(uint64_t size_bytes) {
  return size_bytes - size_bytes / 8;
}
inline bool is_worth_compressing(uint64_t size_bytes, uint64_t compressed_bytes) {
  return compressed_bytes < size_bytes && compressed_bytes <= most_compressed_bytes(size_bytes);
}

struct Asset {
  PooledPath path;  // a path that passes check_asset_path
  Place place;
};

// An entry or file that can't be reached, because a later one has the same path.
struct Shadowed {
  PooledPath path;
  Place place;
  uint32_t winner = 0;  // index in Content::assets
};

// Counts things to tell the user about, with an example.
struct Told {
  uint64_t count = 0;
  std::string first;

  void add(const std::string& example) {
    if (count++ == 0) first = example;
  }
};

// An archive whose directory is one file and whose data lie in others, its parts. Each is a source;
// the entries have numbers in their part (Place::entry) and in the set.
struct ArchiveSet {
  struct Part {
    uint32_t source = 0;       // index in Content::sources
    uint32_t first_entry = 0;  // number in the set of the part's first entry
    bool is_named = false;     // false if the directory doesn't need the part
  };
  uint32_t directory = 0;   // index in Content::sources
  std::vector<Part> parts;  // sorted by source; empty if the set can't be rewritten

  // Returns null if the source isn't one of the parts.
  const Part* part(uint32_t source) const {
    const auto found = std::ranges::lower_bound(parts, source, {}, &Part::source);
    return found == parts.end() || found->source != source ? nullptr : &*found;
  }
};

struct Content {
  PathPool paths;                    // holds the bytes of all paths below
  std::vector<Source> sources;       // in scanning order: the later one wins
  std::vector<ArchiveSet> sets;      // with ScanOptions::archive_sets
  std::vector<Asset> assets;         // sorted by path, byte by byte; each path once
  std::vector<Shadowed> shadowed;    // sorted by path, then in scanning order
  uint64_t directories_skipped = 0;  // number of archive entries that are folders
  uint64_t excluded = 0;             // number of files and entries left out by ScanOptions::exclude
  Told unaddressable;                // files and entries without a usable path, which are left out
  Told leading_nowhere;              // links that lead nowhere, which are left out
  Told links_inside;                 // symbolic links in archives, which are left out
  Told other_archives;  // archives that can't be taken apart, which count as plain files
  Told not_taken;       // archives that give no asset, because they can't be taken apart
  Told leading_out;     // links to files outside all roots; these files are still read
  Told untaken;         // globs of ScanOptions::take_apart that match no archive
  // Files that these globs match and that are no archives, which count as plain files.
  std::vector<std::string> not_archives;

  uint64_t size_bytes() const;                     // size of all assets
  const Asset* find(std::string_view path) const;  // null if there is none
  // Returns null if the source isn't the directory of a set.
  const ArchiveSet* set_of(uint32_t directory) const;
  // Indexed by source: true for the parts of all sets.
  std::vector<bool> parts_of_sets() const;
};

struct ScanOptions {
  // Puts an archive's own path in front of its entries ("baseoa/pak0.pk3/models/a"), instead of
  // only the path of its folder ("baseoa/models/a").
  bool keep_archives = false;
  // Treats paths that differ only in the case of ASCII letters as the same.
  bool fold_case = false;
  // Refuses assets that can't be unpacked: encrypted, or compressed by an unknown method.
  bool require_readable = true;
  // Refuses names that can't be paths ("../a"), links that lead nowhere, and links in archives,
  // instead of leaving them out.
  bool strict = false;
  // Also opens archives that only `repack` rewrites: those of flat_archive.h.
  bool flat_archives = false;
  // Of these, also opens archives whose data lie in several files (archive_sets.h). An entry's path
  // begins as if it lay in the directory's file, so that it stays the same when its data move.
  bool archive_sets = false;
  // Globs of archives of flat_archive.h that are taken apart as zips are: each entry is an asset
  // and holds the file as the engine gets it. Refuses archives and entries for which that can't be,
  // and a path that such an archive shares with another source of its root.
  std::vector<std::string> take_apart = {};
  // Accepts files whose names are also folders of other files, accepts links in archives, and skips
  // damaged archives. For callers that only want to know where assets lie.
  bool any_names = false;
  // Maps an archive's canonical path to another file from which it is read. The content is named as
  // if the archive still lay in its place.
  std::map<std::string, std::string> read_from = {};
  // Returns true for a file that is known to be plain, as Source::is_plain says. Such a file isn't
  // opened. If the function is empty, every file is opened.
  std::function<bool(const std::string& path)> is_known_plain = {};
  std::vector<std::string> opaque = {};   // globs of archives that are taken as plain files
  std::vector<std::string> exclude = {};  // globs that match assets' and archives' paths
};

// Returns options that treat archives as plain files, for callers that only want to know where
// files lie.
ScanOptions scan_of_whole_files();

// Scans `roots`: folders, archives and single files. Archives are recognised by their content. If
// paths are equal, the asset scanned later wins. Roots are scanned in the given order; in a folder
// first the archives by relative path, byte by byte, and then the loose files; in an archive the
// entries in the order of its central directory. Fails with kind `usage` for a missing root, with
// kind `failed` for what can't be read or holds no asset, and with kind `damaged` for a bad archive
// and paths that exclude each other.
Result<Content> scan_content(const std::vector<std::string>& roots, const ScanOptions& options);

// Returns warnings about entries hidden by later ones, about files and entries left out, and about
// links that lead out of the roots.
std::vector<std::string> warnings_of(const Content& content);

}  // namespace seekless
