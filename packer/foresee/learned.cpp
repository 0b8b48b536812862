#include "packer/foresee/learned.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "packer/base/hasher.h"
#include "packer/foresee/bounded.h"

namespace seekless {
namespace {

// Runs of one map differ: the next run may leave out up to a seventh of the pages that one run
// reads (bots, random choices). Maps of one game share at most half of their pages.
constexpr double kSameShare = 0.7;
// Pages that fewer than a quarter of the runs read aren't worth the disk's time.
constexpr uint32_t kRareOf = 4;
// At most this many runs count, so that a change of the game's content is learned within as many
// runs.
constexpr uint32_t kMostRuns = 8;

// On a slow machine a load may break into this many parts.
constexpr size_t kMostParts = 4;
// A scenario that came next only once may have been there by chance.
constexpr uint32_t kFewestTimes = 2;

// Returns the share of the pages of both that both have in common.
double shared_part(const std::vector<PageKey>& run, const LearnedScenario& scenario) {
  PageKeys pages;
  for (const SeenPage& seen : scenario.pages)
    if (is_likely(seen, scenario)) pages.insert(seen.page);
  const auto shared = static_cast<size_t>(
      std::ranges::count_if(run, [&](PageKey page) { return pages.contains(page); }));
  const size_t all = pages.size() + run.size() - shared;
  // Two runs that read nothing are alike.
  return all == 0 ? 1 : static_cast<double>(shared) / static_cast<double>(all);
}

// Returns what was seen in the scenario's `runs` runs, of which `run` is the last. Old runs fade
// once there are enough.
std::vector<SeenPage> seen_with(const std::vector<SeenPage>& seen_before,
                                const std::vector<PageKey>& run, const PageKeys& read_begins,
                                uint32_t runs, bool fades) {
  std::unordered_map<PageKey, uint32_t> before;
  for (const SeenPage& seen : seen_before) before[seen.page] = seen.runs;
  std::vector<SeenPage> pages;
  PageKeys read;
  for (const PageKey page : run) {
    const auto known = before.find(page);
    const uint32_t times = known == before.end() ? 0 : known->second;
    pages.push_back({page, std::min(times + 1, runs), read_begins.contains(page)});
    read.insert(page);
  }
  for (const SeenPage& seen : seen_before) {
    if (read.contains(seen.page)) continue;
    const uint32_t times = fades && seen.runs > 0 ? seen.runs - 1 : seen.runs;
    if (times * kRareOf >= runs) pages.push_back({seen.page, times, false});
  }
  return pages;
}

void add_run(LearnedScenario& scenario, const LearnedRun& run) {
  const bool fades = scenario.runs >= kMostRuns;
  if (!fades) ++scenario.runs;
  scenario.pages = seen_with(scenario.pages, run.pages, run.read_begins, scenario.runs, fades);
  scenario.last_pages = run.pages.size();
  scenario.names = seen_with(scenario.names, run.names, {}, scenario.runs, fades);
}

// Learns that `next` was loaded after `scenario`, in the same session.
void learn_order(Learned& learned, uint32_t scenario, uint32_t next) {
  std::vector<NextScenario>& known = learned.scenarios[scenario].next;
  const auto found = std::ranges::find(known, next, &NextScenario::scenario);
  if (found != known.end())
    ++found->times;
  else
    known.push_back({next, 1});
}

struct Match {
  std::optional<uint32_t> scenario;
  double shared = kSameShare;
};

Match best_match(const Learned& learned, const LearnedRun& run) {
  Match best;
  for (uint32_t i = 0; i < learned.scenarios.size(); ++i) {
    if (learned.scenarios[i].is_start != run.is_start) continue;
    const double shared = shared_part(run.pages, learned.scenarios[i]);
    if (shared >= best.shared) best = {i, shared};
  }
  return best;
}

LearnedRun joined(std::span<const LearnedRun> parts) {
  LearnedRun whole = {
      .is_start = parts.front().is_start, .pages = {}, .began_ns = parts.front().began_ns};
  for (const LearnedRun& part : parts) {
    whole.pages.insert(whole.pages.end(), part.pages.begin(), part.pages.end());
    whole.names.insert(whole.names.end(), part.names.begin(), part.names.end());
    whole.read_begins.insert(part.read_begins.begin(), part.read_begins.end());
    whole.waited_s += part.waited_s;
  }
  return whole;
}

// Returns how many of the first runs form one load: the number that is most like a known scenario,
// or one.
size_t parts_of_load(const Learned& learned, std::span<const LearnedRun> runs) {
  size_t best = 1;
  double most = 0;
  for (size_t parts = 1; parts <= std::min(runs.size(), kMostParts); ++parts) {
    const Match match = best_match(learned, joined(runs.first(parts)));
    if (!match.scenario || match.shared <= most) continue;
    most = match.shared;
    best = parts;
  }
  return best;
}

bool is_taken(const Learned& learned, const std::string& name) {
  return std::ranges::find(learned.scenarios, name, &LearnedScenario::name) !=
         learned.scenarios.end();
}

// The names of some folders and files say what is being loaded; others rarely do.
constexpr std::array<std::string_view, 10> kTellingParts = {
    "map", "level", "track", "world", "scenario", "campaign", "mission", "stage", "arena", "save"};
constexpr std::array<std::string_view, 10> kSilentEndings = {
    ".png", ".jpg", ".jpeg", ".svg", ".ttf", ".otf", ".ico", ".lua", ".txt", ".xml"};
constexpr uint64_t kTellingFactor = 16;

// Returns how well a file names a load that reads this many pages of it, which no other load reads.
uint64_t weight_of_name(std::string_view file, uint64_t own_pages) {
  std::string lower(file);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  });
  const bool tells = std::ranges::any_of(
      kTellingParts, [&](std::string_view part) { return lower.contains(part); });
  const bool is_silent = std::ranges::any_of(
      kSilentEndings, [&](std::string_view end) { return lower.ends_with(end); });
  return own_pages * (tells ? kTellingFactor : 1) * (is_silent ? 1 : kTellingFactor);
}

