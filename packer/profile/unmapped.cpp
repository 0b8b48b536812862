#include "packer/profile/unmapped.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "packer/words/counted.h"
#include "packer/words/one_line.h"

namespace seekless {
namespace {

constexpr size_t kExamples = 3;
constexpr size_t kLookedAt = 20;  // unmapped files, largest first, for which a rule is searched

constexpr auto kSystemFolders = std::to_array<std::string_view>({
    "/bin/",
    "/dev/",
    "/etc/",
    "/lib/",
    "/lib32/",
    "/lib64/",
    "/nix/store/",
    "/proc/",
    "/run/",
    "/sbin/",
    "/sys/",
    "/usr/bin/",
    "/usr/lib/",
    "/usr/lib32/",
    "/usr/lib64/",
    "/usr/libexec/",
    "/usr/share/X11/",
    "/usr/share/alsa/",
    "/usr/share/ca-certificates/",
    "/usr/share/drirc.d/",
    "/usr/share/egl/",
    "/usr/share/fontconfig/",
    "/usr/share/fonts/",
    "/usr/share/glib-2.0/",
    "/usr/share/glvnd/",
    "/usr/share/icons/",
    "/usr/share/libdrm/",
    "/usr/share/locale/",
    "/usr/share/mime/",
    "/usr/share/pipewire/",
    "/usr/share/terminfo/",
    "/usr/share/themes/",
    "/usr/share/vulkan/",
    "/usr/share/zoneinfo/",
    "/var/cache/",
    "/var/lib/",
    "C:\\Windows\\",
});

// Returns the length of the longest tail of whole components that two paths share. Slashes of
// either kind are equal.
size_t shared_tail(std::string_view a, std::string_view b) {
  size_t shared = 0;
  const size_t most = std::min(a.size(), b.size());
  for (size_t i = 1; i <= most; ++i) {
    const char from_a = a[a.size() - i] == '\\' ? '/' : a[a.size() - i];
    if (from_a != b[b.size() - i]) break;
    if (from_a == '/') shared = i;
    if (i == a.size() || i == b.size()) shared = i;
  }
  return shared;
}

}  // namespace

std::string examples_of_unmapped(const Mapping& mapping) {
  const auto is_other = [](const Mapping::Unmapped& one) { return !is_of_the_system(one.path); };
  const bool has_other = std::ranges::any_of(mapping.unmapped, is_other);
  std::string text;
  size_t told = 0;
  for (const Mapping::Unmapped& one : mapping.unmapped) {
    if (has_other && !is_other(one)) continue;
    if (told++ == kExamples) break;
    text += fmt::format("{}'{}' ({:.1f} MB)", text.empty() ? "" : ", ", in_one_line(one.path),
                        megabytes(one.bytes));
  }
  return text;
}

bool is_of_the_system(std::string_view path) {
  if (std::ranges::any_of(kSystemFolders,
                          [&](std::string_view folder) { return path.starts_with(folder); }))
    return true;
  if (path.find("/.cache/") != std::string_view::npos) return true;  // shaders, fonts
  const std::string_view name = path.substr(path.find_last_of("/\\") + 1);
  return name.ends_with(".so") || name.find(".so.") != std::string_view::npos ||
         name.ends_with(".dll") || name.ends_with(".DLL");
}

double share_without_system(const Mapping& mapping) {
  uint64_t other_bytes = 0;
  for (const Mapping::Unmapped& one : mapping.unmapped)
    if (!is_of_the_system(one.path)) other_bytes += one.bytes;
  const uint64_t all_bytes = mapping.mapped_bytes() + other_bytes;
  if (all_bytes == 0) return 1;
  return static_cast<double>(mapping.mapped_bytes()) / static_cast<double>(all_bytes);
}

std::optional<FittingMap> fitting_map(const Mapping& mapping, const Content& content) {
  std::map<std::pair<std::string_view, std::string_view>, uint64_t> bytes;
  for (size_t i = 0; i < std::min(kLookedAt, mapping.unmapped.size()); ++i) {
    const std::string& path = mapping.unmapped[i].path;
    if (is_of_the_system(path)) continue;
    size_t best = 0;
    const Source* fitting = nullptr;
    for (const Source& source : content.sources) {
      const size_t shared = shared_tail(path, source.path);
      if (shared <= best || shared == path.size() || shared == source.path.size()) continue;
      best = shared;
      fitting = &source;
    }
    if (fitting == nullptr) continue;
    const std::string_view to = fitting->path;
    bytes[{std::string_view(path).substr(0, path.size() - best), to.substr(0, to.size() - best)}] +=
        1 + mapping.unmapped[i].bytes;
  }
  if (bytes.empty()) return std::nullopt;
  const auto most = std::ranges::max_element(bytes, {}, [](const auto& of) { return of.second; });
  return FittingMap{in_one_line(std::string(most->first.first)),
                    in_one_line(std::string(most->first.second))};
}

std::string advice_for_unmapped(const Mapping& mapping, const Content& content) {
  const size_t looked_at = std::min(kLookedAt, mapping.unmapped.size());
  if (std::ranges::any_of(std::span(mapping.unmapped).first(looked_at),
                          &Mapping::Unmapped::is_of_content))
    return "such files of the content were larger when it was recorded: record it again";
  if (const auto map = fitting_map(mapping, content))
    return fmt::format(
        "the content has a file of that name elsewhere: try --map '{}={}' (\"map\" in a build "
        "file)",
        map->from, map->to);
  return "add their folder to --content, name its place in the trace with --map FROM=TO "
         "(\"content\" "
         "and \"map\" in a build file), or leave them out with import --only";
}

}  // namespace seekless
