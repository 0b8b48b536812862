#include "packer/serve/in_memory.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "packer/foresee/fetch_plan.h"
#include "packer/host/calls.h"
#include "packer/host/descriptor.h"
#include "packer/host/folder_walk.h"
#include "packer/warm/system_cache.h"

namespace seekless {
namespace {

// A hundredth is what other programs drive out of memory while nobody plays.
constexpr uint64_t kMostMissingOf = 100;
// Some 20 us each.
constexpr size_t kMostFiles = 50'000;

using Ranges = std::vector<WantedRange>;

uint64_t bytes_of(const Ranges& ranges) {
  uint64_t bytes = 0;
  for (const WantedRange& range : ranges) bytes += range.length_bytes;
  return bytes;
}

// What the scenarios are likely to read, by file, the most of one file first: opening a file that
// isn't in memory costs a seek or two, so that few are to tell.
std::vector<Ranges> likely_ranges(const Learned& learned) {
  std::vector<PageKey> pages;
  for (const LearnedScenario& scenario : learned.scenarios) {
    const std::vector<PageKey> likely = likely_pages(scenario, {});
    pages.insert(pages.end(), likely.begin(), likely.end());
  }
  std::vector<Ranges> files;
  for (const WantedRange& range : ranges_of_pages(std::move(pages))) {
    if (files.empty() || files.back().front().file != range.file) files.emplace_back();
    files.back().push_back(range);
  }
  std::ranges::stable_sort(files, std::greater(), bytes_of);
  return files;
}

uint64_t missing_bytes(const std::string& path, const Ranges& ranges) {
  const Descriptor file(calls::open_to_read(path, false));
  uint64_t missing = 0;
  for (const WantedRange& range : ranges) {
    const uint64_t cached =
        file.get() >= 0 && tells_cached(file.get())
            ? cached_bytes(file.get(), range.offset_bytes, range.length_bytes).value_or(0)
            : 0;
    missing += range.length_bytes - cached;
  }
  return missing;
}

bool is_likely_in_memory(const std::string& folder, const Learned& learned) {
  const std::vector<Ranges> files = likely_ranges(learned);
  uint64_t wanted = 0;
  for (const Ranges& ranges : files) wanted += bytes_of(ranges);
  uint64_t missing = 0;
  for (const Ranges& ranges : files) {
    missing += missing_bytes(folder + "/" + learned.files[ranges.front().file], ranges);
    if (missing * kMostMissingOf > wanted) return false;
  }
  return wanted > 0;
}

// Ends with the first file that isn't in memory.
bool is_all_in_memory(const std::string& folder) {
  size_t files = 0;
  const auto look_at = [&](const FoundFile& found) -> Result<void> {
    if (found.leads_nowhere || found.size_bytes == 0) return {};
    const Descriptor file(calls::open_to_read(folder + "/" + found.relative_path, false));
    if (++files > kMostFiles || file.get() < 0 || !is_cached(file.get(), 0, found.size_bytes))
      return failed({.file = found.relative_path, .found = "a file that isn't in memory"});
    return {};
  };
  const auto pass_over = [](const std::string&, const std::string&) -> Result<void> { return {}; };
  return visit_tree(folder, {.visit = look_at, .leads_back = pass_over}) && files > 0;
}

}  // namespace

bool is_in_memory(const std::string& folder, const Learned& learned) {
  return learned.scenarios.empty() ? is_all_in_memory(folder)
                                   : is_likely_in_memory(folder, learned);
}

}  // namespace seekless
