#include "packer/plan/internal/chain_order.h"

#include <algorithm>

#include "packer/base/none.h"
#include "packer/plan/internal/joined_sets.h"

namespace seekless {
namespace {

constexpr uint32_t kChainedRuns = 24;
// The threads' reads interleave, so an asset's successor may come up to this many reads later.
// Later successors count less.
constexpr size_t kMostLag = 3;
// A succession counts as chance if it appears in less than this share of the runs that read the
// more common of the two assets.
constexpr double kLeastShare = 0.5;

struct ChainLink {
  uint32_t from;
  uint32_t to;
  double weight;
};

std::vector<ChainLink> find_links(const RunSet& set, Runs runs) {
  std::vector<ChainLink> links;
  std::vector<double> weights(set.asset_count());
  for (const uint32_t i : runs) {
    const std::span<const uint32_t> run = set.run(i);
    for (size_t at = 0; at < run.size(); ++at) {
      weights[run[at]] += set.weight(i);
      for (size_t lag = 1; lag <= kMostLag && at + lag < run.size(); ++lag)
        links.push_back({run[at], run[at + lag], set.weight(i) / static_cast<double>(lag)});
    }
  }
  std::ranges::stable_sort(
      links, {}, [](const ChainLink& link) { return uint64_t{link.from} << 32 | link.to; });
  size_t kept = 0;
  for (const ChainLink& link : links)
    if (kept > 0 && links[kept - 1].from == link.from && links[kept - 1].to == link.to)
      links[kept - 1].weight += link.weight;
    else
      links[kept++] = link;
  links.resize(kept);
  std::erase_if(links, [&](const ChainLink& link) {
    return link.weight < kLeastShare * std::max(weights[link.from], weights[link.to]);
  });
  std::ranges::stable_sort(links, std::greater<>(), &ChainLink::weight);
  return links;
}

class Chains {
 public:
  explicit Chains(uint32_t asset_count)
      : next_(asset_count, kNone), has_previous_(asset_count), chains_(asset_count) {}

  void link(uint32_t from, uint32_t to) {
    if (next_[from] != kNone || has_previous_[to] || chains_.set_of(from) == chains_.set_of(to))
      return;
    next_[from] = to;
    has_previous_[to] = true;
    chains_.join(from, to);
  }

  bool is_first(uint32_t asset) const { return !has_previous_[asset]; }
  void append_chain(uint32_t first, Order& order) const {
    for (uint32_t asset = first; asset != kNone; asset = next_[asset]) order.push_back(asset);
  }

 private:
  std::vector<uint32_t> next_;
  std::vector<bool> has_previous_;
  JoinedSets chains_;
};

uint32_t middle_place(std::span<const uint32_t> chain, const std::vector<uint32_t>& places) {
  std::vector<uint32_t> of(chain.size());
  std::ranges::transform(chain, of.begin(), [&](uint32_t asset) { return places[asset]; });
  std::ranges::nth_element(of, of.begin() + static_cast<ptrdiff_t>(of.size() / 2));
  return of[of.size() / 2];
}

}  // namespace

Order chain_order(const RunSet& set, Runs runs, const Order& base) {
  Chains chains(set.asset_count());
  for (const ChainLink& link : find_links(set, spread_of(runs, kChainedRuns)))
    chains.link(link.from, link.to);

  struct Placed {
    uint32_t place;
    size_t begin, end;
  };
  const std::vector<uint32_t> places = places_of(base);
  Order linked;
  std::vector<Placed> placed;
  for (const uint32_t asset : base) {
    if (!chains.is_first(asset)) continue;
    const size_t begin = linked.size();
    chains.append_chain(asset, linked);
    placed.push_back(
        {middle_place(std::span(linked).subspan(begin), places), begin, linked.size()});
  }
  std::ranges::stable_sort(placed, {}, &Placed::place);
  Order order;
  for (const Placed& each : placed)
    order.insert(order.end(), linked.begin() + static_cast<ptrdiff_t>(each.begin),
                 linked.begin() + static_cast<ptrdiff_t>(each.end));
  return order;
}

}  // namespace seekless
