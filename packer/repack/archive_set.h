// Rewrites all archives of a game, into a folder or in place. Takes content and the order of its
// entries; makes archives with the same names. Each archive is repacked, or stays as it is for a
// reason that is reported.
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

// The list in an output folder of the archives that were written there.
inline constexpr const char* kRepackedListName = ".seekless-repacked";

struct RepackOptions {
  RewriteOptions rewrite;
  bool verify = true;
  bool in_place = false;      // replaces archives where they lie
  bool copies_others = true;  // also puts archives that stay as they are into the output
  // Globs that the content was scanned with. The output may lie within the content if they match
  // it.
  std::vector<std::string> exclude = {};
  // Maps archives to the other files from which they were scanned, as in ScanOptions::read_from.
  std::map<std::string, std::string> read_from = {};
  // Grows to repack_bytes() as the work proceeds; may be null.
  std::atomic<uint64_t>* done_bytes = nullptr;
};

struct RepackedArchive {
  uint32_t source = 0;  // index in Content::sources
  std::string path;     // the source's path
  std::string name;     // relative path, in the output or below `home`
  std::string home;     // folder of content that the archive belongs to
  std::string bytes;    // the file that the archive is made from; usually `path`
  SourceKind kind = SourceKind::zip;
  // For a set (content.h), the archive is its directory. Its parts lie beside it; they stay as they
  // are.
  bool is_set = false;
  std::vector<std::string> parts = {};  // paths
  uint64_t parts_bytes = 0;
  std::vector<std::string> noted_parts = {};  // names of all parts that earlier runs added
  // Names of those that go when the set is replaced.
  std::vector<std::string> earlier_parts = {};
  uint64_t earlier_bytes = 0;  // size of those in `parts`
  bool is_repacked = false;
  std::string reason = {};  // why it isn't repacked
  bool is_faulty = false;   // true if it isn't repacked because it is damaged or can't be read
  uint64_t old_bytes = 0;   // what is replaced
  uint64_t new_bytes = 0;   // what is written in its place, with a set's new parts
  size_t entries = 0;
  size_t read_entries = 0;
  size_t unpacked_entries = 0;
  size_t packed_entries = 0;
  size_t aligned_entries = 0;

  // Sizes with all parts of a set.
  uint64_t bytes_before() const { return old_bytes + parts_bytes; }
  uint64_t bytes_after() const {
    return new_bytes + parts_bytes - (is_repacked ? earlier_bytes : 0);
  }
};

struct OpenedArchive {
  std::shared_ptr<const ByteSource> bytes;
  ZipDirectory directory;
};

// Opens a zip archive. Errors: failed if it can't be read or has changed since it was scanned;
// damaged for its directory.
Result<OpenedArchive> open_archive(const RepackedArchive& archive);

// Returns the options for scanning content that will be repacked: each archive separately, with any
// names and compression of entries.
ScanOptions repack_scan_options();

// Returns the kept originals of archives that an earlier run replaced in place, in the form of
// ScanOptions::read_from. Scanned with it, the content is as it was before that run. An original
// whose set an update has replaced isn't returned; if `needs_all`, that is an error.
Result<std::map<std::string, std::string>> kept_originals(const Content& content,
                                                          const std::vector<std::string>& roots,
                                                          bool needs_all);

// Returns the archives as they would be repacked; `new_bytes` is an estimate. Reads only the
// directories. Fails with kind `usage` for two archives with the same name.
Result<std::vector<RepackedArchive>> plan_repack(const Content& content,
                                                 const std::vector<std::string>& roots,
                                                 const EntryOrder& order,
                                                 const RepackOptions& options);

// Returns the final value of done_bytes for a plan.
uint64_t repack_bytes(const std::vector<RepackedArchive>& archives, const RepackOptions& options);

// Writes all archives of the content to `output`, a folder that is new, empty or an earlier output,
// which is replaced. `roots` are the scanned folders. Either all archives appear there, or none.
// Loose files aren't copied.
Result<std::vector<RepackedArchive>> repack_archives(const Content& content,
                                                     const std::vector<std::string>& roots,
                                                     const EntryOrder& order,
                                                     const std::string& output,
                                                     const RepackOptions& options);

// Replaces archives where they lie. restore_originals() brings them back.
Result<std::vector<RepackedArchive>> repack_in_place(const Content& content,
                                                     const std::vector<std::string>& roots,
                                                     const EntryOrder& order,
                                                     const RepackOptions& options);

}  // namespace seekless
