#include "packer/keep/generations.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "packer/base/each_once.h"
#include "packer/keep/internal/overlay_order.h"
#include "packer/keep/internal/reader_sets.h"
#include "packer/keep/internal/rewrite_choice.h"
#include "packer/keep/internal/split_pack.h"
#include "packer/keep/pack_items.h"
#include "packer/keep/sweep_gaps.h"

namespace seekless {
namespace {

constexpr uint32_t kGone = kNone;

// A pack that is read in less than 1/8 of a seek's time isn't remade as a separate pack. With a
// larger share, overlays get so long that other scenarios' needs lie in the way: on Freedoom's
// history, a quarter of a seek cost sweeps more than it saved at one of the measured releases.
constexpr uint64_t kSmallOfSeek = 8;

// Describes an asset in the file of a pack.
struct HeldCopy {
  const LockedAsset* from = nullptr;
  uint32_t asset = kGone;  // index in today's content
  uint32_t set = 0;        // number of the set of scenarios that read this copy
  bool is_live = false;    // true if the copy has today's content
  bool was_live = false;   // true if the copy had the content of the previous build
  // True if the copy only shared the place of an equal asset with more readers.
  bool was_guest = false;

  // Returns true if a remade pack would hold the asset.
  bool belongs_here() const { return asset != kGone && (is_live || !was_guest); }
  bool returns() const { return !is_live && belongs_here(); }
};

struct HeldPack {
  const LockedPack* locked = nullptr;
  bool is_pinned = false;  // a rule keeps its assets together
  bool is_made_anew = false;
  std::vector<HeldCopy> copies;

  bool is_overlay() const { return locked->role == PackRole::overlay; }
  bool is_cold() const { return locked->kind == PackKind::cold && !is_pinned; }
};

bool is_pinned_by(std::span<const AssetRules> rules, std::string_view pack) {
  return std::ranges::any_of(
      rules, [&](const AssetRules& of) { return !of.pack.empty() && is_part_of(pack, of.pack); });
}

class GenerationKeeper {
 public:
  GenerationKeeper(const LayoutLock& lock, const HashedContent& hashed,
                   std::span<const AssetRules> rules, const GenerationPrices& prices,
                   const Profile* profile)
      : lock_(lock),
        hashed_(hashed),
        rules_(rules),
        prices_(prices),
        profile_(profile),
        sets_(lock.scenario_sets),
        needed_(hashed.content().assets.size(), sets_.none()),
        is_held_(needed_.size(), 0),
        is_known_(needed_.size(), 0) {}

  LockedAssets run() {
    // Homes come first, because overlays keep their assets in the order of the homes.
    for (const PackRole role : {PackRole::home, PackRole::overlay, PackRole::generation})
      for (const LockedPack& pack : lock_.packs)
        if (pack.role == role) hold(pack);
    find_needed();
    if (profile_ != nullptr) find_needed_of_new(*profile_);
    drop_spare_copies();
    choose();
    lay_packs();
    lay_overlay();
    lay_cold();
    finish();
    return std::move(kept_);
  }

 private:
  const Asset& content(uint32_t asset) const { return hashed_.content().assets[asset]; }
  uint64_t size_of(uint32_t asset) const { return content(asset).place.size_bytes; }
  bool is_excluded(uint32_t asset) const { return !rules_.empty() && rules_[asset].excluded; }
  uint32_t alignment_of(uint32_t asset, uint32_t otherwise) const {
    return rules_.empty() ? otherwise : rules_[asset].alignment_bytes;
  }

  // ---- what the files hold ----

  void hold(const LockedPack& locked) {
    names_.take(locked.name);
    HeldPack& pack = packs_.emplace_back(HeldPack{.locked = &locked});
    pack.is_pinned = is_pinned_by(rules_, locked.name);
    for (const LockedAsset& asset : locked.assets) hold(pack, asset, true);
    for (const LockedAsset& asset : locked.dead) hold(pack, asset, false);
    find_guests(pack);
  }

  void find_guests(HeldPack& pack) const {
    const auto readers = [&](const HeldCopy& copy) { return sets_.readers(copy.set).size(); };
    std::vector<std::pair<PlaceInPack, size_t>> read;  // each place with the number of its readers
    for (const HeldCopy& copy : pack.copies)
      if (copy.from->size_bytes > 0) read.emplace_back(copy.from->place, readers(copy));
    std::ranges::sort(read);
    for (HeldCopy& copy : pack.copies) {
      if (copy.from->size_bytes == 0) continue;
      const auto end = std::ranges::upper_bound(read, std::pair(copy.from->place, SIZE_MAX));
      copy.was_guest = readers(copy) < std::prev(end)->second;
    }
  }

