#include "packer/keep/internal/rewrite_choice.h"

#include <algorithm>
#include <functional>

namespace seekless {
namespace {

// Applies if the whole set has too much dead content.
constexpr double kUrgentFactor = 4;
// Applies if sweeps would read at least one byte less for each ten bytes written.
constexpr double kSlowedFactor = 1.5;
constexpr double kSlowedWorth = 0.1;
// A share of all content, so that no build writes more than an archive of all content, tables
// included.
constexpr double kMostOfContent = 0.9;

class RewriteChooser {
 public:
  RewriteChooser(std::span<const PackState> packs, std::span<const Returning> returning,
                 const NewBytes& fresh, const GenerationPrices& prices, uint64_t full_bytes)
      : packs_(packs),
        returning_(returning.begin(), returning.end()),
        fresh_(fresh),
        prices_(prices),
        full_bytes_(full_bytes),
        chosen_(packs.size(), false),
        gone_home_bytes_(packs.size(), 0) {
    fresh_bytes_ = fresh.read_bytes + fresh.cold_bytes;
    spent_bytes_ = fresh_bytes_;
  }

  std::vector<bool> run() {
    take_what_is_due();
    limit(PackState::overlay, kMostOverlays, fresh_.read_bytes > 0);
    limit(PackState::cold, kMostColdPacks, fresh_.cold_bytes > 0);
    return std::move(chosen_);
  }

 private:
  // Returns these packs in ascending order of size.
  std::vector<size_t> those_of(PackState::PackOrigin kind) const {
    std::vector<size_t> found;
    for (size_t i = 0; i < packs_.size(); ++i)
      if (packs_[i].kind == kind) found.push_back(i);
    std::ranges::stable_sort(found, {}, [&](size_t i) { return packs_[i].live_bytes; });
    return found;
  }

  void take_what_is_due() {
    uint64_t live_bytes = fresh_bytes_;
    uint64_t dead_bytes = 0;
    for (const PackState& pack : packs_) {
      live_bytes += pack.live_bytes;
      dead_bytes += pack.dead_bytes;
    }
    const auto dead_share = [&] {
      return static_cast<double>(dead_bytes) /
             static_cast<double>(std::max<uint64_t>(1, live_bytes + dead_bytes));
    };
    const auto is_short_of_room = [&] { return dead_share() > prices_.max_dead; };
    std::vector<size_t> can_wait;
    for (const size_t pack : those_due()) {
      const PackState& state = packs_[pack];
      if (state.kind == PackState::cold && !is_short_of_room()) {
        can_wait.push_back(pack);
        continue;
      }
      const bool is_urgent = is_largely_dead(state) && is_short_of_room();
      const double factor = is_urgent ? kUrgentFactor : slows_sweeps(state) ? kSlowedFactor : 1;
      if (take(pack, factor)) dead_bytes -= state.dead_bytes;
    }
    for (const size_t pack : can_wait)
      if (pays_for_room(packs_[pack], dead_share()) && take(pack, 1))
        dead_bytes -= packs_[pack].dead_bytes;
  }

  std::vector<size_t> those_due() const {
    std::vector<size_t> due;
    for (size_t i = 0; i < packs_.size(); ++i)
      if (is_due(packs_[i])) due.push_back(i);
    std::ranges::stable_sort(due, std::greater(), [&](size_t i) { return packs_[i].worth(); });
    return due;
  }

  bool is_largely_dead(const PackState& pack) const { return pack.dead_share() > prices_.max_dead; }

  static bool slows_sweeps(const PackState& pack) {
    return pack.kind == PackState::home &&
           static_cast<double>(pack.swept_bytes) >
               kSlowedWorth * static_cast<double>(pack.live_bytes + pack.returning_bytes);
  }

  bool is_due(const PackState& pack) const {
    return is_largely_dead(pack) || merges(pack) ||
           (pack.kind == PackState::home && pack.swept_bytes > 0 && pack.worth() > kLeastWorth);
  }

