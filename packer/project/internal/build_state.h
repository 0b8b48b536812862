// Stores in the state folder what builds remember: stamps of the inputs, hashes of the content,
// keys and stamps of the outputs. It only saves work. If it is missing or damaged, everything is
// read and made again, with the same result.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/content.h"
#include "packer/host/file_stamp.h"
#include "packer/host/files.h"
#include "runtime/pack_format.h"

namespace seekless {

// Describes a file of the content.
struct KnownFile {
  std::string_view path;  // path relative to the root
  uint32_t root = 0;      // number of the root in the build file
  SourceKind kind = SourceKind::file;
  bool is_settled = false;  // result of is_settled() when the stamp was taken
  ChangeStamp stamp;
  bool is_plain = false;  // as Source::is_plain
};

// Describes an asset whose bytes have been read.
struct KnownAsset {
  std::string_view path;
  uint32_t file = 0;  // index in BuildState::files
  uint32_t mark = 0;  // result of mark_of()
  uint64_t size_bytes = 0;
  format::ContentHash hash = {};
};

// Tells an archive's entries apart that have the same path and size: the CRC-32 of a zip's; for
// other archives, which have none, a part of the offset. 0 for a file.
inline uint32_t mark_of(const Place& place, SourceKind kind) {
  return kind == SourceKind::flat ? static_cast<uint32_t>(place.header_offset_bytes) : place.crc32;
}

struct KnownTrace {
  std::string path;
  bool is_settled = false;
  ChangeStamp stamp;
};

// Describes a pack that was written, or was about to be. Its bytes follow from the key.
struct KnownPack {
  std::string name;      // name of the file
  uint64_t key = 0;      // result of pack_key()
  uint64_t pack_id = 0;  // Header::checksum
  // Stamp at the final place; none if the pack may not have got there.
  std::optional<ChangeStamp> stamp;
};

// Describes any other file that a build wrote.
struct KnownOutput {
  std::string path;  // path relative to its output's folder
  ChangeStamp stamp;

  bool operator==(const KnownOutput&) const = default;
};

struct BuildState {
  uint64_t settings = 0;  // fingerprint of the build file and of the program
  uint64_t lock = 0;      // fingerprint of the lock's text as the build left it; 0 if there is none
  uint64_t profile = 0;   // fingerprint of profile.json and its inputs; 0 if there is none
  std::optional<ChangeStamp> catalog;
  std::vector<KnownFile> files;    // sorted by root and path
  std::vector<KnownAsset> assets;  // sorted by path
  std::vector<KnownTrace> traces;  // sorted by path
  std::vector<KnownPack> packs;
  // Fingerprint of everything that the zips were made from; 0 if there are none.
  uint64_t zips_key = 0;
  std::vector<KnownOutput> zips;  // sorted by path
};

// Takes files, and then assets, one by one as they are read, so that a million of them needn't be
// in memory to be compared with today's. Their paths are valid only during the call.
struct StateVisitor {
  std::function<void(const KnownFile&)> file = [](const KnownFile&) {};
  std::function<void(const KnownAsset&)> asset = [](const KnownAsset&) {};
};

// Reads the state, without the files and the assets, which go to `visitor`. Returns none if there
// is no state yet. Fails with kind `damaged` for a damaged state or one of another version,
// possibly after some calls of `visitor`.
Result<std::optional<BuildState>> read_build_state(const std::string& path,
                                                   const StateVisitor& visitor);
Result<BuildState> parse_build_state(const ByteSource& bytes, const StateVisitor& visitor);

std::string to_bytes(const BuildState& state);
// Writes the state whole or not at all. It isn't flushed to the disk, because losing it only costs
// work.
Result<void> write_build_state(const BuildState& state, const std::string& path);

}  // namespace seekless