  void hold(HeldPack& pack, const LockedAsset& from, bool was_live) {
    HeldCopy copy = {.from = &from,
                     .asset = hashed_.find(from.path),
                     .set = from.scenario_set,
                     .was_live = was_live};
    if (copy.asset != kGone && is_excluded(copy.asset)) copy.asset = kGone;
    if (copy.asset != kGone) {
      const bool is_same =
          size_of(copy.asset) == from.size_bytes && hashed_.hash(copy.asset) == from.hash;
      copy.is_live =
          is_same && from.place.offset_bytes % alignment_of(copy.asset, from.alignment_bytes) == 0;
      if (was_live) is_known_[copy.asset] = 1;
      if (was_live && !is_same) kept_.changed.emplace_back(from.path);
    } else if (was_live) {
      kept_.removed.emplace_back(from.path);
    }
    pack.copies.push_back(copy);
  }

  void find_needed() {
    for (const HeldPack& pack : packs_)
      for (const HeldCopy& copy : pack.copies)
        if (copy.asset != kGone) needed_[copy.asset] = sets_.both(needed_[copy.asset], copy.set);
  }

  // Finds readers of assets that the lock doesn't know but recordings may name.
  void find_needed_of_new(const Profile& profile) {
    const std::vector<LaidScenario>& scenarios = lock_.scenarios;
    std::vector<uint32_t> numbers;
    for (const std::string& path : profile.assets) numbers.push_back(hashed_.find(path));
    for (const ProfiledScenario& scenario : profile.scenarios) {
      const auto known = std::ranges::find(scenarios, scenario.name, &LaidScenario::name);
      if (known == scenarios.end()) continue;
      const uint32_t reader = sets_.single(static_cast<uint32_t>(known - scenarios.begin()));
      for (const ProfiledRun& run : scenario.runs)
        for (const uint32_t number : run.assets)
          if (const uint32_t asset = numbers[number]; asset != kGone && is_known_[asset] == 0)
            needed_[asset] = sets_.both(needed_[asset], reader);
    }
  }

  // Keeps one copy of each asset that no scenario reads.
  void drop_spare_copies() {
    for (HeldPack& pack : packs_)
      for (HeldCopy& copy : pack.copies) {
        if (!copy.is_live) continue;
        if (is_held_[copy.asset] != 0 && sets_.is_empty(needed_[copy.asset])) copy.is_live = false;
        is_held_[copy.asset] = 1;
      }
  }

  // ---- which packs are remade ----

  void choose() {
    uint64_t content_bytes = 0;
    for (uint32_t asset = 0; asset < needed_.size(); ++asset)
      if (!is_excluded(asset)) content_bytes += size_of(asset);
    part_bytes_ = part_bytes_of(content_bytes, lock_.read_through_bytes);
    const std::vector<Returning> returning = find_returning();
    std::vector<PackState> states;
    for (const HeldPack& pack : packs_) states.push_back(state_of(pack));
    NewBytes fresh = {.content_bytes = content_bytes};
    for (uint32_t asset = 0; asset < needed_.size(); ++asset) {
      if (is_held_[asset] != 0 || is_excluded(asset)) continue;
      (sets_.is_empty(needed_[asset]) ? fresh.cold_bytes : fresh.read_bytes) += size_of(asset);
    }
    kept_.fresh_bytes = fresh.read_bytes + fresh.cold_bytes;
    const std::vector<bool> chosen = choose_rewrites(states, returning, fresh, prices_,
                                                     std::min(part_bytes_, prices_.max_pack_bytes));
    for (size_t i = 0; i < packs_.size(); ++i) packs_[i].is_made_anew = chosen[i];
  }

  // Counts, for each asset, the home packs that would hold it again if remade, and notes the
  // overlay that holds it meanwhile.
  std::vector<Returning> find_returning() const {
    std::vector<Returning> returning(needed_.size());
    for (uint32_t asset = 0; asset < returning.size(); ++asset)
      returning[asset].size_bytes = size_of(asset);
    for (uint32_t i = 0; i < packs_.size(); ++i)
      for (const HeldCopy& copy : packs_[i].copies) {
        if (copy.asset == kGone) continue;
        if (is_home(packs_[i]) && copy.returns()) ++returning[copy.asset].homes;
        if (packs_[i].is_overlay() && copy.is_live) returning[copy.asset].overlay = i;
      }
    return returning;
  }

