#include "packer/trace/likely_runs.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace seekless {
namespace {

// Two loads of one map share nearly all their reads; two different maps share the reads common to
// all maps. In integration/traces, runs share 82 % or more, and two maps 30 to 83 %. These ranges
// overlap, so the user is asked.
constexpr double kLeastShare = 0.75;
constexpr uint64_t kLookedAtBytes = 65536;

uint64_t mixed(uint64_t a, uint64_t b) {
  uint64_t mix = (a ^ (b + 0x9e3779b97f4a7c15)) * 0xbf58476d1ce4e5b9;
  return mix ^ (mix >> 29);
}

// Returns how many of the pieces in either set lie in both.
double share(const std::unordered_set<uint64_t>& a, const std::unordered_set<uint64_t>& b) {
  if (a.size() > b.size()) return share(b, a);
  const auto both = static_cast<double>(
      std::ranges::count_if(a, [&](uint64_t piece) { return b.contains(piece); }));
  const double either = static_cast<double>(a.size() + b.size()) - both;
  return either > 0 ? both / either : 0;
}

// Makes a glob for a scenario's runs: "boot-2" of "boot" gives "boot-[0-9]*"; "boot_run2" gives
// "boot_run[0-9]*".
std::string glob_of(std::string_view scenario) {
  const size_t end = scenario.find_last_not_of("0123456789") + 1;
  return std::string(scenario.substr(0, end)) + "[0-9]*";
}

std::string quoted(const std::vector<std::string>& names) {
  constexpr size_t kMost = 4;
  std::string text;
  const size_t told = names.size() > kMost ? kMost - 1 : names.size();
  for (size_t i = 0; i < told; ++i)
    text += fmt::format("{}'{}'",
                        i == 0                                  ? ""
                        : i + 1 == told && told == names.size() ? " and "
                                                                : ", ",
                        names[i]);
  if (told < names.size()) text += fmt::format(" and {} more", names.size() - told);
  return text;
}

}  // namespace

LikelyRuns::LikelyRuns(const std::vector<std::string>& traces, std::vector<RunRule> rules,
                       std::function<bool(std::string_view)> counts)
    : rules_(std::move(rules)), counts_(std::move(counts)) {
  for (const std::string& trace : traces)
    if (auto likely = likely_scenario(scenario_of_file(trace)))
      asked_about_.insert(*std::move(likely));
}

void LikelyRuns::start_trace(const std::string& path) {
  cutter_.start_trace(0, scenario_of_file(path));
  is_told_ = rule_for(rules_, path) != nullptr;
  into_ = nullptr;
  paths_.clear();
  last_piece_ = 0;
}

Result<void> LikelyRuns::begin(const TraceHeader& header) {
  cutter_.begin(header);
  const std::string& scenario = cutter_.scenario();
  if (!is_told_ && (likely_scenario(scenario) || asked_about_.contains(scenario)))
    into_ = &reads_[scenario];
  return {};
}

Result<void> LikelyRuns::add_path(std::string_view path) {
  if (into_ == nullptr) return {};
  paths_.push_back(counts_(path) ? std::hash<std::string_view>()(path) | 1 : 0);
  return {};
}

Result<void> LikelyRuns::add_event(const Event& event) {
  if (into_ == nullptr || event.kind == EventKind::open || event.length_bytes == 0) return {};
  if (cutter_.scenario() != cutter_.trace_scenario()) return {};
  const uint64_t path = paths_[event.path];
  if (path == 0) return {};
  const bool is_whole = event.length_bytes == kWholeFile;
  const uint64_t begin = event.offset_bytes / kLookedAtBytes;
  const uint64_t end =
      is_whole ? begin : (event.offset_bytes + event.length_bytes - 1) / kLookedAtBytes;
  for (uint64_t number = begin; number <= end; ++number) {
    const uint64_t piece = mixed(path, number);
    if (piece != std::exchange(last_piece_, piece)) into_->insert(piece);
  }
  return {};
}

Result<void> LikelyRuns::add_mark(const Mark& mark) {
  cutter_.cut(mark);
  return {};
}

std::vector<LikelyRunsOfOne> LikelyRuns::find() const {
  std::map<std::string, std::vector<std::string>> alike;
  for (const auto& [scenario, pieces] : reads_) {
    const auto likely = likely_scenario(scenario);
    alike[likely ? *likely : scenario].push_back(scenario);
  }
  std::vector<LikelyRunsOfOne> found;
  for (const auto& [one, scenarios] : alike) {
    LikelyRunsOfOne group = {.scenario = one, .scenarios = {}, .globs = {}, .least_share = 1};
    std::set<std::string> globs;
    for (const std::string& scenario : scenarios) {
      double most = 0;
      for (const std::string& other : scenarios)
        if (other != scenario) most = std::max(most, share(reads_.at(scenario), reads_.at(other)));
      if (most < kLeastShare) continue;
      group.scenarios.push_back(scenario);
      group.least_share = std::min(group.least_share, most);
      if (scenario != one) globs.insert(glob_of(scenario));
    }
    if (group.scenarios.size() < 2) continue;
    group.globs.assign(globs.begin(), globs.end());
    found.push_back(std::move(group));
  }
  return found;
}

std::string to_text(const LikelyRunsOfOne& found) {
  std::string as_runs;
  std::string as_they_are;
  for (const std::string& glob : found.globs) {
    as_runs += fmt::format(" --runs '{}={}'", glob, found.scenario);
    as_they_are += fmt::format(" --runs '{}='", glob);
  }
  return fmt::format(
      "{} read nearly the same ({:.0f} % or more in common): they look like runs of one scenario, "
      "but count as {} scenarios, so each order is judged by the runs that it was made from. If "
      "they are runs of '{}', say so with{}; if not, with{} (\"runs\" in a build file)",
      quoted(found.scenarios), found.least_share * 100, found.scenarios.size(), found.scenario,
      as_runs, as_they_are);
}

}  // namespace seekless