  // Allows more writing for each freed byte if more of the set is dead. At `max_dead` of the set or
  // more, it pays to remake a pack with exactly `max_dead` dead; below that, the allowance falls
  // with the square of the set's share.
  bool pays_for_room(const PackState& pack, double set_dead_share) const {
    const double most = prices_.max_dead;
    const double share = std::min(set_dead_share, most);
    return static_cast<double>(pack.live_bytes) * most * most * most <=
           static_cast<double>(pack.dead_bytes) * (1 - most) * share * share;
  }

  // The only overlay of a set may stay if nothing is added to it.
  bool merges(const PackState& pack) const {
    return pack.kind == PackState::overlay && !is_full(pack) &&
           (fresh_.read_bytes > 0 ||
            std::ranges::count(packs_, PackState::overlay, &PackState::kind) > 1);
  }

  // Merging two packs that are more than half full would save no pack.
  bool is_full(const PackState& pack) const { return pack.live_bytes > full_bytes_ / 2; }

  bool take(size_t pack, double factor) {
    const double most = std::min(factor * prices_.rewrite_price * static_cast<double>(fresh_bytes_),
                                 kMostOfContent * static_cast<double>(fresh_.content_bytes));
    const uint64_t bytes = spent_bytes_ + cost_bytes(pack) - saved_bytes(pack);
    if (static_cast<double>(bytes) > most) return false;
    chosen_[pack] = true;
    spent_bytes_ = bytes;
    for (const uint32_t i : packs_[pack].returning) go_home(returning_[i]);
    return true;
  }

  uint64_t cost_bytes(size_t pack) const {
    const uint64_t bytes = packs_[pack].live_bytes + packs_[pack].returning_bytes;
    return bytes - std::min(bytes, gone_home_bytes_[pack]);
  }

  // Returns the bytes that move home from overlays that are written anyway.
  uint64_t saved_bytes(size_t pack) const {
    uint64_t bytes = 0;
    for (const uint32_t i : packs_[pack].returning) {
      const Returning& one = returning_[i];
      if (one.homes == 1 && (one.overlay == Returning::kNew || chosen_[one.overlay]))
        bytes += one.size_bytes;
    }
    return std::min(bytes, spent_bytes_);
  }

  void go_home(Returning& one) {
    if (--one.homes == 0 && one.overlay != Returning::kNew)
      gone_home_bytes_[one.overlay] += one.size_bytes;
  }

  void limit(PackState::PackOrigin kind, size_t most, bool adds_one) {
    std::vector<size_t> packs = those_of(kind);
    std::erase_if(packs, [&](size_t i) { return is_full(packs_[i]); });
    size_t stay = 0;
    for (const size_t pack : packs) stay += chosen_[pack] ? 0 : 1;
    const auto makes_one = [&] { return adds_one || stay < packs.size(); };
    for (size_t i = 0; i < packs.size() && stay + (makes_one() ? 1 : 0) > most; ++i) {
      if (chosen_[packs[i]]) continue;
      chosen_[packs[i]] = true;
      --stay;
    }
  }

  const std::span<const PackState> packs_;
  std::vector<Returning> returning_;
  const NewBytes& fresh_;
  const GenerationPrices& prices_;
  const uint64_t full_bytes_;
  std::vector<bool> chosen_;
  std::vector<uint64_t> gone_home_bytes_;  // indexed by pack: bytes that an overlay no longer needs
  uint64_t fresh_bytes_ = 0;
  uint64_t spent_bytes_ = 0;
};

}  // namespace

std::vector<bool> choose_rewrites(std::span<const PackState> packs,
                                  std::span<const Returning> returning, const NewBytes& fresh,
                                  const GenerationPrices& prices, uint64_t full_bytes) {
  return RewriteChooser(packs, returning, fresh, prices, full_bytes).run();
}

}  // namespace seekless
