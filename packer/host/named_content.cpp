#include "packer/host/named_content.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "packer/host/descriptor.h"
#include "packer/host/files.h"

namespace seekless {
namespace {

constexpr uint64_t kMostPathListBytes = 256 * 1024;  // some thousands of paths

// What this user trusts isn't kept in another user's folder.
bool is_own_folder(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == ::geteuid() && (status.st_mode & S_IWOTH) == 0;
}

std::string folder_of_variable(const char* name) {
  const char* value = std::getenv(name);
  const bool is_absolute = value != nullptr && *value == '/';
  return is_absolute && is_own_folder(value) ? value : "";
}

}  // namespace

std::string state_folder() {
  if (const std::string state = folder_of_variable("XDG_STATE_HOME"); !state.empty())
    return state + "/seekless";
  const std::string home = folder_of_variable("HOME");
  return home.empty() ? "" : home + "/.local/state/seekless";
}

namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
    if (end > 0) lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

// One call, so that two processes that do it at once don't mix their lines.
void append(const std::string& path, const std::string& text) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
                               S_IRUSR | S_IWUSR));
  if (file.get() >= 0) (void)!::write(file.get(), text.data(), text.size());
}

}  // namespace

std::string home_folder() {
  const char* home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? canonical_path(home) : "";
}

std::vector<std::string> remembered_content() {
  const std::string folder = state_folder();
  if (folder.empty() || !is_own_folder(folder)) return {};
  const auto text = read_text(folder + "/content", 2 * kMostPathListBytes);
  return text ? lines_of(*text) : std::vector<std::string>();
}

void remember_content(const std::vector<std::string>& roots) {
  const std::string folder = state_folder();
  if (folder.empty() || !make_folders(folder) || !is_own_folder(folder)) return;
  std::vector<std::string> known = remembered_content();
  std::string fresh;
  for (const std::string& root : roots) {
    const std::string path = canonical_path(root);
    if (path.contains('\n') || std::ranges::find(known, path) != known.end()) continue;
    known.push_back(path);
    fresh += path + '\n';
  }
  if (fresh.empty()) return;
  size_t bytes = 0;
  for (const std::string& path : known) bytes += path.size() + 1;
  if (bytes <= kMostPathListBytes) return append(folder + "/content", fresh);
  // The older half is forgotten.
  std::string kept;
  for (size_t i = known.size() / 2; i < known.size(); ++i) kept += known[i] + '\n';
  (void)write_text(folder + "/content", kept);
}

}  // namespace seekless
