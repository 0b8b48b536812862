#include "packer/serve/internal/wine_server.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "packer/base/paths.h"

namespace seekless {
namespace {

namespace fs = std::filesystem;

bool holds_prefix(const std::string& folder) {
  std::error_code error;
  return fs::exists(folder + "/system.reg", error) || fs::exists(folder + "/pfx/system.reg", error);
}

// Returns nothing of a folder that may not be listed. Processes may end meanwhile.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    entries.push_back(entry->path());
  return entries;
}

// The names are "wineserver", "wineserver32" and "wineserver64".
bool is_wine_server(const fs::path& process) {
  std::string name;
  std::getline(std::ifstream(process / "comm"), name);
  return name.starts_with("wineserver");
}

bool uses(const fs::path& process, const std::string& folder) {
  std::vector<fs::path> links = entries_of(process / "fd");
  links.push_back(process / "cwd");
  return std::ranges::any_of(links, [&](const fs::path& link) {
    std::error_code error;
    return lies_in(fs::read_symlink(link, error).string(), folder);
  });
}

}  // namespace

bool has_wine_server(const std::string& folder) {
  return holds_prefix(folder) &&
         std::ranges::any_of(entries_of("/proc"), [&](const fs::path& process) {
           return is_wine_server(process) && uses(process, folder);
         });
}

}  // namespace seekless