// Returns the file that says best what the run loads: it has most of the pages that no other
// scenario reads. Empty if there is none.
std::string telling_file(const Learned& learned, const LearnedRun& run) {
  PageKeys known;
  for (const LearnedScenario& scenario : learned.scenarios)
    for (const SeenPage& seen : scenario.pages) known.insert(seen.page);
  std::vector<uint32_t> files;  // in the order of their first reads
  std::unordered_map<uint32_t, uint64_t> own_pages;
  for (const PageKey page : run.pages) {
    const uint32_t file = file_of_page(page);
    if (!known.contains(page) && ++own_pages[file] == 1) files.push_back(file);
  }
  const auto best = std::ranges::max_element(files, {}, [&](uint32_t file) {
    return weight_of_name(learned.files[file], own_pages[file]);
  });
  return best == files.end() ? "" : learned.files[*best];
}

// Names the scenario: "start" for the first start that is known, other starts and loads after the
// file that tells best what they load. Maps in one archive are numbered.
std::string name_for(const Learned& learned, const LearnedRun& run) {
  const std::string file = telling_file(learned, run);
  std::string name = run.is_start ? "start" : file.empty() ? "load" : file;
  if (run.is_start && is_taken(learned, name) && !file.empty()) name = "start: " + file;
  std::string numbered = name;
  for (int number = 2; is_taken(learned, numbered); ++number)
    numbered = fmt::format("{} ({})", name, number);
  return numbered;
}

// Returns what most runs of each kind of start have seen.
PageKeys shared_by_starts(const Learned& learned, std::vector<SeenPage> LearnedScenario::*seen_in) {
  std::unordered_map<PageKey, size_t> in;
  size_t starts = 0;
  for (const LearnedScenario& scenario : learned.scenarios) {
    if (!scenario.is_start) continue;
    ++starts;
    for (const SeenPage& seen : scenario.*seen_in)
      if (is_likely(seen, scenario)) ++in[seen.page];
  }
  PageKeys shared;
  for (const auto& [key, scenarios] : in)
    if (scenarios == starts) shared.insert(key);
  return shared;
}

uint16_t hash_of_command(std::span<const std::string> words) {
  Hasher64 hasher;
  for (const std::string& word : words) add_sized_text(hasher, word);
  return static_cast<uint16_t>(hasher.digest());
}

}  // namespace

bool knows_command(const Learned& learned, std::span<const std::string> words) {
  return std::ranges::find(learned.commands, hash_of_command(words)) != learned.commands.end();
}

void note_command(Learned& learned, std::span<const std::string> words) {
  const uint16_t command = hash_of_command(words);
  std::erase(learned.commands, command);
  learned.commands.push_back(command);
  if (learned.commands.size() > kMostLearnedCommands)
    learned.commands.erase(learned.commands.begin());
}

std::optional<uint32_t> same_scenario(const Learned& learned, const LearnedRun& run) {
  return best_match(learned, run).scenario;
}

uint32_t learn(Learned& learned, const LearnedRun& run) {
  const auto same = same_scenario(learned, run);
  const auto number = same.value_or(static_cast<uint32_t>(learned.scenarios.size()));
  if (!same)
    learned.scenarios.push_back({.name = name_for(learned, run),
                                 .is_start = run.is_start,
                                 .pages = {},
                                 .first_waited_s = run.waited_s});
  LearnedScenario& scenario = learned.scenarios[number];
  scenario.last_waited_s = run.waited_s;
  add_run(scenario, run);
  return number;
}

std::vector<LearnedLoad> learn_session(Learned& learned, std::span<const LearnedRun> runs) {
  std::vector<LearnedLoad> loads;
  while (!runs.empty()) {
    const size_t parts = parts_of_load(learned, runs);
    const uint32_t scenario = learn(learned, joined(runs.first(parts)));
    if (!loads.empty()) learn_order(learned, loads.back().scenario, scenario);
    loads.push_back({scenario, runs.front().began_ns});
    runs = runs.subspan(parts);
  }
  return loads;
}

std::optional<uint32_t> usual_next(const Learned& learned, uint32_t scenario) {
  const std::vector<NextScenario>& known = learned.scenarios[scenario].next;
  uint32_t all = 0;
  for (const NextScenario& next : known) all += next.times;
  for (const NextScenario& next : known)
    if (next.times >= kFewestTimes && next.times * 2 > all) return next.scenario;
  return std::nullopt;
}

PageKeys core_of(const Learned& learned) {
  return shared_by_starts(learned, &LearnedScenario::pages);
}

std::vector<uint32_t> likely_names(const Learned& learned, uint32_t scenario) {
  const PageKeys core = shared_by_starts(learned, &LearnedScenario::names);
  if (scenario == kCore) return {core.begin(), core.end()};
  std::vector<uint32_t> names;
  for (const SeenName& seen : learned.scenarios[scenario].names)
    if (is_likely(seen, learned.scenarios[scenario]) && !core.contains(seen.page))
      names.push_back(static_cast<uint32_t>(seen.page));
  return names;
}

std::vector<PageKey> likely_pages(const LearnedScenario& scenario, const PageKeys& without) {
  std::vector<PageKey> pages;
  for (const SeenPage& seen : scenario.pages)
    if (is_likely(seen, scenario) && !without.contains(seen.page)) pages.push_back(seen.page);
  return pages;
}

}  // namespace seekless
