#include "packer/foresee/last_reads.h"

#include <algorithm>
#include <span>

namespace seekless {
namespace {

// Files from before the number was kept don't tell which pages only earlier runs have read.
std::span<const SeenPage> pages_of_last_run(const LearnedScenario& scenario) {
  const std::span<const SeenPage> pages = scenario.pages;
  if (scenario.last_pages == 0) return pages;
  return pages.first(std::min<size_t>(scenario.last_pages, pages.size()));
}

bool follows(PageKey page, const LearnedRead& read) {
  return file_of_page(page) == file_of_page(read.first) && page == read.first + read.pages;
}

}  // namespace

std::vector<LearnedRead> last_reads(const LearnedScenario& scenario) {
  const bool are_known = std::ranges::any_of(scenario.pages, &SeenPage::begins_read);
  std::vector<LearnedRead> reads;
  for (const SeenPage& seen : are_known ? pages_of_last_run(scenario) : scenario.pages) {
    if (!are_known && !is_likely(seen, scenario)) continue;
    if (!seen.begins_read && !reads.empty() && follows(seen.page, reads.back()))
      ++reads.back().pages;
    else if (!are_known || seen.begins_read)
      reads.push_back({seen.page, 1});
  }
  return reads;
}

}  // namespace seekless
