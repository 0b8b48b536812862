#include "packer/foresee/laid_out.h"

#include <algorithm>
#include <optional>

#include "packer/foresee/fetch_plan.h"

namespace seekless {
namespace {

// If this much is laid out, less is missing than two runs of one map differ by.
constexpr uint64_t kNearlyAllPercent = 90;
// A jump within a game's files on a 7200 rpm disk: a short seek and half a turn.
constexpr double kJumpS = 0.010;
// A single run may not be typical of the next.
constexpr uint32_t kFewestRuns = 2;

PageKeys pages_laid_out(const Learned& learned, uint32_t scenario) {
  PageKeys pages;
  for (const ShadowSection& section : learned.shadow.sections) {
    if (section.scenario != scenario && section.scenario != kCore) continue;
    for (const PageKey page : section.pages)
      if (learned.shadow.stamps[file_of_page(page)].inode != 0) pages.insert(page);
  }
  return pages;
}

std::optional<uint64_t> place_of(const FileExtents& file, uint64_t offset) {
  const auto after = std::ranges::upper_bound(file.extents, offset, {}, &Extent::offset_bytes);
  if (after == file.extents.begin()) return std::nullopt;
  const Extent& extent = *std::prev(after);
  const uint64_t within = offset - extent.offset_bytes;
  return within < extent.length_bytes ? std::optional(extent.place_bytes + within) : std::nullopt;
}

// Counts chunks that lie further than a gap behind the one before. A chunk whose place isn't known
// counts as a jump.
uint64_t jumps_of(const Learned& learned, const FetchPlan& plan, uint64_t gap_bytes) {
  uint64_t jumps = 0;
  std::optional<uint64_t> end;
  for (const FetchChunk& chunk : plan.chunks) {
    const auto place = chunk.file < learned.places.size()
                           ? place_of(learned.places[chunk.file], chunk.offset_bytes)
                           : std::nullopt;
    const bool is_near = place && end && *place >= *end && *place - *end <= gap_bytes;
    jumps += is_near ? 0 : 1;
    end = place ? std::optional(*place + chunk.length_bytes) : std::nullopt;
  }
  return jumps;
}

}  // namespace

bool LaidOut::is_nearly_all() const {
  return likely_bytes > 0 && laid_out_bytes * 100 >= likely_bytes * kNearlyAllPercent;
}

LaidOut laid_out(const Learned& learned, uint32_t scenario) {
  const PageKeys there = pages_laid_out(learned, scenario);
  LaidOut of;
  for (const PageKey page : likely_pages(learned.scenarios[scenario], {})) {
    of.likely_bytes += kSeenPageBytes;
    if (there.contains(page)) of.laid_out_bytes += kSeenPageBytes;
  }
  return of;
}

LaidOut laid_out(const Learned& learned) {
  LaidOut all;
  for (uint32_t i = 0; i < learned.scenarios.size(); ++i) {
    const LaidOut one = laid_out(learned, i);
    all.likely_bytes += one.likely_bytes;
    all.laid_out_bytes += one.laid_out_bytes;
  }
  return all;
}

uint64_t shadow_bytes(const Learned& learned) {
  uint64_t pages = 0;
  for (const ShadowSection& section : learned.shadow.sections) pages += section.pages.size();
  return pages * kSeenPageBytes;
}

double saved_by_laying_out_s(const Learned& learned, uint64_t gap_bytes) {
  const auto most = std::ranges::max_element(learned.scenarios, {}, &LearnedScenario::runs);
  if (most == learned.scenarios.end() || most->runs < kFewestRuns) return 0;
  const auto number = static_cast<uint32_t>(most - learned.scenarios.begin());
  if (laid_out(learned, number).is_nearly_all()) return 0;
  const uint64_t jumps =
      jumps_of(learned, plan_originals(learned, likely_pages(*most, {}), gap_bytes), gap_bytes);
  return jumps < 2 ? 0 : static_cast<double>(jumps - 1) * kJumpS;
}

}  // namespace seekless
