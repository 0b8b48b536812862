#include "packer/library/internal/program_folder.h"

#include <algorithm>

#include "packer/base/paths.h"
#include "runtime/asset_path.h"

namespace seekless {
namespace {

constexpr std::string_view kProgramFolders[] = {
    "bin", "bin32", "bin64", "binaries", "system", "win32", "win64",
    "x64", "x86",   "linux", "linux64",  "x86_64", "exe",   "executables"};

bool holds_programs(std::string_view name) {
  return std::ranges::any_of(kProgramFolders,
                             [&](std::string_view one) { return compare_folded(one, name) == 0; });
}

}  // namespace

std::string folder_of_program(std::string_view program) {
  std::string_view folder = folder_above(program);
  while (folder.size() > 1 && holds_programs(file_name(folder))) folder = folder_above(folder);
  return std::string(folder);
}

std::string path_in_prefix(const std::string& path, const std::string& prefix) {
  if (path.size() < 3 || path[1] != ':') return path;
  std::string rest = path.substr(2);
  std::ranges::replace(rest, '\\', '/');
  if (path[0] == 'C' || path[0] == 'c') return prefix + "/drive_c" + rest;
  return path[0] == 'Z' || path[0] == 'z' ? rest : "";
}

}  // namespace seekless
