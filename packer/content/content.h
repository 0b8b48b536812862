// What a game consists of: every asset of its folders and archives under one name space, with the
// place each one lies at. Data comes from the names and sizes of files and the central directories
// of archives (never from their local headers: on a cold disk that is a seek per asset); it goes to
// the profile, the layout and the packs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/path_pool.h"

namespace seekless {

// Asset::entry of an asset that is a file of its own.
inline constexpr uint32_t kWholeSource = UINT32_MAX;

// Where `repack --in-place` keeps the archives that it replaced: never content.
inline constexpr const char* kOriginalsFolder = ".seekless-originals";

// A file on disk that holds one asset (file) or many.
enum class SourceKind : uint8_t {
  file,
  zip,
  flat,  // an archive whose entries are plain stretches of it (flat_archive.h)
};

struct Source {
  PooledPath path;  // can be opened; the root as the user wrote it, then the path below it
  uint64_t size_bytes = 0;
  uint64_t directory_offset_bytes = 0;  // of an archive's; at 0 it lies before all data
  uint32_t alignment_bytes = 1;         // of a flat archive's data
  SourceKind kind = SourceKind::file;
  bool is_link = false;  // maybe a symbolic link, so that its path isn't its canonical one

  bool is_archive() const { return kind != SourceKind::file; }

  bool operator==(const Source&) const = default;
};

// Where an asset's bytes lie. For a whole file: method 0, the sizes equal, the rest 0.
struct Place {
  uint64_t size_bytes = 0;           // of the content
  uint64_t stored_bytes = 0;         // of the data as it lies in the archive
  uint64_t header_offset_bytes = 0;  // of the local header, from the start of the source
  uint32_t header_bytes = 0;         // up to the data, as far as the directory tells
  uint32_t source = 0;               // index in Content::sources
  uint32_t entry = kWholeSource;     // index in the archive's central directory
  uint32_t crc32 = 0;                // of the content; 0 for a whole file
  uint16_t method = 0;               // of compression: zip_method
  bool is_encrypted = false;

  bool operator==(const Place&) const = default;
};

// Less than an eighth saved isn't worth the decoding.
inline uint64_t most_compressed_bytes(uint64_t size_bytes) {
  return size_bytes - size_bytes / 8;
}
inline bool is_worth_compressing(uint64_t size_bytes, uint64_t compressed_bytes) {
  return compressed_bytes < size_bytes && compressed_bytes <= most_compressed_bytes(size_bytes);
}

struct Asset {
  PooledPath path;  // passes check_asset_path
  Place place;
};

// An entry or file that can't be reached, since a later one has its path.
struct Shadowed {
  PooledPath path;
  Place place;
  uint32_t winner = 0;  // index in Content::assets
};

// What a user should know of, with an example.
struct Told {
  uint64_t count = 0;
  std::string first;

  void add(const std::string& example) {
    if (count++ == 0) first = example;
  }
};

struct Content {
  PathPool paths;                    // of all that follows
  std::vector<Source> sources;       // in the order they are scanned: the later one wins
  std::vector<Asset> assets;         // sorted by path, byte by byte; each path once
  std::vector<Shadowed> shadowed;    // sorted by path, then in the order they are scanned
  uint64_t directories_skipped = 0;  // entries of archives that are folders
  uint64_t excluded = 0;             // files and entries left out by ScanOptions::exclude
  Told unaddressable;                // files and entries left out, as no path leads to them
  Told leading_nowhere;              // links left out
  Told links_inside;                 // symbolic links in archives: left out
  Told other_archives;               // of kinds that aren't taken apart: plain files
  Told not_taken;                    // archives without an asset, as they can't be taken apart
  Told leading_out;                  // links to what lies below no root: read all the same

  uint64_t size_bytes() const;                     // of all assets
  const Asset* find(std::string_view path) const;  // null if there is none
};

struct ScanOptions {
  // An archive's entries get its own path in front ("baseoa/pak0.pk3/models/a") instead of that of
  // the folder it lies in ("baseoa/models/a").
  bool keep_archives = false;
  // Paths that differ only in the case of ASCII letters are the same.
  bool fold_case = false;
  // Refuse assets that can't be unpacked: encrypted, or compressed by an unknown method.
  bool require_readable = true;
  // Refuse names that no path leads to ("../a"), instead of leaving them out, and links that lead
  // nowhere or stand in archives.
  bool strict = false;
  // Open archives that only `repack` rewrites, too: Godot's .pck, Quake's .pak.
  bool flat_archives = false;
  // Take folders of others and links in archives for assets, and pass over damaged archives: for
  // those who only want to know where things lie.
  bool any_names = false;
  // Archives that are read from another file: by path, without links, the file to open. The content
  // is what it was when those lay there.
  std::map<std::string, std::string> read_from = {};
  std::vector<std::string> opaque = {};   // globs: archives to be taken as plain files
  std::vector<std::string> exclude = {};  // globs on assets' paths, and on paths of archives
};

// Scans `roots`: folders, archives and single files. Archives are recognised by their content.
// What is scanned later wins: roots in the order given; in one folder first the archives by
// relative path, byte by byte, and then the loose files; in one archive the entries in the order
// of its central directory. Errors: usage for a root that isn't there, failed for what can't be
// read or holds no asset, damaged for a bad archive and paths that exclude each other.
Result<Content> scan_content(const std::vector<std::string>& roots, const ScanOptions& options);

// Warnings: entries hidden by later ones, what was left out, links that lead out.
std::vector<std::string> warnings_of(const Content& content);

}  // namespace seekless
