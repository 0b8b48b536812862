// Opens any bytes as a pack. The result must be an error, or a pack whose assets lie in valid
// places, whose parts can be read or fail, with a sweep that ends and hands out no more than there
// is.
#include "runtime/asset_path.h"
#include "runtime/pack_set.h"
#include "runtime/read_asset.h"
#include "runtime/sweep.h"
#include "tests/fuzz/sealed_input.h"

namespace {

using namespace seekless;
using namespace seekless::runtime;

void check_names(const Pack& pack) {
  for (uint32_t chunk = 0; chunk < pack.chunk_count(); ++chunk) {
    const auto paths = pack.paths_of_chunk(chunk);
    if (!paths) return require_message(paths.error());
    for (const std::string& path : *paths) require(check_asset_path(path) == PathFault::none);
  }
}

void check_assets(const Pack& pack) {
  for (uint32_t i = 0; i < pack.assets().size(); ++i) {
    const format::Asset& asset = pack.assets()[i];
    const uint32_t blocks = pack.block_count(asset);
    require(blocks <= pack.blocks().size() && asset.block <= pack.blocks().size() - blocks);
    const uint32_t found = pack.find(asset.path_hash);
    require(found == format::kEmptySlot || pack.assets()[found].path_hash == asset.path_hash);
  }
  if (pack.assets().empty()) return;
  if (const auto hash = pack.content_hash(0); !hash) require_message(hash.error());
}

// Reads the middle of each asset twice: the second time, frames are kept or decoded wholly.
void check_parts(const Pack& pack) {
  constexpr uint64_t kMostBytes = 100'000;
  BlockPool pool(uint64_t{4} * format::kMaxBlockBytes);
  DecodedFrames decoded(pool, Memory());
  std::vector<std::byte> into;
  for (uint32_t i = 0; i < pack.assets().size(); ++i) {
    const uint64_t size = pack.assets()[i].size_bytes;
    into.resize(std::min(size - size / 3, kMostBytes));
    for (int round = 0; round < 2; ++round)
      if (const auto read = read_asset({&pack, i}, size / 3, into, &decoded); !read)
        require_message(read.error());
  }
}

void check_sweep(const PackSet& set) {
  BlockPool pool(uint64_t{2} * format::kMaxBlockBytes);
  const auto sweep = Sweep::open(set, nullptr, pool);
  if (!sweep) return require_message(sweep.error());
  const Pack& pack = **set.pack(0);
  size_t answers = 0;
  for (;;) {
    // Each asset has a piece in each of its blocks; each block fails once at most.
    require(answers++ <= (pack.assets().size() + 1) * (pack.blocks().size() + 1));
    SweptPiece piece;
    const auto answer = (*sweep)->next(piece);
    if (!answer) {
      require_message(answer.error());
      continue;
    }
    if (*answer == SKL_END) break;
    require(*answer == SKL_OK);
    require(piece.offset_bytes <= piece.asset_bytes);
    require(piece.data.size() <= piece.asset_bytes - piece.offset_bytes);
    if (!piece.data.empty()) {
      volatile std::byte last = piece.data.back();  // read for AddressSanitizer
      (void)last;
    }
    if (piece.buffer != nullptr) piece.buffer->release();
  }
  require((*sweep)->progress().read_bytes <= (*sweep)->progress().total_bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  MemoryFiles files;
  files.files["p.skl"] = sealed_input(data, size);
  const auto set = PackSet::open(files, "p.skl");
  if (!set) {
    require_message(set.error());
    return 0;
  }
  if ((*set)->catalog() != nullptr) return 0;
  const Pack& pack = **(*set)->pack(0);
  check_names(pack);
  check_assets(pack);
  check_parts(pack);
  check_sweep(**set);
  return 0;
}
