#include "packer/content/named_content.h"

#include <algorithm>
#include <string_view>

#include "packer/host/files.h"
#include "packer/host/own_folder.h"

namespace seekless {
namespace {

constexpr uint64_t kMostPathListBytes = 256 * 1024;  // enough for some thousands of paths

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
    if (end > 0) lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

}  // namespace

std::vector<std::string> remembered_content() {
  const std::string folder = state_folder();
  if (folder.empty() || !is_own_folder(folder)) return {};
  const auto text = read_own_text(folder + "/content", 2 * kMostPathListBytes);
  return text ? lines_of(*text) : std::vector<std::string>();
}

void remember_content(const std::vector<std::string>& roots) {
  const std::string folder = state_folder();
  if (folder.empty() || !make_own_folders(folder) || !is_own_folder(folder)) return;
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
  if (bytes <= kMostPathListBytes) return append_text(folder + "/content", fresh);
  // Forgets the older half.
  std::string kept;
  for (size_t i = known.size() / 2; i < known.size(); ++i) kept += known[i] + '\n';
  (void)write_own_text(folder + "/content", kept);
}

}  // namespace seekless
