#include "packer/library/internal/steam_manifest.h"

#include <algorithm>
#include <charconv>

namespace seekless {
namespace {

constexpr uint64_t kFullyInstalled = 4;  // bit of "StateFlags"

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

uint64_t number_or_zero(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

std::vector<std::string> steam_libraries(const TextNode& file) {
  std::vector<std::string> paths;
  const TextNode* list = file.find("libraryfolders");
  if (list == nullptr) return paths;
  for (const TextNode& entry : list->children) {
    if (!is_number(entry.key)) continue;
    std::string path = entry.is_section ? entry.text("path") : entry.value;
    if (!path.empty()) paths.push_back(std::move(path));
  }
  return paths;
}

SteamManifest steam_manifest(const TextNode& file) {
  const TextNode* state = file.find("AppState");
  if (state == nullptr) return {};
  return {.id = state->text("appid"),
          .name = state->text("name"),
          .folder_name = state->text("installdir"),
          .bytes = number_or_zero(state->text("SizeOnDisk")),
          .is_installed = (number_or_zero(state->text("StateFlags")) & kFullyInstalled) != 0};
}

}  // namespace seekless
