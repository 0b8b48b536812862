// All archives of a game rewritten: to a folder, or in their places. From content and the order of
// its entries to archives under the names they had; each is repacked, or stays as it is for a
// reason.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/content.h"
#include "packer/content/zip_directory.h"
#include "packer/host/files.h"
#include "packer/repack/entry_order.h"
#include "packer/repack/rewrite_zip.h"

namespace seekless {

struct RepackOptions {
  RewriteOptions rewrite;
  bool verify = true;
  bool in_place = false;  // archives are replaced where they lie
  // Globs that the content was scanned with: an output may lie within it where they match.
  std::vector<std::string> exclude = {};
  // What the content was scanned with: archives that are made from others' bytes.
  std::map<std::string, std::string> read_from = {};
  // Grows to repack_bytes() as the work goes on; may be null.
  std::atomic<uint64_t>* done_bytes = nullptr;
};

struct RepackedArchive {
  uint32_t source = 0;  // in Content::sources
  std::string path;     // as the source's
  std::string name;     // its relative path, in the output or below `home`
  std::string home;     // the folder it is content of
  std::string bytes;    // the file it is made from: mostly `path`
  SourceKind kind = SourceKind::zip;
  bool is_repacked = false;
  std::string reason = {};  // why it isn't
  bool is_faulty = false;   // it isn't since something is wrong with it
  uint64_t old_bytes = 0;
  uint64_t new_bytes = 0;
  size_t entries = 0;
  size_t read_entries = 0;
  size_t unpacked_entries = 0;
  size_t packed_entries = 0;
  size_t aligned_entries = 0;
};

struct OpenedArchive {
  std::shared_ptr<const ByteSource> bytes;
  ZipDirectory directory;
};

// A zip archive. Errors: failed if it can't be read or has changed since it was scanned; damaged
// for its directory.
Result<OpenedArchive> open_archive(const RepackedArchive& archive);

// How content must be scanned to be repacked: each archive by itself, and whatever entries are
// called or how they are packed.
ScanOptions repack_scan_options();

// Archives of the content that an earlier run replaced in place, and the originals that are kept of
// them, as ScanOptions::read_from: so scanned, the content is what it was before that run.
Result<std::map<std::string, std::string>> kept_originals(const Content& content,
                                                          const std::vector<std::string>& roots);

// What would be done, `new_bytes` being an estimate. Reads the directories alone. Errors: usage for
// two archives of the same name.
Result<std::vector<RepackedArchive>> plan_repack(const Content& content,
                                                 const std::vector<std::string>& roots,
                                                 const EntryOrder& order,
                                                 const RepackOptions& options);

// What done_bytes grows to, for a plan.
uint64_t repack_bytes(const std::vector<RepackedArchive>& archives, const RepackOptions& options);

// Writes all archives of the content to `output`, a folder that is new, empty or an earlier output,
// which is replaced. `roots` are those that were scanned. All appear there, or none; loose files
// aren't copied.
Result<std::vector<RepackedArchive>> repack_archives(const Content& content,
                                                     const std::vector<std::string>& roots,
                                                     const EntryOrder& order,
                                                     const std::string& output,
                                                     const RepackOptions& options);

// Replaces archives where they lie; restore_originals() brings them back.
Result<std::vector<RepackedArchive>> repack_in_place(const Content& content,
                                                     const std::vector<std::string>& roots,
                                                     const EntryOrder& order,
                                                     const RepackOptions& options);

}  // namespace seekless
