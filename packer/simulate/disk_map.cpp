#include "packer/simulate/disk_map.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "packer/drive/drive.h"
#include "packer/drive/read_ahead.h"
#include "packer/drive/size.h"

namespace seekless {
namespace {

constexpr size_t kListedNames = 8;
constexpr uint64_t kUnplaced = UINT64_MAX;

bool is_named(std::string_view path, std::string_view name) {
  return path == name || (path.size() > name.size() && path.ends_with(name) &&
                          path[path.size() - name.size() - 1] == '/');
}

std::vector<std::string> names_in(std::span<const FileToPlace> files, std::string_view name) {
  std::vector<std::string> found;
  for (const FileToPlace& file : files)
    if (is_named(file.path, name)) found.push_back(file.path);
  return found;
}

std::string listed(std::span<const FileToPlace> files, std::span<const FileToPlace> more) {
  std::vector<std::string_view> names;
  for (const auto part : {files, more})
    for (const FileToPlace& file : part) names.emplace_back(file.path);
  const size_t shown = std::min(names.size(), kListedNames);
  std::string text = fmt::format("{}", fmt::join(std::span(names).first(shown), ", "));
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

// A file's place on the drive, rounded to pages.
struct PlacedExtent {
  uint64_t begin_bytes;
  uint64_t end_bytes;
  size_t file;
};

std::unexpected<Error> beyond_end(const FileToPlace& file, uint64_t position_bytes,
                                  const DriveProfile& drive, uint64_t capacity_bytes) {
  return wrong_usage(
      {.file = file.path,
       .place = fmt::format("{} bytes placed at byte {} of drive {}", file.size_bytes,
                            position_bytes, drive.name),
       .expected = fmt::format("it to end within the drive's {} bytes", capacity_bytes),
       .found = "an end past them",
       .advice = "place it nearer to the start with --place, or take a larger drive"});
}

}  // namespace

Result<PlaceRule> parse_place(std::string_view text) {
  const size_t equals = text.rfind('=');
  const bool is_pair = equals != std::string_view::npos && equals > 0;
  const auto position = is_pair ? parse_size(text.substr(equals + 1)) : std::nullopt;
  if (!position)
    return wrong_usage({.place = "--place",
                        .expected = "NAME=POSITION, such as base.wz=600G",
                        .found = fmt::format("'{}'", text),
                        .advice = "K, M, G, T are powers of 1000, Ki, Mi, Gi, Ti of 1024"});
  return PlaceRule{std::string(text.substr(0, equals)), *position / kPageBytes * kPageBytes};
}

Result<void> check_places(std::span<const PlaceRule> rules, std::span<const FileToPlace> files,
                          std::span<const FileToPlace> more_files) {
  for (const PlaceRule& rule : rules) {
    const auto found = names_in(files, rule.name);
    const auto more_found = names_in(more_files, rule.name);
    if (found.empty() && more_found.empty())
      return wrong_usage({.place = fmt::format("--place {}", rule.name),
                          .expected = "the name of " + listed(files, more_files),
                          .found = "another",
                          .advice = "name a file by the last parts of its path"});
    for (const auto& names : {found, more_found})
      if (names.size() > 1)
        return wrong_usage({.place = fmt::format("--place {}", rule.name),
                            .expected = "the name of one file",
                            .found = fmt::format("{} and {}", names[0], names[1]),
                            .advice = "name more of its path"});
  }
  return {};
}

Result<std::vector<uint64_t>> place_files(std::span<const FileToPlace> files,
                                          std::span<const PlaceRule> rules,
                                          const DriveProfile& profile) {
  const Drive drive(profile);
  std::vector<uint64_t> positions(files.size(), kUnplaced);
  std::vector<PlacedExtent> placed;
  for (const PlaceRule& rule : rules)
    for (size_t i = 0; i < files.size(); ++i) {
      if (!is_named(files[i].path, rule.name)) continue;
      if (positions[i] != kUnplaced)
        return wrong_usage({.file = files[i].path,
                            .place = fmt::format("--place {}", rule.name),
                            .expected = "one place for a file",
                            .found = "two"});
      if (!drive.holds(rule.position_bytes, files[i].size_bytes))
        return beyond_end(files[i], rule.position_bytes, profile, drive.capacity_bytes());
      positions[i] = rule.position_bytes;
      if (files[i].size_bytes > 0)
        placed.push_back(
            {rule.position_bytes, rule.position_bytes + whole_pages(files[i].size_bytes), i});
    }
  std::ranges::sort(placed, {}, &PlacedExtent::begin_bytes);
  for (size_t i = 1; i < placed.size(); ++i)
    if (placed[i].begin_bytes < placed[i - 1].end_bytes)
      return wrong_usage({.file = files[placed[i].file].path,
                          .place = fmt::format("byte {} of the drive", placed[i].begin_bytes),
                          .expected = "a place after " + files[placed[i - 1].file].path +
                                      fmt::format(", {} or more", placed[i - 1].end_bytes),
                          .found = "one that overlaps it"});

  uint64_t next = 0;
  auto obstacle = placed.begin();
  for (size_t i = 0; i < files.size(); ++i) {
    if (positions[i] != kUnplaced) continue;
    if (!drive.holds(0, files[i].size_bytes))
      return beyond_end(files[i], 0, profile, drive.capacity_bytes());
    const uint64_t size = whole_pages(files[i].size_bytes);
    for (; obstacle != placed.end() && next + size > obstacle->begin_bytes; ++obstacle)
      next = std::max(next, obstacle->end_bytes);
    if (!drive.holds(next, files[i].size_bytes))
      return beyond_end(files[i], next, profile, drive.capacity_bytes());
    positions[i] = next;
    next += size;
  }
  return positions;
}

}  // namespace seekless
