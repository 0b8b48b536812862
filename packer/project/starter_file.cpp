#include "packer/project/starter_file.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/project/build_file.h"

namespace seekless {
namespace {

constexpr std::array<std::string_view, 6> kTraceEndings = {".trace",  ".jsonl", ".jsonl.lz4",
                                                           ".strace", ".pml",   ".PML"};
constexpr std::array<std::string_view, 6> kContentNames = {"content", "Content", "data",
                                                           "Data",    "assets",  "Assets"};
constexpr std::array<std::string_view, 4> kOwnNames = {".seekless/", "packs/", "seekless.json",
                                                       "layout.lock"};

std::string_view trace_ending(std::string_view path) {
  for (const std::string_view ending : kTraceEndings)
    if (path.ends_with(ending)) return ending;
  return {};
}

std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string list_of(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + json_text(text);
  return "[" + list + "]";
}

bool is_own(std::string_view path) {
  return std::ranges::any_of(kOwnNames, [&](std::string_view own) {
    return own.ends_with('/') ? path.starts_with(own) : path == own;
  });
}

bool is_content(std::string_view path) {
  return !is_own(path) && trace_ending(path).empty();
}

// Returns the folder with a usual name of content, if it holds most of the bytes: a game's folder
// may have "assets" among twenty others.
std::string content_folder(const std::vector<StampedFile>& files) {
  uint64_t all_bytes = 0;
  std::array<uint64_t, kContentNames.size()> bytes = {};
  for (const StampedFile& file : files) {
    if (!is_content(file.path)) continue;
    all_bytes += file.stamp.size_bytes;
    const std::string_view top = std::string_view(file.path).substr(0, file.path.find('/'));
    const auto* name = std::ranges::find(kContentNames, top);
    if (name != kContentNames.end() && top.size() < file.path.size())
      bytes.at(static_cast<size_t>(name - kContentNames.begin())) += file.stamp.size_bytes;
  }
  const auto* most = std::ranges::max_element(bytes);
  if (*most <= all_bytes / 2) return ".";
  return std::string(kContentNames.at(static_cast<size_t>(most - bytes.begin())));
}

}  // namespace

Result<StarterFile> make_starter_file(const std::vector<StampedFile>& files,
                                      const std::string& folder) {
  StarterFile starter;
  std::map<std::string, const StampedFile*> patterns;
  starter.content = content_folder(files);
  const std::string below = starter.content == "." ? "" : starter.content + "/";
  for (const StampedFile& file : files) {
    if (is_own(file.path)) continue;
    if (const std::string_view ending = trace_ending(file.path); !ending.empty()) {
      const std::string pattern =
          file.path.substr(0, file.path.rfind('/') + 1) + "*" + std::string(ending);
      const StampedFile*& smallest = patterns[pattern];
      if (smallest == nullptr || file.stamp.size_bytes < smallest->stamp.size_bytes)
        smallest = &file;
      ++starter.recordings;
    } else if (file.path.starts_with(below)) {
      ++starter.files;
      starter.bytes += file.stamp.size_bytes;
    }
  }
  if (starter.files == 0)
    return failed({.file = folder,
                   .expected = "a folder with a game's content",
                   .found = "no file in it",
                   .advice = "name the folder that the content lies in"});
  for (const auto& [pattern, smallest] : patterns) {
    starter.traces.push_back(pattern);
    starter.samples.push_back(smallest->path);
  }
  starter.text = text_of(starter);
  return starter;
}

std::string text_of(const StarterFile& starter) {
  std::vector<std::string> exclude;
  if (starter.content == ".") {
    exclude = {"seekless.json", "layout.lock", "packs/**", ".seekless/**"};
    exclude.insert(exclude.end(), starter.traces.begin(), starter.traces.end());
  }
  const std::string traces =
      starter.traces.empty()
          ? "  // No recording was found: 'seekless record' makes one of a load.\n"
            "  // \"traces\": [\"traces/*.trace\"],\n"
          : fmt::format("  \"traces\": {},\n", list_of(starter.traces));
  const std::string map = starter.map.empty()
                              ? "  // \"map\": [\"FROM=TO\"],\n"
                              : fmt::format("  \"map\": {},\n", list_of({starter.map}));
  return fmt::format(
      R"({{
  // What 'seekless build' makes of this game. Paths start from this file's folder; every key is
  // described in docs/build.md and schemas/build.schema.json.

  // Folders of loose files and zip archives; later ones win.
  "content": {},
{}
  // Recordings of loads: they decide what lies where.
{}  // Content that the recordings call by another place, as in "C:\\Games\\X=content":
{}
  // Which loads count for more, and what is played after what:
  // "weights": {{"map/rush": 3}},
  // "sessions": [["boot", "menu", "map/rush"]],

  // The disk to decide for ('seekless drive list'), and most bytes in all packs, as a multiple of
  // the content's.
  "drives": ["wd-black-1tb"],
  // "budget": {},

  // "rules": [{{"match": "music/**", "pack": "music"}}, {{"match": "*.dds", "align": 4096}}],

  "outputs": {{
    // "codec": "lz4" for content that compresses well, such as what was deflated in its archives.
    "packs": {{"folder": "packs"}}
  }},

  // What a build did, as a page and as a summary for a CI job:
  // "report": {{"html": ".seekless/build.html", "markdown": ".seekless/build.md"}},

  // Keeps places from build to build, so that patches are small. Keep it under version control.
  "lock": "layout.lock"
}}
)",
      list_of({starter.content}),
      exclude.empty() ? "  // \"exclude\": [\"*.psd\"],\n"
                      : fmt::format("  \"exclude\": {},\n", list_of(exclude)),
      traces, map, usual_of(plan_setting("budget")));
}

}  // namespace seekless
