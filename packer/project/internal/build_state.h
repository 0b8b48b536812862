// What builds remember of each other in the state folder: stamps of the inputs, hashes of the
// content, keys and stamps of the outputs. It only saves work: without it, or if it is damaged,
// everything is read and made again, with the same result.
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

// A file of the content.
struct KnownFile {
  std::string_view path;  // relative to its root
  uint32_t root = 0;      // number in the build file
  SourceKind kind = SourceKind::file;
  bool is_settled = false;  // as is_settled() says of the stamp when it was taken
  ChangeStamp stamp;
};

// An asset whose bytes have been read.
struct KnownAsset {
  std::string_view path;
  uint32_t file = 0;   // index in BuildState::files
  uint32_t crc32 = 0;  // of an archive's entry
  uint64_t size_bytes = 0;
  format::ContentHash hash = {};
};

struct KnownTrace {
  std::string path;
  bool is_settled = false;
  ChangeStamp stamp;
};

// A pack that was written, or was about to be: its bytes follow from the key.
struct KnownPack {
  std::string name;                  // of the file
  uint64_t key = 0;                  // as pack_key() says
  uint64_t pack_id = 0;              // Header::checksum
  std::optional<ChangeStamp> stamp;  // in its place; none: not known to have got there
};

// Another file that a build wrote.
struct KnownOutput {
  std::string path;  // relative to its output's folder
  ChangeStamp stamp;

  bool operator==(const KnownOutput&) const = default;
};

struct BuildState {
  uint64_t settings = 0;  // fingerprint of the build file, and of the program
  uint64_t lock = 0;      // of the lock's text as the build left it; 0: none
  uint64_t profile = 0;   // of profile.json and all it was made from; 0: there is none
  std::optional<ChangeStamp> catalog;
  std::vector<KnownFile> files;    // sorted by root and path
  std::vector<KnownAsset> assets;  // sorted by path
  std::vector<KnownTrace> traces;  // sorted by path
  std::vector<KnownPack> packs;
  uint64_t zips_key = 0;          // of all that the zips were made from; 0: there are none
  std::vector<KnownOutput> zips;  // sorted by path
};

// Takes files, and then assets, one by one as they are read: a million of them needn't be in memory
// to be compared with today's. Their paths are good for the call alone.
struct StateVisitor {
  std::function<void(const KnownFile&)> file = [](const KnownFile&) {};
  std::function<void(const KnownAsset&)> asset = [](const KnownAsset&) {};
};

// All but the files and the assets, which go to `visitor`. Nothing if there is none yet. Damaged,
// or of another version: an error of kind damaged, perhaps after some calls of `visitor`.
Result<std::optional<BuildState>> read_build_state(const std::string& path,
                                                   const StateVisitor& visitor);
Result<BuildState> parse_build_state(const ByteSource& bytes, const StateVisitor& visitor);

std::string to_bytes(const BuildState& state);
// Whole or not at all; not flushed to the disk, since without it only work is lost.
Result<void> write_build_state(const BuildState& state, const std::string& path);

}  // namespace seekless
