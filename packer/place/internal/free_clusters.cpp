#include "packer/place/internal/free_clusters.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <numeric>

#include "packer/host/interrupt.h"

namespace seekless {
namespace {

uint64_t end_of(const ClusterRun& run) {
  return run.begin + run.count;
}

// Collects free clusters, in rising order, as holes.
class Holes {
 public:
  explicit Holes(const ClusterRun& zone) : zone_(zone) {}

  void add(uint64_t begin, uint64_t end) {
    add_outside_zone(begin, std::min(end, zone_.begin));
    add_outside_zone(std::max(begin, end_of(zone_)), end);
  }

  std::vector<ClusterRun> holes;

 private:
  void add_outside_zone(uint64_t begin, uint64_t end) {
    if (begin >= end) return;
    if (!holes.empty() && end_of(holes.back()) == begin)
      holes.back().count += end - begin;
    else
      holes.push_back({begin, end - begin});
  }

  ClusterRun zone_;
};

// Returns up to 64 bits from byte `at` on; those that aren't there count as set.
uint64_t word_at(const std::vector<std::byte>& bits, size_t at) {
  uint64_t word = UINT64_MAX;
  std::memcpy(&word, bits.data() + at, std::min(bits.size() - at, sizeof(word)));
  return word;
}

// Adds the free clusters of a part of the bitmap from `at` to `end`, run by run.
void add_free(const NtfsBitmap& part, uint64_t at, uint64_t end, Holes& found) {
  while (at < end) {
    const uint64_t bit = at - part.first;
    const uint64_t word = word_at(part.bits, bit / 8) >> bit % 8;
    const uint64_t rest = std::min(64 - bit % 8, end - at);
    const bool is_free = (word & 1) == 0;
    const auto alike =
        static_cast<uint64_t>(is_free ? std::countr_zero(word) : std::countr_one(word));
    const uint64_t next = at + std::min(alike, rest);
    if (is_free) found.add(at, next);
    at = next;
  }
}

}  // namespace

NtfsResult<FreeClusters> FreeClusters::read(NtfsVolume& volume, const NtfsLayout& layout) {
  Holes found(layout.zone);
  for (uint64_t at = 0; at < layout.cluster_count;) {
    stop_if_interrupted();
    const auto part = volume.bitmap(at);
    if (!part) return std::unexpected(part.error());
    const uint64_t told = std::min<uint64_t>(part->count, part->bits.size() * 8);
    const uint64_t end = std::min(part->first + told, layout.cluster_count);
    if (part->first > at || end <= at)
      return std::unexpected(NtfsError{EIO, "a map of clusters that ends too early"});
    add_free(*part, at, end, found);
    at = end;
  }
  FreeClusters free;
  free.holes_ = std::move(found.holes);
  return free;
}

uint64_t FreeClusters::count() const {
  return std::accumulate(holes_.begin(), holes_.end(), uint64_t{0},
                         [](uint64_t sum, const ClusterRun& hole) { return sum + hole.count; });
}

std::optional<std::vector<ClusterRun>> FreeClusters::take(uint64_t count) {
  if (count > this->count()) return std::nullopt;
  std::vector<ClusterRun*> chosen;
  const auto whole =
      std::ranges::find_if(holes_, [&](const ClusterRun& hole) { return hole.count >= count; });
  if (whole != holes_.end()) {
    chosen = {&*whole};
  } else {
    for (ClusterRun& hole : holes_) chosen.push_back(&hole);
    std::ranges::stable_sort(chosen, std::ranges::greater(), &ClusterRun::count);
  }
  std::vector<ClusterRun> taken;
  for (ClusterRun* hole : chosen) {
    if (count == 0) break;
    const uint64_t part = std::min(hole->count, count);
    taken.push_back({hole->begin, part});
    *hole = {hole->begin + part, hole->count - part};
    count -= part;
  }
  std::erase_if(holes_, [](const ClusterRun& hole) { return hole.count == 0; });
  std::ranges::sort(taken, {}, &ClusterRun::begin);
  return taken;
}

void FreeClusters::give_back(const ClusterRun& run) {
  if (run.count == 0) return;
  auto hole =
      holes_.insert(std::ranges::upper_bound(holes_, run.begin, {}, &ClusterRun::begin), run);
  if (const auto next = hole + 1; next != holes_.end() && end_of(*hole) == next->begin) {
    hole->count += next->count;
    holes_.erase(next);
  }
  if (hole != holes_.begin() && end_of(hole[-1]) == hole->begin) {
    hole[-1].count += hole->count;
    holes_.erase(hole);
  }
}

}  // namespace seekless
