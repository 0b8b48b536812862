// Opens any bytes as the catalog of the golden pack set. The result must be an error, or a catalog
// whose scenarios end and hand out no more than there is.
#include <memory>

#include "runtime/pack_set.h"
#include "runtime/sweep.h"
#include "tests/fuzz/sealed_input.h"

namespace {

using namespace seekless;
using namespace seekless::runtime;

const std::string kFolder = SEEKLESS_GOLDEN "/v2.0";

void check_sweep(const PackSet& set, const format::Scenario& scenario) {
  BlockPool pool(uint64_t{2} * format::kMaxBlockBytes);
  const auto sweep = Sweep::open(set, &scenario, pool);
  if (!sweep) return require_message(sweep.error());
  const size_t needed = asset_count(set.catalog()->needs(scenario));
  size_t pieces = 0;
  size_t failures = 0;  // packs for which the scenario can't be carried out
  for (;;) {
    SweptPiece piece;
    const auto answer = (*sweep)->next(piece);
    if (!answer) {
      require_message(answer.error());
      require(++failures < set.pack_count());
      continue;
    }
    if (*answer == SKL_END) break;
    require(*answer == SKL_OK);
    require(++pieces <= needed);  // no golden asset is larger than a block
    require(piece.data.size() == piece.asset_bytes);
    if (piece.buffer != nullptr) piece.buffer->release();
  }
  require(failures > 0 || pieces == needed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static MemoryFiles files(kFolder);
  files.reads.clear();
  files.files[kFolder + "/catalog.skl"] = sealed_input(data, size);
  const auto set = PackSet::open(files, kFolder);
  if (!set) {
    require_message(set.error());
    return 0;
  }
  const Catalog* catalog = (*set)->catalog();
  if (catalog == nullptr) return 0;
  for (uint32_t i = 0; i < catalog->assets().size(); ++i) {
    const uint32_t found = (*set)->find(catalog->assets()[i].path_hash);
    require(found == format::kEmptySlot ||
            catalog->assets()[found].path_hash == catalog->assets()[i].path_hash);
    if (const auto placed = (*set)->place(i); placed)
      (void)placed->record();
    else
      require_message(placed.error());
  }
  for (const format::Scenario& scenario : catalog->scenarios()) {
    require(catalog->find_scenario(catalog->name(scenario)) == &scenario);
    check_sweep(**set, scenario);
  }
  return 0;
}
