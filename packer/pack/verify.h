// Checks every byte of packs: tables, blocks, padding, the content of each asset, and that a set's
// catalog fits its packs.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "runtime/file_io.h"

namespace seekless {

struct Damage {
  std::string file;
  uint64_t offset_bytes = 0;        // start of the damaged part; UINT64_MAX if unknown
  std::string what;                 // one sentence: part, expected, found
  std::vector<std::string> assets;  // assets that the damage affects, if known
  bool is_unseen = false;           // not damage: the operating system couldn't read it
};

struct VerifyReport {
  uint64_t packs = 0;
  uint64_t assets = 0;
  uint64_t bytes = 0;           // bytes read
  std::vector<Damage> damages;  // sorted by file and place; includes unseen parts
};

struct VerifyOptions {
  unsigned threads = 1;
  std::atomic<uint64_t>* done_bytes = nullptr;
  const runtime::FileIo* io = nullptr;  // null means the operating system's
};

// `path` is a pack set's folder, its catalog, or a single pack. Fails only if it can't be read at
// all; the report lists the damages.
Result<VerifyReport> verify(const std::string& path, const VerifyOptions& options);

}  // namespace seekless
