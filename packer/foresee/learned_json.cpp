// Reads and writes the file of what was learned. Pages in succession are one stretch: [first,
// count, runs, pages in each read]. The last read of a stretch may be shorter. Files from before
// 2026-11-29, and stretches whose reads aren't known, lack the fourth number.
#include <nlohmann/json.hpp>

#include "packer/base/json_depth.h"
#include "packer/base/json_value.h"
#include "packer/foresee/bounded.h"
#include "packer/foresee/learned.h"
#include "packer/words/utf8.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLongestPathBytes = 4096;  // PATH_MAX of Linux
constexpr int kLearnedVersion = 1;
// No valid file has more runs.
constexpr uint32_t kMostTellableRuns = 1 << 16;

std::string name_from(const Json& json) {
  const auto text = json.get<std::string>();
  return bytes_of_characters(text).value_or(text);
}

// Returns the end of the successive pages from `begin` on that belong to the same read.
size_t end_of_read(const std::vector<SeenPage>& pages, size_t begin) {
  size_t end = begin + 1;
  while (end < pages.size() && !pages[end].begins_read &&
         pages[end].page == pages[end - 1].page + 1 && pages[end].runs == pages[begin].runs)
    ++end;
  return end;
}

// Follows the reads from `begin` on, as long as they leave no gap and are as long as the first. The
// last one may be shorter. Returns the index after its last page.
size_t end_of_reads(const std::vector<SeenPage>& pages, size_t begin) {
  size_t end = end_of_read(pages, begin);
  const size_t in_read = end - begin;
  while (end < pages.size() && pages[end].begins_read &&
         pages[end].page == pages[end - 1].page + 1 && pages[end].runs == pages[begin].runs) {
    const size_t next = end_of_read(pages, end);
    if (next - end > in_read) break;
    const bool is_shorter = next - end < in_read;
    end = next;
    if (is_shorter) break;
  }
  return end;
}

Json to_json(const std::vector<SeenPage>& pages) {
  Json stretches = Json::array();
  for (size_t i = 0; i < pages.size();) {
    const size_t in_read = end_of_read(pages, i) - i;
    const size_t end = pages[i].begins_read ? end_of_reads(pages, i) : i + in_read;
    stretches.push_back({pages[i].page, end - i, pages[i].runs});
    if (pages[i].begins_read) stretches.back().push_back(in_read);
    i = end;
  }
  return stretches;
}

// Reads stretches, and takes their pages off `left_pages`, because a few bytes of the file can
// stand for any number of pages.
std::vector<SeenPage> pages_of(const Json& stretches, uint64_t& left_pages) {
  std::vector<SeenPage> pages;
  for (const Json& stretch : stretches) {
    const auto first = whole_number<uint64_t>(stretch.at(0), "page");
    const auto count = whole_number<uint64_t>(stretch.at(1), "count");
    const auto runs = whole_number<uint32_t>(stretch.at(2), "runs");
    if (count > left_pages || count > UINT64_MAX - first || runs > kMostTellableRuns)
      throw Json::other_error::create(500, "more pages than are ever learned", nullptr);
    const auto in_read = stretch.size() > 3 ? whole_number<uint64_t>(stretch.at(3), "read") : 0;
    left_pages -= count;
    for (uint64_t i = 0; i < count; ++i)
      pages.push_back({first + i, runs, in_read != 0 && i % in_read == 0});
  }
  return pages;
}

std::vector<SeenPage> as_seen(const std::vector<PageKey>& pages) {
  std::vector<SeenPage> seen;
  for (const PageKey page : pages) seen.push_back({page, 1, false});
  return seen;
}

Json to_json(const ChangeStamp& stamp) {
  return {stamp.size_bytes, stamp.written_ns, stamp.changed_ns, stamp.inode};
}

ChangeStamp stamp_from(const Json& json) {
  return {json.at(0).get<uint64_t>(), json.at(1).get<int64_t>(), json.at(2).get<int64_t>(),
          json.at(3).get<uint64_t>()};
}

Json to_json(const FileExtents& places) {
  Json extents = Json::array();
  for (const Extent& extent : places.extents)
    extents.push_back({extent.offset_bytes, extent.place_bytes, extent.length_bytes});
  return {{"size", places.size_bytes}, {"device", places.device}, {"extents", extents}};
}

