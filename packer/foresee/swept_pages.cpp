#include "packer/foresee/swept_pages.h"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "packer/foresee/bounded.h"
#include "packer/foresee/internal/short_seek.h"

namespace seekless {
namespace {

constexpr uint64_t kShortSeekPages = kShortSeekBytes / kSeenPageBytes;
// Wider gaps are never read along.
constexpr uint64_t kWidestPages = 2 * kShortSeekPages;
// One jump reads pages that lie at most this far apart.
constexpr uint64_t kOneJumpPages = kShortSeekPages / 4;
// The cost of a jump: the seek, and the unneeded pages that are read around it.
constexpr uint64_t kJumpPages = kShortSeekPages * 3 / 2;

// A gap between two pages of a file that most runs read.
struct Gap {
  uint64_t pages = 0;
  uint64_t likely_pages = 0;  // pages of the gap that are likely, and so are swept in any case
  uint64_t jumps = 0;  // jumps of all runs to pages in the gap that fewer than most runs read
};
// A part of a file in which no gap is too wide: its gaps, each with the page before it.
using Region = std::vector<std::pair<PageKey, Gap>>;

// Returns true if more than half of the runs read the page. This is stricter than "likely": a page
// that one of two runs read is also likely, but reading it was a jump.
bool is_usual(const SeenPage& seen, uint32_t runs) {
  return seen.runs * 2 > runs;
}

std::vector<Region> regions_of(const LearnedScenario& scenario) {
  std::vector<SeenPage> pages = scenario.pages;
  std::ranges::sort(pages, {}, &SeenPage::page);
  std::vector<Region> regions(1);
  std::optional<PageKey> usual;
  Gap gap;
  PageKey last = 0;
  for (const SeenPage& seen : pages) {
    const PageKey before = std::exchange(last, seen.page);
    if (!is_usual(seen, scenario.runs)) {
      // One jump reads all pages that follow one another.
      if (before + 1 != seen.page || gap.jumps == 0) gap.jumps += seen.runs;
      if (is_likely(seen, scenario)) ++gap.likely_pages;
      continue;
    }
    if (usual) {
      gap.pages = seen.page - *usual - 1;
      if (file_of_page(*usual) != file_of_page(seen.page) || gap.pages > kWidestPages)
        regions.emplace_back();
      else if (gap.pages > 0)
        regions.back().emplace_back(*usual, gap);
    }
    usual = seen.page;
    gap = {};
  }
  return regions;
}

// Returns up to which width gaps of this region are worth reading along: the width that would have
// saved the most time in the runs so far. 0: none.
uint64_t widest_worth_reading(const Region& region, uint32_t runs) {
  uint64_t widest = 0;
  int64_t most = 0;
  for (uint64_t width = 1; width <= kWidestPages; width *= 2) {
    int64_t won = 0;
    for (const auto& [before, gap] : region)
      if (gap.pages <= width)
        won += static_cast<int64_t>(gap.jumps * kShortSeekPages) -
               static_cast<int64_t>((gap.pages - gap.likely_pages) * runs);
    if (won <= most) continue;
    most = won;
    widest = width;
  }
  return widest;
}

// Maps a likely page to the pages that are swept right behind it.
using Along = std::unordered_map<PageKey, std::vector<PageKey>>;

Along gaps_worth_reading(const LearnedScenario& scenario) {
  Along along;
  uint64_t left_pages = kMostLearnedPages;
  for (const Region& region : regions_of(scenario)) {
    const uint64_t widest = widest_worth_reading(region, scenario.runs);
    for (const auto& [before, gap] : region) {
      if (gap.pages > widest || gap.pages > left_pages) continue;
      left_pages -= gap.pages;
      for (uint64_t i = 1; i <= gap.pages; ++i) along[before].push_back(before + i);
    }
  }
  return along;
}

// Holds rare pages of a file, in its order, that one jump would read.
struct RareJump {
  PageKey behind = 0;  // the likely page before the gap
  std::vector<SeenPage> pages;
};

std::vector<RareJump> rare_jumps(const LearnedScenario& scenario, const PageKeys& without) {
  std::vector<SeenPage> pages = scenario.pages;
  std::ranges::sort(pages, {}, &SeenPage::page);
  std::vector<RareJump> jumps;
  std::optional<PageKey> likely;
  for (const SeenPage& seen : pages) {
    if (is_likely(seen, scenario)) likely = seen.page;
    if (!likely || likely == seen.page || without.contains(seen.page)) continue;
    if (jumps.empty() || seen.page - jumps.back().pages.back().page > kOneJumpPages)
      jumps.push_back({*likely, {}});
    jumps.back().pages.push_back(seen);
  }
  return jumps;
}

// Returns true if sweeping them in each run takes less time than jumping to them in the runs that
// read them.
bool is_worth_a_copy(const RareJump& jump, uint32_t runs) {
  uint64_t pages_in_vain = 0;
  uint64_t times = 0;
  for (const SeenPage& seen : jump.pages) {
    pages_in_vain += runs - seen.runs;
    times = std::max<uint64_t>(times, seen.runs);
  }
  return pages_in_vain < times * kJumpPages;
}

// Adds rare pages to a sweep of copies. There they lie on the way, so they cost their reading time,
// but no seek.
void add_rare(const LearnedScenario& scenario, Along& along) {
  PageKeys there;
  for (const auto& [before, pages] : along) there.insert(pages.begin(), pages.end());
  for (const RareJump& jump : rare_jumps(scenario, there))
    if (is_worth_a_copy(jump, scenario.runs))
      for (const SeenPage& seen : jump.pages) along[jump.behind].push_back(seen.page);
}

// Calls `take` for each page in the scenario's order: a likely page, then the pages swept right
// behind it, which have the same `likely`.
template <typename Take>
void each_swept(const LearnedScenario& scenario, SweptFrom from, Take take) {
  Along along = gaps_worth_reading(scenario);
  if (from == SweptFrom::kCopies) add_rare(scenario, along);
  const std::vector<PageKey> likely = likely_pages(scenario, {});
  const PageKeys in_likely(likely.begin(), likely.end());
  for (const PageKey page : likely) {
    take(page, page);
    const auto behind = along.find(page);
    if (behind == along.end()) continue;
    for (const PageKey other : behind->second)
      if (!in_likely.contains(other)) take(other, page);
  }
}

const LearnedScenario* most_run_start(const Learned& learned) {
  const LearnedScenario* most = nullptr;
  for (const LearnedScenario& scenario : learned.scenarios)
    if (scenario.is_start && (most == nullptr || scenario.runs > most->runs)) most = &scenario;
  return most;
}

}  // namespace

std::vector<PageKey> pages_of_read(uint32_t file, uint64_t offset_bytes, uint64_t length_bytes) {
  std::vector<PageKey> pages;
  for (uint64_t page = offset_bytes / kSeenPageBytes;
       page * kSeenPageBytes < offset_bytes + length_bytes; ++page)
    pages.push_back(page_key(file, page));
  return pages;
}

std::vector<PageKey> swept_core(const Learned& learned, SweptFrom from) {
  std::vector<PageKey> pages;
  const LearnedScenario* start = most_run_start(learned);
  if (start == nullptr) return pages;
  const PageKeys core = core_of(learned);
  each_swept(*start, from, [&](PageKey page, PageKey likely) {
    if (core.contains(likely)) pages.push_back(page);
  });
  return pages;
}

std::vector<PageKey> swept_own(const LearnedScenario& scenario, std::span<const PageKey> core,
                               SweptFrom from) {
  const PageKeys in_core(core.begin(), core.end());
  std::vector<PageKey> pages;
  each_swept(scenario, from, [&](PageKey page, PageKey) {
    if (!in_core.contains(page)) pages.push_back(page);
  });
  return pages;
}

}  // namespace seekless
