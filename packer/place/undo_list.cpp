#include "packer/place/undo_list.h"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/base/json_depth.h"
#include "packer/base/paths.h"
#include "packer/host/files.h"
#include "packer/host/leftovers.h"
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

Result<UndoLists::List> UndoLists::read(const std::string& path, const std::string& root) {
  List list = {root, path, {}, {}};
  if (kind_of_path(list.path) == PathKind::missing) return list;
  SKL_TRY(const auto text, read_own_text(list.path, kMostBytes));
  const Json json = parse_json_if_any<Json>(text);
  if (!json.is_object() || !json.contains("files") || !json["files"].is_array())
    return unsound(list.path);
  for (const Json& file : json["files"]) {
    if (!file.is_object() || !file.contains("path") || !file["path"].is_string() ||
        !file.contains("place") || !file["place"].is_number_unsigned())
      return unsound(list.path);
    list.files.push_back({file["path"].get<std::string>(), file["place"].get<uint64_t>()});
  }
  return list;
}

Result<UndoLists> UndoLists::open(const std::string& place, const std::vector<std::string>& roots,
                                  const LedTo& led_to, const Warn& warn) {
  UndoLists all;
  for (const std::string& root : roots) {
    SKL_TRY(const auto path, state_path("place", place, root));
    if (!all.lock_) {
      // Checks the path as it was named: the canonical path no longer shows links.
      SKL_TRY_DO(check_holding_folder(*state_place("place", place)));
      SKL_TRY(auto lock, FolderLock::take(path.substr(0, path.find_last_of('/')), "place"));
      all.lock_.emplace(std::move(lock));
    }
    SKL_TRY(auto list, read(path + ".json", root));
    all.lists_.push_back(std::move(list));
  }
  all.hold_to_roots(led_to, warn);
  return all;
}

// Compares canonical paths, because a path with ".." or through a link may lead out of the roots.
void UndoLists::hold_to_roots(const LedTo& led_to, const Warn& warn) {
  const auto is_inside = [&](const EarlierPlace& file) {
    const auto holds = [&](const List& list) { return lies_in(file.path, list.root); };
    return std::ranges::any_of(lists_, holds) && canonical_path(file.path) == file.path;
  };
  std::set<std::string> outside;
  for (const List& list : lists_)
    for (const EarlierPlace& file : list.files)
      if (!is_inside(file)) outside.insert(file.path);
  if (outside.empty()) return;
  for (const std::string& path : led_to()) outside.erase(path);
  for (List& list : lists_) leave_out(list, outside, warn);
}

void UndoLists::leave_out(List& list, const std::set<std::string>& outside, const Warn& warn) {
  const auto left = std::ranges::stable_partition(
      list.files, [&](const EarlierPlace& file) { return !outside.contains(file.path); });
  list.left_out.assign(left.begin(), left.end());
  list.files.erase(left.begin(), left.end());
  for (const EarlierPlace& file : list.left_out)
    warn(fmt::format("{}: lies outside of {}, and no link there leads to it; it is left alone",
                     file.path, list.root));
}

std::vector<EarlierPlace> UndoLists::files() const {
  std::vector<EarlierPlace> all;
  for (const List& list : lists_) all.insert(all.end(), list.files.begin(), list.files.end());
  return all;
}

// Returns the list for a file. A file outside the roots, which a link leads to, belongs to the
// first list.
size_t UndoLists::list_of(const std::string& file) const {
  const auto found =
      std::ranges::find_if(lists_, [&](const List& list) { return lies_in(file, list.root); });
  return found == lists_.end() ? 0 : static_cast<size_t>(found - lists_.begin());
}

Result<void> UndoLists::add(const std::vector<FileExtents>& files) {
  std::vector<std::vector<FileExtents>> by_list(lists_.size());
  for (const FileExtents& file : files) by_list[list_of(file.path)].push_back(file);
  for (size_t i = 0; i < lists_.size(); ++i) SKL_TRY_DO(add(by_list[i], lists_[i]));
  return {};
}

Result<void> UndoLists::add(const std::vector<FileExtents>& files, List& list) {
  if (files.empty()) return {};
  std::unordered_set<std::string> known;
  for (const EarlierPlace& file : list.files) known.insert(file.path);
  for (const EarlierPlace& file : list.left_out) known.insert(file.path);
  for (const FileExtents& file : files)
    if (!file.extents.empty() && known.insert(file.path).second)
      list.files.push_back({file.path, file.extents.front().place_bytes});
  Json entries = Json::array();
  for (const auto* part : {&list.files, &list.left_out})
    for (const EarlierPlace& file : *part)
      entries.push_back({{"path", file.path}, {"place", file.place_bytes}});
  // Names may have any encoding; a file whose name isn't UTF-8 can't be found again by its name.
  const Json json = {{"seekless", "place"}, {"version", 1}, {"files", entries}};
  return write_own_text(list.path, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

Result<void> UndoLists::remove() const {
  for (const List& list : lists_)
    if (kind_of_path(list.path) != PathKind::missing) SKL_TRY_DO(remove_file(list.path));
  return {};
}

Result<void> UndoLists::clear_leftovers() const {
  std::set<std::string> folders;
  const auto add_folder_of = [&](const std::string& path) {
    folders.insert(path.substr(0, path.find_last_of('/')));
  };
  for (const List& list : lists_) {
    add_folder_of(list.path);
    for (const EarlierPlace& file : list.files) add_folder_of(file.path);
  }
  for (const std::string& folder : folders) SKL_TRY_DO(remove_leftovers(folder));
  return {};
}

std::vector<FileExtents> files_by_earlier_place(std::vector<EarlierPlace> earlier,
                                                const std::function<void(std::string_view)>& warn) {
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
