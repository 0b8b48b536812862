#include "packer/place/undo_list.h"

#include <algorithm>
#include <unordered_set>

#include <nlohmann/json.hpp>

#include "packer/host/files.h"
#include "packer/host/own_folder.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kMostBytes = uint64_t{256} << 20;

std::unexpected<Error> unsound(const std::string& path) {
  return damaged({.file = path,
                  .expected = "a list of files and their earlier places",
                  .found = "something else",
                  .advice = "remove it: then files placed before can't be put back"});
}

}  // namespace

Result<UndoList> UndoList::open(const std::string& place, const std::string& folder) {
  const auto path = state_path("place", place, folder);
  if (!path) return std::unexpected(path.error());
  UndoList list(*path + ".json");
  if (kind_of_path(list.path_) == PathKind::missing) return list;
  const auto text = read_text(list.path_, kMostBytes);
  if (!text) return std::unexpected(text.error());
  const Json json = Json::parse(*text, nullptr, false);
  if (!json.is_object() || !json.contains("files") || !json["files"].is_array())
    return unsound(list.path_);
  for (const Json& file : json["files"]) {
    if (!file.is_object() || !file.contains("path") || !file["path"].is_string() ||
        !file.contains("place") || !file["place"].is_number_unsigned())
      return unsound(list.path_);
    list.files_.push_back({file["path"].get<std::string>(), file["place"].get<uint64_t>()});
  }
  return list;
}

Result<void> UndoList::add(const std::vector<FileExtents>& files) {
  std::unordered_set<std::string> known;
  for (const EarlierPlace& file : files_) known.insert(file.path);
  for (const FileExtents& file : files)
    if (!file.extents.empty() && known.insert(file.path).second)
      files_.push_back({file.path, file.extents.front().place_bytes});
  Json list = Json::array();
  for (const EarlierPlace& file : files_)
    list.push_back({{"path", file.path}, {"place", file.place_bytes}});
  // Names in any encoding: what isn't UTF-8 can't be put back by name.
  const Json json = {{"seekless", "place"}, {"version", 1}, {"files", list}};
  return write_text(path_, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

Result<void> UndoList::remove() const {
  return remove_file(path_);
}

std::vector<FileExtents> files_by_earlier_place(const UndoList& list,
                                                const std::function<void(std::string_view)>& warn) {
  std::vector<EarlierPlace> earlier = list.files();
  std::ranges::sort(earlier, {}, &EarlierPlace::place_bytes);
  std::vector<FileExtents> files;
  for (const EarlierPlace& file : earlier)
    if (auto now = read_extents(file.path))
      files.push_back(*std::move(now));
    else
      warn(now.error().message);
  return files;
}

}  // namespace seekless