  static bool is_home(const HeldPack& pack) { return !pack.is_overlay() && !pack.is_cold(); }

  PackState state_of(const HeldPack& pack) {
    PackState state;
    state.kind = pack.is_overlay() ? PackState::overlay
                 : pack.is_cold()  ? PackState::cold
                                   : PackState::home;
    // pairs of a place, and whether an asset there is dead
    std::vector<std::pair<PlaceInPack, bool>> places;
    for (const HeldCopy& copy : pack.copies)
      if (copy.from->size_bytes > 0) places.emplace_back(copy.from->place, !copy.is_live);
    std::ranges::sort(places);
    for (const HeldCopy& copy : pack.copies) {
      const uint64_t bytes = copy.from->size_bytes;
      if (bytes == 0) continue;
      // Equal content has one place, which is alive if at least one of its assets is.
      const auto at = std::ranges::lower_bound(places, std::pair(copy.from->place, false));
      const auto end = std::ranges::upper_bound(places, std::pair(copy.from->place, true));
      const auto share = static_cast<uint64_t>(end - at);
      (at->second ? state.dead_bytes : state.live_bytes) += bytes / share;
      if (!copy.returns() || state.kind != PackState::home) continue;
      state.returning.push_back(copy.asset);
      state.returning_bytes += size_of(copy.asset);
    }
    if (state.kind == PackState::overlay) state.swept_bytes = arrival_bytes(pack);
    if (state.kind == PackState::home && state.dead_bytes > 0)
      state.swept_bytes = saved_by_remaking(pack);
    return state;
  }

  // Without this overlay, each scenario that reads it saves a jump.
  uint64_t arrival_bytes(const HeldPack& overlay) {
    uint32_t readers = sets_.none();
    for (const HeldCopy& copy : overlay.copies)
      if (copy.is_live) readers = sets_.both(readers, copy.set);
    return sets_.readers(readers).size() * lock_.read_through_bytes;
  }

  // Returns how many bytes shorter sweeps get if the pack is remade.
  uint64_t saved_by_remaking(const HeldPack& pack) const {
    LaidPack now = {pack.locked->name, pack.locked->kind, {}};
    now.places = {pack.locked->data_offset_bytes, pack.locked->block_raw_bytes, {}};
    uint64_t returning_bytes = 0;  // bytes that sweeps read elsewhere now
    for (const HeldCopy& copy : pack.copies) {
      if (copy.returns()) returning_bytes += size_of(copy.asset) * sets_.readers(copy.set).size();
      if (!copy.is_live) continue;
      now.assets.push_back(laid(copy.asset, copy.set, copy.from->alignment_bytes));
      now.places->assets.push_back(copy.from->place);
    }
    LaidPack then = {pack.locked->name, pack.locked->kind, assets_made_anew(pack)};
    place_tight(then, hashed_, lock_.block_bytes);
    const uint64_t swept_now = swept_bytes(now, sets_, lock_.read_through_bytes) + returning_bytes;
    const uint64_t swept_then = swept_bytes(then, sets_, lock_.read_through_bytes);
    return swept_now - std::min(swept_now, swept_then);
  }

  // ---- packs of the lock ----

  LaidAsset laid(uint32_t asset, uint32_t set, uint32_t alignment_bytes) const {
    return lay_asset(content(asset), set, alignment_bytes);
  }

  LaidAsset laid(uint32_t asset, uint32_t set) const {
    return laid(asset, set, alignment_of(asset, kDefaultAlignmentBytes));
  }

  void lay_packs() {
    served_.assign(needed_.size(), sets_.none());
    is_laid_.assign(needed_.size(), 0);
    const bool may_dissolve = is_overlay_made_anew();
    for (HeldPack& pack : packs_)
      if (is_home(pack) && !(may_dissolve && dissolves(pack)))
        pack.is_made_anew ? remake(pack) : keep(pack);
    for (HeldPack& pack : packs_)
      if (pack.is_cold() && !pack.is_made_anew) keep_cold(pack);
    for (HeldPack& pack : packs_)
      if (pack.is_overlay() && !pack.is_made_anew) keep_overlay(pack);
  }