FileExtents places_from(const Json& json) {
  FileExtents places;
  places.size_bytes = whole_number<uint64_t>(json.at("size"), "size");
  places.device = whole_number<uint64_t>(json.at("device"), "device");
  for (const Json& extent : json.at("extents"))
    places.extents.push_back(
        {extent.at(0).get<uint64_t>(), extent.at(1).get<uint64_t>(), extent.at(2).get<uint64_t>()});
  return places;
}

Json to_json(const std::vector<NextScenario>& next) {
  Json json = Json::array();
  for (const NextScenario& each : next) json.push_back({each.scenario, each.times});
  return json;
}

Json to_json(const std::vector<LearnedName>& names) {
  Json json = Json::array();
  for (const LearnedName& name : names) {
    json.push_back(characters_of_bytes(name.path));
    if (name.path.ends_with('/')) json.push_back(name.place_bytes);
  }
  return json;
}

// A list of names is followed by its place.
std::vector<LearnedName> names_of(const Json& json) {
  std::vector<LearnedName> names;
  for (const Json& each : json) {
    if (each.is_string())
      names.push_back({name_from(each), 0});
    else if (!names.empty())
      names.back().place_bytes = whole_number<uint64_t>(each, "place");
  }
  return names;
}

// Files from before 2026-11-26 lack the waiting times and the following scenarios, and those from
// before 2026-11-28 lack the names. Some of 2026-11-29 lack the number of the last run's pages.
LearnedScenario scenario_from(const Json& json, uint64_t& left_pages, uint64_t& left_names) {
  LearnedScenario scenario = {.name = name_from(json.at("name")),
                              .runs = whole_number<uint32_t>(json.at("runs"), "runs"),
                              .is_start = json.at("start").get<bool>(),
                              .pages = pages_of(json.at("pages"), left_pages)};
  if (json.contains("waited_s")) {
    scenario.first_waited_s = json["waited_s"].at(0).get<double>();
    scenario.last_waited_s = json["waited_s"].at(1).get<double>();
  }
  if (json.contains("next"))
    for (const Json& next : json["next"])
      scenario.next.push_back({whole_number<uint32_t>(next.at(0), "scenario"),
                               whole_number<uint32_t>(next.at(1), "times")});
  if (json.contains("names")) scenario.names = pages_of(json["names"], left_names);
  if (json.contains("last_pages"))
    scenario.last_pages = whole_number<uint64_t>(json["last_pages"], "last_pages");
  return scenario;
}

Json to_json(const Shadow& shadow) {
  Json json = {{"file", shadow.file}, {"stamps", Json::array()}, {"sections", Json::array()}};
  for (const ChangeStamp& stamp : shadow.stamps) json["stamps"].push_back(to_json(stamp));
  for (const ShadowSection& section : shadow.sections)
    json["sections"].push_back({{"scenario", section.scenario},
                                {"offset", section.offset_bytes},
                                {"pages", to_json(as_seen(section.pages))},
                                {"hashes", section.hashes}});
  return json;
}

Shadow shadow_from(const Json& json) {
  Shadow shadow;
  uint64_t left_pages = kMostLearnedPages;
  shadow.file = json.at("file").get<std::string>();
  for (const Json& stamp : json.at("stamps")) shadow.stamps.push_back(stamp_from(stamp));
  for (const Json& each : json.at("sections")) {
    ShadowSection section;
    section.scenario = whole_number<uint32_t>(each.at("scenario"), "scenario");
    section.offset_bytes = whole_number<uint64_t>(each.at("offset"), "offset");
    for (const SeenPage& seen : pages_of(each.at("pages"), left_pages))
      section.pages.push_back(seen.page);
    section.hashes = each.at("hashes").get<std::vector<uint64_t>>();
    shadow.sections.push_back(std::move(section));
  }
  return shadow;
}

