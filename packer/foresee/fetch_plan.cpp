#include "packer/foresee/fetch_plan.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "packer/base/each_once.h"
#include "packer/drive/sweep.h"
#include "packer/foresee/swept_pages.h"

namespace seekless {
namespace {

// Long enough for the disk to stream, and short enough for other reads to come between.
constexpr uint64_t kChunkBytes = uint64_t{1} << 20;

void add_chunks(FetchPlan& plan, const SweepRead& read) {
  const uint64_t end = read.offset_bytes + read.length_bytes;
  for (uint64_t at = read.offset_bytes; at < end;) {
    const uint64_t length = std::min(kChunkBytes, end - at);
    const auto number = static_cast<uint32_t>(plan.chunks.size());
    plan.chunks.push_back({read.file, at, length, 0});
    for (uint64_t page = at / kSeenPageBytes; page * kSeenPageBytes < at + length; ++page)
      plan.pages.try_emplace(page_key(read.file, page), FetchPlan::At{number, 0});
    at += length;
  }
}

std::vector<uint32_t> files_of(const FetchPlan& plan) {
  std::vector<uint32_t> files;
  for (const auto& [page, at] : plan.pages) files.push_back(file_of_page(page));
  keep_each_once(files);
  return files;
}

FetchPlan plan_pages(const Learned& learned, uint32_t scenario, bool use_shadow, uint64_t gap_bytes,
                     uint64_t least_unplaced_bytes) {
  if (use_shadow)
    for (const ShadowSection& section : learned.shadow.sections)
      if (section.scenario == scenario) return plan_shadow(section);
  std::vector<PageKey> pages = swept_core(learned, SweptFrom::kOriginals);
  if (scenario != kCore)
    pages = swept_own(learned.scenarios[scenario], pages, SweptFrom::kOriginals);
  return plan_originals(learned, std::move(pages), gap_bytes, least_unplaced_bytes);
}

// Removes the reads of a file if they have less than `least_bytes` in all. `among` is the end of
// `reads`.
template <typename Reads>
void leave_out_small(std::vector<SweepRead>& reads, Reads among, uint64_t least_bytes) {
  std::map<uint32_t, uint64_t> bytes_of;
  for (const SweepRead& read : among) bytes_of[read.file] += read.length_bytes;
  const auto small = std::ranges::remove_if(
      among, [&](const SweepRead& read) { return bytes_of.at(read.file) < least_bytes; });
  reads.erase(small.begin(), reads.end());
}

}  // namespace

std::vector<WantedRange> ranges_of_pages(std::vector<PageKey> pages) {
  keep_each_once(pages);
  std::vector<WantedRange> ranges;
  for (const PageKey page : pages) {
    const uint64_t at = number_of_page(page) * kSeenPageBytes;
    const uint32_t file = file_of_page(page);
    if (!ranges.empty() && ranges.back().file == file &&
        ranges.back().offset_bytes + ranges.back().length_bytes == at)
      ranges.back().length_bytes += kSeenPageBytes;
    else
      ranges.push_back({file, at, kSeenPageBytes});
  }
  return ranges;
}

FetchPlan plan_originals(const Learned& learned, std::vector<PageKey> pages, uint64_t gap_bytes,
                         uint64_t least_unplaced_bytes) {
  FetchPlan plan;
  std::vector<FileExtents> files = learned.places;
  files.resize(learned.files.size());
  // Files whose places aren't known are read last, in the order of their inode numbers.
  for (FileExtents& file : files)
    if (file.size_bytes == 0) file.size_bytes = UINT64_MAX / 2;
  std::vector<SweepRead> reads = plan_sweep(files, ranges_of_pages(std::move(pages)), gap_bytes);
  const auto unplaced = std::ranges::stable_partition(reads, [&](const SweepRead& read) {
    return !files[read.file].extents.empty() || files[read.file].inline_bytes > 0;
  });
  std::ranges::stable_sort(unplaced, {}, [&](const SweepRead& read) {
    const uint64_t number = read.file < learned.numbers.size() ? learned.numbers[read.file] : 0;
    return std::tuple(number, std::string_view(learned.files[read.file]));
  });
  leave_out_small(reads, unplaced, least_unplaced_bytes);
  for (const SweepRead& read : reads) add_chunks(plan, read);
  plan.files = files_of(plan);
  return plan;
}

FetchPlan plan_shadow(const ShadowSection& section) {
  FetchPlan plan;
  plan.is_shadow = true;
  const uint64_t size = section.pages.size() * kSeenPageBytes;
  for (uint64_t at = 0; at < size; at += kShadowChunkBytes)
    plan.chunks.push_back({kShadowFile, section.offset_bytes + at,
                           std::min(kShadowChunkBytes, size - at),
                           section.hashes[at / kShadowChunkBytes]});
  for (size_t i = 0; i < section.pages.size(); ++i) {
    const uint64_t at = i * kSeenPageBytes;
    plan.pages[section.pages[i]] = {static_cast<uint32_t>(at / kShadowChunkBytes),
                                    section.offset_bytes + at};
  }
  plan.files = files_of(plan);
  return plan;
}

FetchPlan plan_for(const Learned& learned, uint32_t scenario, bool use_shadow, uint64_t gap_bytes,
                   uint64_t least_unplaced_bytes) {
  FetchPlan plan = plan_pages(learned, scenario, use_shadow, gap_bytes, least_unplaced_bytes);
  plan.names = likely_names(learned, scenario);
  return plan;
}

}  // namespace seekless