  LaidPack& add_pack(const HeldPack& pack) {
    LaidPack& laid =
        kept_.layout.packs.emplace_back(LaidPack{pack.locked->name, pack.locked->kind, {}});
    laid.role = pack.locked->role;
    return laid;
  }

  void serve(const HeldCopy& copy) {
    served_[copy.asset] = sets_.both(served_[copy.asset], copy.set);
    is_laid_[copy.asset] = 1;
  }

  // Leaves the file as it is.
  void keep(HeldPack& pack) {
    if (std::ranges::none_of(pack.copies, &HeldCopy::is_live)) return;
    LaidPack& into = add_pack(pack);
    LaidPlaces places = {pack.locked->data_offset_bytes, pack.locked->block_raw_bytes, {}};
    for (const HeldCopy& copy : pack.copies) {
      const LockedAsset& from = *copy.from;
      if (copy.is_live) {
        into.assets.push_back(laid(copy.asset, copy.set, from.alignment_bytes));
        places.assets.push_back(from.place);
        serve(copy);
      } else {
        into.dead.push_back({path_of(copy), from.size_bytes, from.place, from.scenario_set,
                             from.alignment_bytes, from.hash});
      }
    }
    if (!into.dead.empty()) into.pack_id = pack.locked->pack_id;
    lay(into, places);
  }

  // Returns a path that stays valid after the lock is gone; the lock's own paths don't.
  PooledPath path_of(const HeldCopy& copy) {
    return copy.asset != kGone ? content(copy.asset).path : kept_paths_.add(copy.from->path);
  }

  // Leaves out assets that a rule has pinned to another pack.
  void keep_cold(HeldPack& pack) {
    for (HeldCopy& copy : pack.copies) copy.is_live = copy.is_live && is_laid_[copy.asset] == 0;
    keep(pack);
  }

  // Leaves out assets that the homes already contain.
  void keep_overlay(HeldPack& pack) {
    for (HeldCopy& copy : pack.copies) {
      if (!copy.is_live) continue;
      copy.set = sets_.without(needed_[copy.asset], served_[copy.asset]);
      copy.is_live = !sets_.is_empty(copy.set);
    }
    keep(pack);
  }

  // Returns the assets of a remade pack in their old order, as if nothing had ever changed.
  std::vector<LaidAsset> assets_made_anew(const HeldPack& pack) const {
    std::vector<const HeldCopy*> copies;
    for (const HeldCopy& copy : pack.copies)
      if (copy.belongs_here()) copies.push_back(&copy);
    std::ranges::stable_sort(copies, {}, [](const HeldCopy* copy) { return copy->from->place; });
    std::vector<LaidAsset> assets;
    assets.reserve(copies.size());
    for (const HeldCopy* copy : copies) assets.push_back(laid(copy->asset, copy->set));
    return assets;
  }

  // Returns true if the pack is so small that its assets go to the overlay instead. A small pack
  // would cost its readers another seek, and clients another file. This is done only if there will
  // be a single overlay.
  bool dissolves(const HeldPack& pack) const {
    if (!pack.is_made_anew || pack.is_pinned) return false;
    uint64_t bytes = 0;
    for (const HeldCopy& copy : pack.copies)
      if (copy.belongs_here()) bytes += size_of(copy.asset);
    return bytes <= lock_.read_through_bytes / kSmallOfSeek;
  }

  bool is_overlay_made_anew() const {
    size_t overlays = 0;
    size_t made_anew = 0;
    for (const HeldPack& pack : packs_) {
      overlays += pack.is_overlay() ? 1 : 0;
      made_anew += pack.is_overlay() && pack.is_made_anew ? 1 : 0;
    }
    return overlays > 0 && made_anew == overlays;
  }

  void remake(HeldPack& pack) {
    LaidPack& into = add_pack(pack);
    into.assets = assets_made_anew(pack);
    for (const HeldCopy& copy : pack.copies)
      if (copy.belongs_here()) serve(copy);
    for (uint32_t asset = 0; asset < rules_.size(); ++asset)
      if (is_laid_[asset] == 0 && rules_[asset].pack == into.name && !is_excluded(asset) &&
          sets_.is_empty(needed_[asset])) {
        into.assets.push_back(laid(asset, sets_.none()));
        is_laid_[asset] = 1;
      }
    place_last();
  }

