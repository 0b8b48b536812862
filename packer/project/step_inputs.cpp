#include "packer/project/step_inputs.h"

#include <algorithm>

#include "packer/base/each_once.h"
#include "packer/base/glob.h"
#include "packer/base/paths.h"
#include "packer/host/file_stamp.h"
#include "packer/host/files.h"
#include "packer/project/internal/input_files.h"

namespace seekless {
namespace {

Result<void> add_folders(const std::string& folder, const std::vector<std::string>& exclude,
                         std::vector<std::string>& inputs) {
  const auto folders = find_folders(
      folder, [&](std::string_view below) { return any_glob_covers_folder(exclude, below); });
  if (!folders) return std::unexpected(folders.error());
  inputs.insert(inputs.end(), folders->begin(), folders->end());
  return {};
}

// Adds the folder that holds everything that the pattern can match, and its subfolders.
Result<void> add_folders_of_pattern(const std::string& pattern, const std::string& from,
                                    std::vector<std::string>& inputs) {
  const size_t wildcard = pattern.find_first_of("*?[");
  if (wildcard == std::string::npos) return {};
  const size_t begin = pattern.rfind('/', wildcard) + 1;  // 0 if there is no slash
  const std::string folder = path_from(from, pattern.substr(0, begin));
  if (pattern.find('/', wildcard) != std::string::npos || pattern.substr(begin).starts_with("**"))
    return add_folders(folder, {}, inputs);
  inputs.push_back(folder);
  return {};
}

}  // namespace

Result<std::vector<std::string>> step_inputs(const BuildFile& file) {
  std::vector<std::string> inputs = {
      kind_of_path(file.path) == PathKind::folder ? file.path + "/" + kBuildFileName : file.path};
  if (!file.lock.empty() && kind_of_path(file.lock) == PathKind::file) inputs.push_back(file.lock);
  SKL_TRY(const auto files, find_input_files(file.roots, file.scan.exclude));
  std::vector<bool> is_folder;
  for (const std::string& root : file.roots) {
    is_folder.push_back(kind_of_path(root) == PathKind::folder);
    if (!is_folder.back()) continue;
    SKL_TRY_DO(add_folders(root, file.scan.exclude, inputs));
  }
  for (const InputFile& input : files.files) {
    const std::string& root = file.roots[input.root];
    inputs.push_back(is_folder[input.root] ? root + "/" + std::string(input.path) : root);
  }
  SKL_TRY(const auto traces, expand_patterns(file.traces, file.folder, file.path));
  inputs.insert(inputs.end(), traces.begin(), traces.end());
  for (const std::string& pattern : file.traces)
    SKL_TRY_DO(add_folders_of_pattern(pattern, file.folder, inputs));
  std::erase_if(inputs, [&](const std::string& input) {
    return lies_in(input, file.state) || (file.packs && lies_in(input, file.packs->folder)) ||
           (file.zips && lies_in(input, file.zips->folder));
  });
  keep_each_once(inputs);
  return inputs;
}

}  // namespace seekless
