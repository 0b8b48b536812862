#include "packer/command/internal/foreseen_load.h"

#include <algorithm>
#include <set>
#include <utility>

#include "packer/base/paths.h"
#include "packer/drive/drive.h"
#include "packer/foresee/fetch_plan.h"
#include "packer/foresee/swept_pages.h"

namespace seekless {
namespace {

// Returns the files that the reads need in the order `found`, which has each of them.
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

// `play` fetches all lists of names by their place on the disk first, and then the inodes by their
// numbers. FileFinder reads a file's list and its inode, unless they were read before.
FoundAndRead names_first(std::vector<uint32_t> found, const LyingFiles& lying,
                         std::vector<SweepRead> reads) {
  const auto place_of_list = [&](uint32_t file) {
    const auto list = lying.folders.find(folder_above(lying.files[file].path));
    return list == lying.folders.end() || list->second.extents.empty()
               ? 0
               : list->second.extents[0].place_bytes;
  };
  std::ranges::stable_sort(found, {}, [&](uint32_t file) { return lying.files[file].ext4_inode; });
  FoundAndRead ordered = in_order_of(found, lying, std::move(reads));
  std::ranges::stable_sort(found, {}, place_of_list);
  std::vector<FileExtents> lists;
  for (const uint32_t file : found) {
    lists.push_back(lying.files[file]);
    lists.back().ext4_inode = 0;
  }
  for (SweepRead& read : ordered.reads) read.file += static_cast<uint32_t>(lists.size());
  ordered.files.insert(ordered.files.begin(), lists.begin(), lists.end());
  return ordered;
}

std::vector<PageKey> pages_read(const ContentRun& run) {
  std::vector<PageKey> pages;
  PageKeys known;
  for (const Event& event : run.events) {
    if (event.kind == EventKind::open || event.length_bytes == 0) continue;
    const uint64_t end = event.offset_bytes + event.length_bytes;
    for (uint64_t page = event.offset_bytes / kSeenPageBytes; page * kSeenPageBytes < end; ++page)
      if (known.insert(page_key(event.path, page)).second)
        pages.push_back(page_key(event.path, page));
  }
  return pages;
}

// Learns the runs of one scenario as `play` does.
Learned learned_from(const LyingRuns& of, const ScenarioFiles& scenario) {
  Learned learned;
  learned.files.resize(of.files);
  learned.places = of.lying.files;
  for (const uint32_t run : scenario.runs)
    learn(learned, {.is_start = true, .pages = pages_read(of.runs.run(run))});
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
  const FetchPlan plan =
      plan_originals(learned, swept_own(*most, {}, SweptFrom::kOriginals), gap_bytes);
  std::vector<SweepRead> reads;
  for (const FetchChunk& chunk : plan.chunks)
    reads.push_back({chunk.file, chunk.offset_bytes, chunk.length_bytes, 0});
  load.by_play = names_first(found, of.lying, std::move(reads));
  load.copied_bytes = swept_own(*most, {}, SweptFrom::kCopies).size() * kSeenPageBytes;
  return load;
}

}  // namespace seekless