  // Places the pack that was added last.
  void place_last() {
    std::vector<LaidPack>& packs = kept_.layout.packs;
    LaidPack pack = std::move(packs.back());
    packs.pop_back();
    if (pack.assets.empty()) return;
    for (LaidPack& part :
         split_pack(std::move(pack), part_bytes_, prices_.max_pack_bytes, names_)) {
      place_tight(part, hashed_, lock_.block_bytes);
      packs.push_back(std::move(part));
    }
  }

  // ---- new assets, and the overlays that merge with them ----

  // Lays out the assets that some scenarios need, but find in none of the packs placed so far.
  // Assets that the same scenarios lack lie together, in the order of their former packs.
  void lay_overlay() {
    struct WantedSpan {
      size_t pack = 0;
      PlaceInPack place;
      uint32_t asset = 0;
    };
    std::vector<WantedSpan> wanted;
    std::vector<char> is_wanted(needed_.size(), 0);
    for (size_t i = 0; i < packs_.size(); ++i)
      for (const HeldCopy& copy : packs_[i].copies) {
        if (copy.asset == kGone || is_wanted[copy.asset] != 0) continue;
        const uint32_t lacking = sets_.without(needed_[copy.asset], served_[copy.asset]);
        if (sets_.is_empty(lacking)) continue;
        is_wanted[copy.asset] = 1;
        wanted.push_back({i, copy.from->place, copy.asset});
      }
    for (uint32_t asset = 0; asset < needed_.size(); ++asset)
      if (is_wanted[asset] == 0 && !is_excluded(asset) &&
          !sets_.is_empty(sets_.without(needed_[asset], served_[asset])))
        wanted.push_back({packs_.size(), {}, asset});
    if (wanted.empty()) return;
    std::ranges::sort(wanted, {}, [](const WantedSpan& one) {
      return std::tuple(one.pack, one.place, one.asset);
    });
    LaidPack& into = add_new(PackRole::overlay, PackKind::common, "overlay");
    std::vector<OverlayAsset> assets;
    assets.reserve(wanted.size());
    for (const WantedSpan& one : wanted)
      assets.push_back({sets_.without(needed_[one.asset], served_[one.asset]), size_of(one.asset)});
    for (const uint32_t i : overlay_order(assets, sets_, lock_.read_through_bytes)) {
      into.assets.push_back(laid(wanted[i].asset, assets[i].set));
      is_laid_[wanted[i].asset] = 1;
    }
    place_last();
  }

  void lay_cold() {
    std::vector<uint32_t> wanted;
    for (const HeldPack& pack : packs_) {
      if (!pack.is_cold() || !pack.is_made_anew) continue;
      std::vector<const HeldCopy*> copies;
      for (const HeldCopy& copy : pack.copies)
        if (copy.is_live && is_laid_[copy.asset] == 0) copies.push_back(&copy);
      std::ranges::sort(copies, {}, [](const HeldCopy* copy) { return copy->from->place; });
      for (const HeldCopy* copy : copies) {
        wanted.push_back(copy->asset);
        is_laid_[copy->asset] = 1;
      }
    }
    for (uint32_t asset = 0; asset < is_laid_.size(); ++asset)
      if (is_laid_[asset] == 0 && !is_excluded(asset)) wanted.push_back(asset);
    if (wanted.empty()) return;
    LaidPack& into = add_new(PackRole::generation, PackKind::cold, "cold");
    for (const uint32_t asset : wanted) into.assets.push_back(laid(asset, sets_.none()));
    place_last();
  }

  // Adds a pack under the name of the first pack that it replaces.
  LaidPack& add_new(PackRole role, PackKind kind, const std::string& base) {
    LaidPack& added = kept_.layout.packs.emplace_back(LaidPack{"", kind, {}});
    added.role = role;
    for (const HeldPack& pack : packs_) {
      const bool is_replaced =
          pack.is_made_anew && (role == PackRole::overlay ? pack.is_overlay() : pack.is_cold());
      if (!is_replaced) continue;
      added.name = pack.locked->name;
      added.role = pack.locked->role;
      return added;
    }
    added.name = names_.take_free(base);
    return added;
  }

  // ---- the rest ----

