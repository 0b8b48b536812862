#include "packer/patch/set_files.h"

#include <utility>

#include <fmt/format.h>
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include "packer/host/runtime_error.h"
#include "packer/pack/content_hash.h"
#include "packer/patch/chunker.h"
#include "runtime/asset_path.h"
#include "runtime/catalog.h"
#include "runtime/file_io.h"
#include "runtime/tables.h"

namespace seekless {
namespace {

constexpr uint32_t kReadBytes = 1024 * 1024;

Result<SetFile> open_set_file(const runtime::FileIo& io, const std::string& path) {
  const auto file = io.open(path);
  if (!file) return from_runtime(file.error());
  const auto header = runtime::read_header(**file);
  if (!header) return from_runtime(header.error());
  return SetFile{path.substr(path.find_last_of('/') + 1), path, (*file)->size_bytes(),
                 header->checksum};
}

}  // namespace

Result<SetFiles> open_set_files(const std::string& path) {
  const auto io = runtime::make_system_file_io();
  SetFiles set = {.path = path, .is_single = kind_of_path(path) != PathKind::folder};
  const std::string first = set.is_single ? path : path + "/" + runtime::kCatalogName;
  auto last = open_set_file(*io, first);
  if (!last) return std::unexpected(last.error());
  set.id = last->id;
  if (!set.is_single) {
    const auto file = io->open(first);
    if (!file) return from_runtime(file.error());
    const auto catalog = runtime::Catalog::open(**file);
    if (!catalog) return from_runtime(catalog.error());
    for (const format::CatalogPack& pack : (*catalog)->packs()) {
      const std::string name((*catalog)->name(pack));
      if (!is_set_file_name(name))
        return damaged({.file = first,
                        .expected = "packs with names ending in .skl",
                        .found = fmt::format("'{}'", name),
                        .advice = "pack again"});
      auto opened = open_set_file(*io, path + "/" + name);
      if (!opened) return std::unexpected(opened.error());
      if (opened->id != pack.pack_id)
        return damaged({.file = opened->path,
                        .expected = fmt::format("pack {}", id_text(pack.pack_id)),
                        .found = id_text(opened->id),
                        .advice = "an update was interrupted: apply it again, or pack again"});
      set.files.push_back(std::move(*opened));
    }
  }
  set.files.push_back(std::move(*last));
  return set;
}

bool is_set_file_name(std::string_view name) {
  return name.ends_with(".skl") && name.find('/') == std::string_view::npos &&
         check_asset_path(name) == PathFault::none;
}

std::string id_text(uint64_t id) {
  return fmt::format("{:016x}", id);
}

Result<format::ContentHash> hash_file(const ByteSource& file) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  auto read = for_each_fixed_chunk(file, kReadBytes,
                                   [&](uint64_t, std::span<const std::byte> bytes) -> Result<void> {
                                     XXH3_128bits_update(&state, bytes.data(), bytes.size());
                                     return {};
                                   });
  if (!read) return std::unexpected(read.error());
  return canonical(XXH3_128bits_digest(&state));
}

}  // namespace seekless
