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

// Returns nothing for a folder that can't be listed, e.g. if its process has ended meanwhile.
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

// A server holds its prefix's folder open, in which the registry lies.
bool has_prefix_in(const fs::path& server, const std::string& folder) {
  return std::ranges::any_of(entries_of(server / "fd"), [&](const fs::path& link) {
    std::error_code error;
    const fs::path opened = fs::read_symlink(link, error);
    return lies_in(opened.string(), folder) && fs::exists(opened / "system.reg", error);
  });
}

}  // namespace

bool has_wine_server(const std::string& folder) {
  return std::ranges::any_of(entries_of("/proc"), [&](const fs::path& process) {
    return is_wine_server(process) && has_prefix_in(process, folder);
  });
}

}  // namespace seekless
