// The packs of a layout as actions of their own, as build systems and farms run them: each pack is
// a function of the layout and of the content it reads, the catalog one of the layout and of the
// tables of the finished packs. Nothing else is read, and nothing but the one file is written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"
#include "packer/layout/layout.h"
#include "packer/pack/pack_writer.h"

namespace seekless {

// What stands for the catalog where a pack's name is asked for: no pack may be called so.
inline constexpr std::string_view kCatalogAction = "catalog";

struct PackInputs {
  std::string name;
  PackKind kind = PackKind::common;
  uint64_t assets = 0;
  uint64_t content_bytes = 0;
  std::vector<std::string> files;  // that hold its assets; each once, in the layout's order
};

// One for each pack, in the layout's order.
std::vector<PackInputs> inputs_of_packs(const Layout& layout);

// Where the pack of that name is in Layout::packs. `file` is the layout's, for the message.
Result<size_t> find_pack(const Layout& layout, std::string_view name, const std::string& file);

// Writes one pack to `path`: the bytes that write_pack_set gives it. `options.hash_seed` is chosen
// here. Opens no source but those of its assets.
Result<WrittenPack> write_single_pack(const Layout& layout, const LaidPack& pack,
                                      PackWriteOptions options, const std::string& path);

// Writes the catalog of the packs that lie in `folder`, under the names that write_pack_set gives
// them: the bytes that it would write. Reads their tables alone. Errors: what the runtime says of a
// damaged or missing pack; failed for a pack that wasn't made from this layout.
Result<uint64_t> write_catalog_of(const Layout& layout, const std::string& folder,
                                  const std::string& path);

}  // namespace seekless
