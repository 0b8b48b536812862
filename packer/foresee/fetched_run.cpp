#include "packer/foresee/fetched_run.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace seekless {
namespace {

// Reads that nobody foresaw may be at most half of what was fetched for the run.
constexpr size_t kMostUnforeseenPart = 2;

struct Fetched {
  std::vector<PageKey> pages;  // in the scenarios' order
  PageKeys known;              // the same pages
  PageKeys read_begins;
  std::vector<uint64_t> names;
};

void add_pages(const LearnedScenario& scenario, const PageKeys* only, const PageKeys& without,
               Fetched& fetched) {
  for (const SeenPage& seen : scenario.pages) {
    const bool is_wanted = only != nullptr
                               ? only->contains(seen.page)
                               : is_likely(seen, scenario) && !without.contains(seen.page);
    if (!is_wanted || !fetched.known.insert(seen.page).second) continue;
    fetched.pages.push_back(seen.page);
    if (seen.begins_read) fetched.read_begins.insert(seen.page);
  }
}

Fetched fetched_for(const Learned& learned, std::span<const uint32_t> scenarios) {
  const PageKeys core = core_of(learned);
  Fetched fetched;
  for (const uint32_t scenario : scenarios) {
    for (uint32_t i = 0; i < learned.scenarios.size(); ++i) {
      if (scenario == kCore) add_pages(learned.scenarios[i], &core, {}, fetched);
      if (scenario == i) add_pages(learned.scenarios[i], nullptr, core, fetched);
    }
    for (const uint32_t name : likely_names(learned, scenario)) fetched.names.push_back(name);
  }
  return fetched;
}

}  // namespace

void add_fetched(const Learned& learned, std::span<const uint32_t> scenarios, LearnedRun& run) {
  const Fetched fetched = fetched_for(learned, scenarios);
  const auto unforeseen = static_cast<size_t>(std::ranges::count_if(
      run.pages, [&](PageKey page) { return !fetched.known.contains(page); }));
  if (unforeseen * kMostUnforeseenPart > fetched.pages.size()) return;
  PageKeys read(run.pages.begin(), run.pages.end());
  for (const PageKey page : fetched.pages) {
    if (!read.insert(page).second) continue;
    // The last run may not have read the page with which this read begins.
    if (run.pages.empty() || run.pages.back() + 1 != page) run.read_begins.insert(page);
    run.pages.push_back(page);
  }
  run.read_begins.insert(fetched.read_begins.begin(), fetched.read_begins.end());
  std::unordered_set<uint64_t> looked_up(run.names.begin(), run.names.end());
  for (const uint64_t name : fetched.names)
    if (looked_up.insert(name).second) run.names.push_back(name);
}

}  // namespace seekless
