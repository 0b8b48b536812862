// Builds the packs of a layout as separate actions, for build systems and build farms. Each pack
// depends on the layout and the content it reads, and the catalog on the layout and the tables of
// the finished packs. An action reads nothing else, and writes only its one file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"
#include "packer/layout/layout.h"
#include "packer/pack/pack_writer.h"

namespace seekless {

// The name of the catalog's action; no pack may have this name.
inline constexpr std::string_view kCatalogAction = "catalog";

struct PackInputs {
  std::string name;
  PackKind kind = PackKind::common;
  uint64_t assets = 0;
  uint64_t content_bytes = 0;
  std::vector<std::string> files;  // files that hold its assets; each once, in the layout's order
};

// Returns the inputs of each pack, in the layout's order.
std::vector<PackInputs> inputs_of_packs(const Layout& layout);

// Returns the index in Layout::packs of the pack with that name. The message calls the layout
// `file`.
Result<size_t> find_pack(const Layout& layout, std::string_view name, const std::string& file);

// Writes one pack to `path`, with the bytes that write_pack_set gives it. Chooses
// `options.hash_seed` itself. Opens only the sources of its assets.
Result<WrittenPack> write_single_pack(const Layout& layout, const LaidPack& pack,
                                      PackWriteOptions options, const std::string& path);

// Writes the catalog of the packs in `folder`, under write_pack_set's names, with the bytes that
// write_pack_set would write. Reads only their tables. Fails with the runtime's error for a damaged
// or missing pack, and with kind `failed` for a pack that wasn't made from this layout.
Result<uint64_t> write_catalog_of(const Layout& layout, const std::string& folder,
                                  const std::string& path);

}  // namespace seekless
