#include "packer/command/internal/foreseen_load.h"

#include <algorithm>
#include <set>
#include <utility>

#include "packer/base/paths.h"
#include "packer/drive/drive.h"
#include "packer/foresee/fetch_plan.h"
#include "packer/foresee/swept_pages.h"
#include "packer/host/files.h"
#include "packer/simulate/replay.h"

namespace seekless {
namespace {

// Returns the files that the reads need, in the order of `found`, which contains all of them.
FoundAndRead in_order_of(const std::vector<uint32_t>& found, const LyingFiles& lying,
                         std::vector<SweepRead> reads) {
  FoundAndRead ordered;
  std::vector<uint32_t> number_of(lying.files.size());
  for (const uint32_t file : found) {
    number_of[file] = static_cast<uint32_t>(ordered.files.size());
    ordered.files.push_back(lying.files[file]);
  }
  for (SweepRead& read : reads) read.file = number_of[read.file];
  ordered.reads = std::move(reads);
  return ordered;
}

// Adds those pages of the range that aren't in the set yet.
void add_pages(uint32_t file, uint64_t offset_bytes, uint64_t length_bytes, PageKeys& known,
               std::vector<PageKey>& pages) {
  for (const PageKey page : pages_of_read(file, offset_bytes, length_bytes))
    if (known.insert(page).second) pages.push_back(page);
}

std::vector<PageKey> pages_read(const ContentRun& run) {
  std::vector<PageKey> pages;
  PageKeys known;
  for (const Event& event : run.events)
    if (event.kind != EventKind::open)
      add_pages(event.path, event.offset_bytes, event.length_bytes, known, pages);
  return pages;
}

// Returns the pages that `play` would see if the run read from a served folder. In runs that `play`
// itself has recorded, the reads are already such pages.
std::vector<PageKey> pages_served(const LyingRuns& of, const ContentRun& run) {
  if (of.is_played) return pages_read(run);
  std::vector<uint64_t> file_bytes;
  for (const Source& source : of.sources) file_bytes.push_back(source.size_bytes);
  std::vector<PageKey> pages;
  PageKeys known;
  const ReadAhead read_ahead = {.max_bytes = kServedReadAheadBytes};
  for (const RequestedRange& range : requested_ranges(run.events, file_bytes, read_ahead))
    add_pages(range.file, range.offset_bytes, range.length_bytes, known, pages);
  return pages;
}

// Learns the runs of one scenario as `play` does.
Learned learned_from(const LyingRuns& of, const ScenarioFiles& scenario) {
  Learned learned;
  learned.files.resize(of.sources.size());
  learned.places = of.lying.files;
  for (const uint32_t run : scenario.runs)
    learn(learned, {.is_start = true, .pages = pages_served(of, of.runs.run(run))});
  return learned;
}

// Returns the pages that all runs read, in the order of the recordings.
std::vector<PageKey> all_pages(const LyingRuns& of, const ScenarioFiles& scenario) {
  std::vector<PageKey> pages;
  for (const uint32_t run : scenario.runs) {
    const auto read = pages_read(of.runs.run(run));
    pages.insert(pages.end(), read.begin(), read.end());
  }
  return pages;
}

// Returns the files of the pages, each once, in the order of their first pages.
std::vector<uint32_t> files_of_pages(const std::vector<PageKey>& pages) {
  std::vector<uint32_t> files;
  std::set<uint32_t> known;
  for (const PageKey page : pages)
    if (known.insert(file_of_page(page)).second) files.push_back(file_of_page(page));
  return files;
}

}  // namespace

ForeseenLoad foreseen_load(const LyingRuns& of, const ScenarioFiles& scenario) {
  const uint64_t gap_bytes = Drive(of.drive).break_even_gap_bytes(0);
  const Learned learned = learned_from(of, scenario);
  const std::vector<PageKey> pages = all_pages(of, scenario);
  const std::vector<uint32_t> found = files_of_pages(pages);
  ForeseenLoad load;
  load.by_warm =
      in_order_of(found, of.lying, plan_sweep(of.lying.files, ranges_of_pages(pages), gap_bytes));
  const auto most = std::ranges::max_element(learned.scenarios, {}, &LearnedScenario::runs);
  if (most == learned.scenarios.end()) return load;
  FetchPlan plan = plan_originals(learned, swept_own(*most, {}, SweptFrom::kOriginals), gap_bytes);
  load.by_play = {
      .folder = canonical_path(of.folder), .found = found, .chunks = std::move(plan.chunks)};
  load.copied_bytes = swept_own(*most, {}, SweptFrom::kCopies).size() * kSeenPageBytes;
  return load;
}

}  // namespace seekless
