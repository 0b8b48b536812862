#include "packer/host/windows_names.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "packer/host/ascii.h"

namespace seekless {
namespace {

using namespace std::string_view_literals;

// "aux" and "aux.txt" alike, up to Windows 10.
bool names_device(std::string_view name) {
  std::string_view stem = name.substr(0, name.find('.'));
  while (stem.ends_with(' ')) stem.remove_suffix(1);
  std::string word(stem);
  std::ranges::transform(word, word.begin(), lower_case);
  constexpr std::array kDevices = {"con"sv, "prn"sv, "aux"sv, "nul"sv, "conin$"sv, "conout$"sv};
  if (std::ranges::find(kDevices, word) != kDevices.end()) return true;
  const bool is_port = word.starts_with("com") || word.starts_with("lpt");
  return is_port && word.size() == 4 && word[3] >= '1' && word[3] <= '9';
}

// In words; null: nothing is wrong with it.
const char* fault_of_part(std::string_view part) {
  constexpr char kFirstPrintable = ' ';
  const auto is_refused = [](char c) {
    return (c >= 0 && c < kFirstPrintable) || R"(<>:"\|?*)"sv.contains(c);
  };
  if (std::ranges::any_of(part, is_refused)) return "holds a character that Windows refuses";
  if (part.ends_with(' ') || part.ends_with('.'))
    return "ends in a dot or a space, which Windows drops";
  return names_device(part) ? "names a device" : nullptr;
}

}  // namespace

bool is_path_of_windows(std::string_view path) {
  if (path.starts_with("\\\\")) return true;
  if (path.size() < 2 || path[1] != ':') return false;
  const char drive = lower_case(path[0]);
  return drive >= 'a' && drive <= 'z' && (path.size() == 2 || is_slash_of_windows(path[2]));
}

std::string windows_name_fault(std::string_view path) {
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    if (const char* fault = part.empty() ? nullptr : fault_of_part(part))
      return fmt::format("'{}', which {}", part, fault);
    path.remove_prefix(std::min(path.size(), part.size() + 1));
  }
  return {};
}

}  // namespace seekless
