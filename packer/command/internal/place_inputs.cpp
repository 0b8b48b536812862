#include "packer/command/internal/place_inputs.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "packer/base/paths.h"
#include "packer/host/files.h"
#include "packer/trace/dialect.h"
#include "runtime/asset_path.h"

namespace seekless {
namespace {

enum class InputKind { content, list, recording };

constexpr std::string_view kImageEndings[] = {".iso", ".chd", ".rvz", ".wia",  ".cso", ".gcz",
                                              ".bin", ".cue", ".img", ".wbfs", ".m3u"};

InputKind kind_of(const std::string& path) {
  const PathKind kind = kind_of_path(path);
  // This is standard input, or a pipe, which can be read only once, or a name that causes an error
  // when it is opened.
  if (kind == PathKind::other || kind == PathKind::missing) return InputKind::recording;
  const Dialect* dialect = kind == PathKind::file ? dialect_of_file(path) : nullptr;
  if (dialect == nullptr) return InputKind::content;
  return dialect->name == "list" ? InputKind::list : InputKind::recording;
}

std::string_view ending_of(std::string_view path) {
  const std::string_view name = file_name(path);
  return name.substr(std::min(name.rfind('.'), name.size()));
}

// Returns true for two disc images with the same ending: "a.iso", "b.ISO".
bool are_alike(const std::string& path, const std::string& other) {
  const auto is_ending = [&](std::string_view ending) {
    return compare_folded(ending_of(path), ending) == 0;
  };
  return std::ranges::any_of(kImageEndings, is_ending) && is_ending(ending_of(other)) &&
         kind_of_path(other) == PathKind::file;
}

// Counts how many of the paths are content. Many text files of games look like a list of paths, so
// lists count as recordings only at the end of the arguments. A last file of an unknown kind was
// probably meant as a recording; reading it causes an error that explains it.
size_t content_count(const std::vector<std::string>& paths) {
  std::vector<InputKind> kinds(1, InputKind::content);
  for (size_t i = 1; i < paths.size(); ++i) {
    kinds.push_back(kind_of(paths[i]));
    if (kinds.back() == InputKind::recording) return i;
  }
  size_t count = kinds.size();
  const auto is_next_disc = [&](size_t i) { return i > 0 && are_alike(paths[i], paths[i - 1]); };
  while (kinds[count - 1] == InputKind::list && !is_next_disc(count - 1)) --count;
  const bool may_be_unknown =
      count > 1 && kind_of_path(paths.back()) == PathKind::file && !is_next_disc(count - 1);
  return count == paths.size() && may_be_unknown ? count - 1 : count;
}

}  // namespace

void PlaceInputs::add_to(const Command& command) {
  traces.add_to(command, "PATH", false,
                "The game's files or folders; then traces in any known dialect, where "
                "'-' is standard input");
  command.option(
      {.name = "--content",
       .takes = "PATH",
       .help =
           "The game's files or folders, up to the next option; all other inputs are then traces",
       .takes_list = true},
      content);
}

void PlaceInputs::sort(bool has_no_traces) {
  std::vector<std::string>& row = traces.paths;
  if (content.empty() && !row.empty()) {
    const auto end =
        row.begin() + static_cast<ptrdiff_t>(has_no_traces ? row.size() : content_count(row));
    content.assign(row.begin(), end);
    row.erase(row.begin(), end);
  }
  for (std::string& path : content) path = canonical_path(path);
  content = outermost(std::move(content));
}

// Returns the folder that contains the file.
std::string PlaceInputs::folder() const {
  const std::string& path = content.front();
  if (kind_of_path(path) == PathKind::folder) return path;
  const size_t slash = path.find_last_of('/');
  const bool is_root = slash == 0 || path[slash - 1] == ':';  // of a drive, on Windows
  return path.substr(0, is_root ? slash + 1 : slash);
}

std::string PlaceInputs::name() const {
  if (content.size() == 1) return content.front();
  return fmt::format("{} and {} more", content.front(), content.size() - 1);
}

}  // namespace seekless
