#include "packer/patch/set_files.h"

#include <utility>

#include <fmt/format.h>

#include "packer/base/paths.h"
#include "packer/host/runtime_error.h"
#include "runtime/asset_path.h"
#include "runtime/catalog.h"
#include "runtime/file_io.h"
#include "runtime/pack_set.h"
#include "runtime/tables.h"

namespace seekless {
namespace {

Result<SetFile> open_set_file(const runtime::FileIo& io, const std::string& path) {
  const auto file = io.open(path);
  if (!file) return from_runtime(file.error());
  const auto header = runtime::read_header(**file);
  if (!header) return from_runtime(header.error());
  return SetFile{std::string(file_name(path)), path, (*file)->size_bytes(), header->checksum};
}

}  // namespace

Result<SetFiles> open_set_files(const std::string& path) {
  const auto io = runtime::make_system_file_io();
  SKL_TRY(const auto kind, known_kind_of_path(path));
  SetFiles set = {.path = path, .is_single = kind != PathKind::folder};
  const std::string first = set.is_single ? path : path + "/" + runtime::kCatalogName;
  SKL_TRY(auto last, open_set_file(*io, first));
  set.id = last.id;
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
      SKL_TRY(auto opened,
              open_set_file(*io, runtime::path_of_pack(*io, path, name, pack.pack_id)));
      if (opened.id != pack.pack_id)
        return damaged({.file = opened.path,
                        .expected = fmt::format("pack {}", id_text(pack.pack_id)),
                        .found = id_text(opened.id),
                        .advice = "an update was interrupted: apply it again, or pack again"});
      set.files.push_back(std::move(opened));
    }
  }
  set.files.push_back(std::move(last));
  return set;
}

Result<void> check_same_set(const SetFiles& set) {
  const auto again = open_set_files(set.path);
  if (again && again->id == set.id) return {};
  return failed({.file = set.path,
                 .expected = fmt::format("{}, which was there when this began", id_text(set.id)),
                 .found = again ? id_text(again->id) : "a set that is being replaced",
                 .advice = "it was replaced while it was read: run it again"});
}

bool is_set_file_name(std::string_view name) {
  return name.ends_with(".skl") && name.find('/') == std::string_view::npos &&
         check_asset_path(name) == PathFault::none;
}

std::string id_text(uint64_t id) {
  return fmt::format("{:016x}", id);
}

}  // namespace seekless