// Returns false if a number stands for no file or scenario.
bool is_sound(const Learned& learned) {
  const auto is_known = [&](PageKey page) { return file_of_page(page) < learned.files.size(); };
  if (learned.scenarios.size() > kMostScenarios) return false;
  if (learned.commands.size() > kMostLearnedCommands) return false;
  for (const LearnedScenario& scenario : learned.scenarios) {
    if (scenario.runs > kMostTellableRuns) return false;
    for (const SeenPage& seen : scenario.pages)
      if (!is_known(seen.page)) return false;
    for (const SeenName& seen : scenario.names)
      if (seen.page >= learned.names.size()) return false;
    for (const NextScenario& next : scenario.next)
      if (next.scenario >= learned.scenarios.size()) return false;
  }
  for (const ShadowSection& section : learned.shadow.sections) {
    const size_t chunks =
        (section.pages.size() * kSeenPageBytes + kShadowChunkBytes - 1) / kShadowChunkBytes;
    if (section.hashes.size() != chunks) return false;
    if (section.scenario != kCore && section.scenario >= learned.scenarios.size()) return false;
    for (const PageKey page : section.pages)
      if (!is_known(page) || file_of_page(page) >= learned.shadow.stamps.size()) return false;
  }
  for (const LearnedName& name : learned.names)
    if (name.path.size() > kLongestPathBytes) return false;
  return learned.places.size() <= learned.files.size() &&
         learned.numbers.size() <= learned.files.size() &&
         learned.shadow.stamps.size() <= learned.files.size() &&
         learned.shadow.file.find('/') == std::string::npos;
}

}  // namespace

std::string to_text(const Learned& learned) {
  Json json = {{"seekless", "learned"},           {"version", kLearnedVersion},
               {"files", Json::array()},          {"places", Json::array()},
               {"names", to_json(learned.names)}, {"scenarios", Json::array()}};
  for (const std::string& file : learned.files) json["files"].push_back(characters_of_bytes(file));
  for (const FileExtents& places : learned.places) json["places"].push_back(to_json(places));
  if (!learned.numbers.empty()) json["numbers"] = learned.numbers;
  if (!learned.commands.empty()) json["commands"] = learned.commands;
  for (const LearnedScenario& scenario : learned.scenarios)
    json["scenarios"].push_back({{"name", characters_of_bytes(scenario.name)},
                                 {"runs", scenario.runs},
                                 {"start", scenario.is_start},
                                 {"waited_s", {scenario.first_waited_s, scenario.last_waited_s}},
                                 {"next", to_json(scenario.next)},
                                 {"names", to_json(scenario.names)},
                                 {"pages", to_json(scenario.pages)},
                                 {"last_pages", scenario.last_pages}});
  json["shadow"] = to_json(learned.shadow);
  return json.dump();
}

Result<Learned> parse_learned(std::string_view text, const std::string& file) {
  Learned learned;
  try {
    const auto json = parse_json<Json>(text);
    if (json.at("seekless") != "learned" || json.at("version") != kLearnedVersion)
      return damaged({.file = file,
                      .expected = "what play has learned, of version 1",
                      .found = "something else",
                      .advice = "'--forget' begins anew"});
    for (const Json& name : json.at("files")) learned.files.push_back(name_from(name));
    for (const Json& places : json.at("places")) learned.places.push_back(places_from(places));
    if (json.contains("numbers"))
      for (const Json& number : json.at("numbers"))
        learned.numbers.push_back(whole_number<uint64_t>(number, "number"));
    // Files from before 2026-11-30 hold more bits of each hash.
    if (json.contains("commands"))
      for (const Json& command : json.at("commands"))
        learned.commands.push_back(
            static_cast<uint16_t>(whole_number<uint64_t>(command, "command")));
    uint64_t left_pages = kMostLearnedPages;
    if (json.contains("names")) learned.names = names_of(json["names"]);
    uint64_t left_names = kMostLearnedNames;
    for (const Json& each : json.at("scenarios"))
      learned.scenarios.push_back(scenario_from(each, left_pages, left_names));
    learned.shadow = shadow_from(json.at("shadow"));
  } catch (const Json::exception& error) {
    return damaged(
        {.file = file, .found = short_message(error), .advice = "'--forget' begins anew"});
  }
  if (!is_sound(learned))
    return damaged({.file = file,
                    .expected = "files and scenarios that it names",
                    .found = "numbers beyond them",
                    .advice = "'--forget' begins anew"});
  return learned;
}

}  // namespace seekless
