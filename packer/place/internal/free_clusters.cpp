#include "packer/place/internal/free_clusters.h"

#include <algorithm>
#include <cerrno>
#include <numeric>

namespace seekless {
namespace {

uint64_t end_of(const ClusterRun& run) {
  return run.begin + run.count;
}

// Collects free clusters, in rising order, as holes.
class Holes {
 public:
  explicit Holes(const ClusterRun& zone) : zone_(zone) {}

  void add(uint64_t cluster) {
    if (cluster >= zone_.begin && cluster < end_of(zone_)) return;
    if (!holes.empty() && end_of(holes.back()) == cluster)
      ++holes.back().count;
    else
      holes.push_back({cluster, 1});
  }

  std::vector<ClusterRun> holes;

 private:
  ClusterRun zone_;
};

}  // namespace

std::expected<FreeClusters, int> FreeClusters::read(NtfsVolume& volume, const NtfsLayout& layout) {
  constexpr std::byte kAllInUse{0xff};
  Holes found(layout.zone);
  for (uint64_t at = 0; at < layout.cluster_count;) {
    const auto part = volume.bitmap(at);
    if (!part) return std::unexpected(part.error());
    const uint64_t told = std::min<uint64_t>(part->count, part->bits.size() * 8);
    const uint64_t end = std::min(part->first + told, layout.cluster_count);
    if (part->first > at || end <= at) return std::unexpected(EIO);  // it makes no progress
    while (at < end) {
      const uint64_t bit = at - part->first;
      const std::byte bits = part->bits[bit / 8];
      if (bits == kAllInUse) {
        at += 8 - bit % 8;
        continue;
      }
      if ((bits >> (bit % 8) & std::byte{1}) == std::byte{0}) found.add(at);
      ++at;
    }
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