  void finish() {
    Layout& layout = kept_.layout;
    layout.block_bytes = lock_.block_bytes;
    layout.fold_case = lock_.fold_case;
    layout.read_through_bytes = lock_.read_through_bytes;
    layout.paths = kept_paths_;
    layout.scenarios = lock_.scenarios;
    for (uint32_t asset = 0; asset < is_known_.size(); ++asset)
      if (is_known_[asset] == 0 && !is_excluded(asset) && sets_.is_empty(needed_[asset]))
        kept_.added.emplace_back(content(asset).path);
    // The order must not depend on whether packs are new or kept, so that the catalog is the same.
    // Overlays come first: updates write the catalog and the overlays together, so they lie side by
    // side on the disk, and sweeps read them in that order.
    std::ranges::stable_sort(layout.packs, {}, [](const LaidPack& pack) {
      return pack.role == PackRole::overlay ? -1 : static_cast<int>(pack.role);
    });
    layout.scenario_sets = sets_.take_used(layout.packs);
    for (std::vector<std::string>* paths : {&kept_.removed, &kept_.changed}) {
      keep_each_once(*paths);
    }
    kept_.padding = padding_of(layout);
    kept_.is_relayout_due = kept_.padding.share() > 2 * prices_.max_dead + kMostPaddingShare;
  }

  const LayoutLock& lock_;
  const HashedContent& hashed_;
  const std::span<const AssetRules> rules_;
  const GenerationPrices& prices_;
  const Profile* profile_;
  ReaderSets sets_;
  PackNames names_;  // names in the lock, and new ones
  LockedAssets kept_;
  PathPool kept_paths_ = hashed_.content().paths;
  std::vector<HeldPack> packs_;
  // These are indexed by asset of the content:
  std::vector<uint32_t> needed_;  // the set of all scenarios that read the asset
  std::vector<char> is_held_;     // true if a file has the asset's content
  std::vector<char> is_known_;    // true if the previous build had the asset's content
  std::vector<uint32_t> served_;  // the set of scenarios whose packs hold the asset so far
  std::vector<char> is_laid_;     // true if a pack holds the asset so far
  uint64_t part_bytes_ = UINT64_MAX;
};

}  // namespace

LockedAssets keep_layout(const LayoutLock& lock, const HashedContent& hashed,
                         std::span<const AssetRules> rules, const GenerationPrices& prices,
                         const Profile* profile) {
  return GenerationKeeper(lock, hashed, rules, prices, profile).run();
}

LockedAssets relay_layout(const LayoutLock& lock, const Layout& fresh, const HashedContent& hashed,
                          std::span<const AssetRules> rules, const GenerationPrices& prices) {
  const auto is_cold = [&](const LockedPack& pack) {
    return pack.kind == PackKind::cold && !is_pinned_by(rules, pack.name);
  };
  LayoutLock relaid = make_lock(fresh, hashed);
  std::map<std::string_view, uint32_t> cold_sets;  // assets that few runs read may lie there, too
  for (const LockedPack& pack : relaid.packs)
    if (is_cold(pack))
      for (const LockedAsset& asset : pack.assets) cold_sets[asset.path] = asset.scenario_set;
  std::erase_if(relaid.packs, is_cold);
  const auto none = static_cast<uint32_t>(relaid.scenario_sets.size());
  relaid.scenario_sets.emplace_back();
  for (const LockedPack& pack : lock.packs) {
    if (!is_cold(pack)) continue;
    LockedPack& cold = relaid.packs.emplace_back(pack);
    for (std::vector<LockedAsset>* assets : {&cold.assets, &cold.dead})
      for (LockedAsset& asset : *assets) {
        const auto found = cold_sets.find(asset.path);
        asset.scenario_set = found == cold_sets.end() ? none : found->second;
      }
  }
  GenerationPrices spent = prices;
  spent.rewrite_price = 1;  // the rest goes to the new layout, not to cold packs
  return keep_layout(relaid, hashed, rules, spent);
}

Layout place_layout(Layout planned, const HashedContent& hashed, const GenerationPrices& prices) {
  PackNames names;
  for (const LaidPack& pack : planned.packs) names.take(pack.name);
  uint64_t content_bytes = 0;
  for (const Asset& asset : hashed.content().assets) content_bytes += asset.place.size_bytes;
  const uint64_t part_bytes = part_bytes_of(content_bytes, planned.read_through_bytes);
  std::vector<LaidPack> whole = std::exchange(planned.packs, {});
  for (LaidPack& pack : whole)
    for (LaidPack& part : split_pack(std::move(pack), part_bytes, prices.max_pack_bytes, names)) {
      place_tight(part, hashed, planned.block_bytes);
      planned.packs.push_back(std::move(part));
    }
  return planned;
}

}  // namespace seekless
