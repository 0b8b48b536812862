#include "runtime/open_mount.h"

#include <string_view>

#include "runtime/asset_path.h"
#include "runtime/pack_mount.h"
#include "runtime/tables.h"
#include "runtime/zip_directory.h"

namespace seekless::runtime {
namespace {

constexpr uint64_t kMostDeletionBytes = uint64_t{16} << 20;

}  // namespace

Result<MountPointer> open_mount(const FileIo& io, const std::string& path,
                                const OpenOptions& options) {
  if (io.is_folder(path)) {
    const auto catalog = io.open(join({path, "/", kCatalogName}));
    if (!catalog && catalog.error().result == SKL_NOT_FOUND)
      return open_folder_mount(io, path, options.folds_case, options.memory, options.listed);
  } else if (auto file = io.open(path); file && is_zip(**file).value_or(false)) {
    return open_zip_mount(std::move(*file), options.folds_case, options.inflate, options.memory);
  }
  return open_pack_mount(io, path, options.memory, options.decoded);
}

bool is_deletion(std::string_view text) {
  if (text.ends_with('/')) text.remove_suffix(1);
  return check_asset_path(text) == PathFault::none;
}

Result<std::vector<std::string>> read_deletions(const Mount& mount, const Memory& memory) {
  std::vector<std::string> deletions;
  const uint32_t number = mount.find(kDeletionsName);
  if (number == format::kEmptySlot) return deletions;
  const auto place = mount.place(number);
  if (!place) return std::unexpected(place.error());
  const auto wrong = [&](Parts where, Parts found) {
    return damaged(
        {place->file->name(), ": ", kDeletionsName, ": ", join(where), ", found ", join(found)});
  };
  if (place->size_bytes > kMostDeletionBytes)
    return wrong({"expected at most 16 MiB"}, {place->size_bytes, " bytes"});
  const TableMemory bytes(place->size_bytes, memory);
  if (auto read = mount.read(*place, 0, bytes.bytes()); !read) return std::unexpected(read.error());
  std::string_view rest(reinterpret_cast<const char*>(bytes.bytes().data()), bytes.bytes().size());
  for (size_t number_of_line = 1; !rest.empty(); ++number_of_line) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    if (!is_deletion(line))
      return wrong(
          {"line ", number_of_line, ": expected a path such as 'folder/file' or 'folder/'"},
          {describe(check_asset_path(line))});
    deletions.emplace_back(line);
  }
  return deletions;
}

}  // namespace seekless::runtime
