#include "packer/keep/rewrite_choice.h"

#include <algorithm>

namespace seekless {
namespace {

// Where the whole set has too much dead in it.
constexpr double kUrgentFactor = 4;
// Of all content: no build writes more than an archive of it all would, tables included.
constexpr double kMostOfContent = 0.9;

class RewriteChooser {
 public:
  RewriteChooser(std::span<const PackState> packs, const NewBytes& fresh,
                 const GenerationPrices& prices)
      : packs_(packs), fresh_(fresh), prices_(prices), chosen_(packs.size(), false) {
    fresh_bytes_ = fresh.read_bytes + fresh.cold_bytes;
    spent_bytes_ = fresh_bytes_;
  }

  std::vector<bool> run() {
    merge_overlays();
    clean();
    limit(PackState::overlay, kMostOverlays, fresh_.read_bytes > 0);
    limit(PackState::cold, kMostColdPacks, fresh_.cold_bytes > 0);
    return std::move(chosen_);
  }

 private:
  std::vector<size_t> those_of(PackState::Kind kind) const {
    std::vector<size_t> found;
    for (size_t i = 0; i < packs_.size(); ++i)
      if (packs_[i].kind == kind) found.push_back(i);
    std::ranges::stable_sort(found, {}, [&](size_t i) { return packs_[i].live_bytes; });
    return found;
  }

  bool take(size_t pack, double factor) {
    const double most = std::min(factor * prices_.rewrite_price * static_cast<double>(fresh_bytes_),
                                 kMostOfContent * static_cast<double>(fresh_.content_bytes));
    const uint64_t bytes = spent_bytes_ + packs_[pack].live_bytes + packs_[pack].returning_bytes;
    if (static_cast<double>(bytes) > most) return false;
    chosen_[pack] = true;
    spent_bytes_ = bytes;
    return true;
  }

  // A single one that nothing is added to may stay.
  void merge_overlays() {
    const std::vector<size_t> overlays = those_of(PackState::overlay);
    if (overlays.size() + (fresh_.read_bytes > 0 ? 1 : 0) < 2) return;
    for (const size_t overlay : overlays)
      if (!take(overlay, 1)) return;
  }

  void clean() {
    std::vector<size_t> worst;
    uint64_t live_bytes = 0;
    uint64_t dead_bytes = 0;
    for (size_t i = 0; i < packs_.size(); ++i) {
      if (chosen_[i]) continue;
      live_bytes += packs_[i].live_bytes;
      dead_bytes += packs_[i].dead_bytes;
      if (packs_[i].dead_share() > prices_.max_dead) worst.push_back(i);
    }
    live_bytes += spent_bytes_;
    std::ranges::stable_sort(
        worst, [&](size_t a, size_t b) { return packs_[a].dead_share() > packs_[b].dead_share(); });
    for (const size_t pack : worst) {
      const bool is_urgent = static_cast<double>(dead_bytes) >
                             prices_.max_dead * static_cast<double>(live_bytes + dead_bytes);
      if (take(pack, is_urgent ? kUrgentFactor : 1)) dead_bytes -= packs_[pack].dead_bytes;
    }
  }

  void limit(PackState::Kind kind, size_t most, bool adds_one) {
    std::vector<size_t> packs = those_of(kind);
    // Of two that are more than half full, none would be saved.
    std::erase_if(packs,
                  [&](size_t i) { return packs_[i].live_bytes > prices_.max_pack_bytes / 2; });
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
  const NewBytes& fresh_;
  const GenerationPrices& prices_;
  std::vector<bool> chosen_;
  uint64_t fresh_bytes_ = 0;
  uint64_t spent_bytes_ = 0;
};

}  // namespace

std::vector<bool> choose_rewrites(std::span<const PackState> packs, const NewBytes& fresh,
                                  const GenerationPrices& prices) {
  return RewriteChooser(packs, fresh, prices).run();
}

}  // namespace seekless
