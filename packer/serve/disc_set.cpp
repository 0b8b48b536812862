#include "packer/serve/disc_set.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "packer/base/ascii.h"
#include "packer/base/paths.h"
#include "packer/host/files.h"

namespace seekless {
namespace {

constexpr std::string_view kBlanks = " \t\r";
// A sheet has a few lines for each track; a larger file with such a name is something else.
constexpr uint64_t kMostSheetBytes = 1 << 20;

// Returns the ending in lower case, with its dot; an empty text if there is none.
std::string ending_of(std::string_view path) {
  const std::string_view name = file_name(path);
  const size_t dot = name.rfind('.');
  std::string ending(dot == std::string_view::npos ? "" : name.substr(dot));
  std::ranges::transform(ending, ending.begin(), lower_case);
  return ending;
}

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_sheet(std::string_view path) {
  constexpr std::array<std::string_view, 6> kEndings = {".cue",  ".gdi", ".m3u",
                                                        ".m3u8", ".ccd", ".mds"};
  return std::ranges::find(kEndings, ending_of(path)) != kEndings.end();
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// Takes the next word off the line. A word in quotes may hold blanks.
std::string_view take_word(std::string_view& line) {
  line = trimmed(line);
  const bool is_quoted = line.starts_with('"');
  if (is_quoted) line.remove_prefix(1);
  const size_t end =
      std::min(is_quoted ? line.find('"') : line.find_first_of(kBlanks), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

// A line of a .cue: FILE "name" BINARY. A name without quotes may contain spaces, too.
std::string_view name_in_cue_line(std::string_view line) {
  std::string_view rest = line;
  std::string word(take_word(rest));
  std::ranges::transform(word, word.begin(), lower_case);
  if (word != "file") return {};
  rest = trimmed(rest);
  if (rest.starts_with('"')) return take_word(rest);
  const size_t type = rest.find_last_of(kBlanks);
  return trimmed(rest.substr(0, type));
}

// A line of a .gdi: number, first sector, kind, bytes of a sector, name, offset.
std::string_view name_in_gdi_line(std::string_view line) {
  constexpr int kWordsBeforeName = 4;
  for (int i = 0; i < kWordsBeforeName; ++i) take_word(line);
  return take_word(line);
}

std::string_view name_in_list_line(std::string_view line) {
  const std::string_view name = trimmed(line);
  return name.starts_with('#') ? std::string_view() : name;
}

// These sheets name no files: their files have the sheet's name with another ending.
std::vector<std::string> namesakes(std::string_view file,
                                   std::initializer_list<std::string_view> endings) {
  const std::string stem(file.substr(0, file.rfind('.')));
  std::vector<std::string> names;
  for (const std::string_view ending : endings) names.push_back(stem + std::string(ending));
  return names;
}

using NameInLine = std::string_view (*)(std::string_view line);

std::vector<std::string> names_in(std::string_view text, NameInLine name_in) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view name = name_in(text.substr(0, end));
    if (!name.empty() && !has(names, name)) names.emplace_back(name);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

void add_set(const std::string& file, std::vector<std::string>& found) {
  const std::string path = canonical_path(file);
  if (found.size() >= kMostDiscFiles || has(found, path) || kind_of_path(path) != PathKind::file)
    return;
  found.push_back(path);
  if (!is_sheet(path)) return;
  const auto text = read_text(path, kMostSheetBytes);
  for (const std::string& name : files_of_sheet(path, text.value_or("")))
    add_set(name.starts_with('/') ? name : std::string(folder_above(path)) + "/" + name, found);
}

}  // namespace

std::vector<std::string> files_of_sheet(std::string_view file, std::string_view text) {
  const std::string ending = ending_of(file);
  const std::string_view name = file_name(file);
  if (ending == ".cue") return names_in(text, name_in_cue_line);
  if (ending == ".gdi") return names_in(text, name_in_gdi_line);
  if (ending == ".m3u" || ending == ".m3u8") return names_in(text, name_in_list_line);
  if (ending == ".ccd") return namesakes(name, {".img", ".sub"});
  if (ending == ".mds") return namesakes(name, {".mdf"});
  return {};
}

std::vector<std::string> disc_set(const std::string& file) {
  std::vector<std::string> found;
  add_set(file, found);
  return found;
}

std::vector<std::string> with_disc_sets(const std::vector<std::string>& paths) {
  std::vector<std::string> all;
  for (const std::string& path : paths) {
    if (kind_of_path(path) != PathKind::file)
      all.push_back(path);
    else
      for (std::string& file : disc_set(path)) all.push_back(std::move(file));
  }
  return all;
}

}  // namespace seekless
