#include "packer/project/internal/choose_layout.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "packer/host/files.h"
#include "packer/keep/generations.h"
#include "packer/keep/predict_kept.h"
#include "packer/keep/sweep_gaps.h"
#include "packer/layout/rules.h"
#include "packer/update/kept_content.h"
#include "packer/words/counted.h"

namespace seekless {
namespace {

constexpr size_t kListed = 3;
// Planning a layout with this many assets takes a second.
constexpr size_t kMostToCompare = 50'000;
// A new layout must shorten sweeps by at least this share if clients write more for it.
constexpr double kWorthRelaying = 0.02;
// This smaller share is enough if clients write no more than if the packs stay.
constexpr double kWorthFreeRelaying = 0.005;
// Drops a little more of the copies than needed, because other writes also depend on copies.
constexpr double kCopiesLeftOut = 1.05;
constexpr int kMostTried = 3;

// Returns how many bytes updates are expected to write for each byte of a copy. An edit leaves the
// copy dead in its pack. Sooner or later a build rewrites the pack, and may write several times the
// size of the edits.
std::vector<double> rewritten_by_copy(const LayoutRequest& request, const ChangeHistory& changes) {
  std::vector<double> rewritten = change_chances(changes, request.hashed.content());
  for (double& of : rewritten) of *= request.file.generations.rewrite_price;
  return rewritten;
}

// Returns one value for each asset, like in PlanOptions.
std::vector<uint32_t> equal_ones(const HashedContent& hashed) {
  std::map<format::ContentHash, uint32_t> first;
  std::vector<uint32_t> same_as;
  for (uint32_t asset = 0; asset < hashed.content().assets.size(); ++asset) {
    const bool is_filled = hashed.content().assets[asset].place.size_bytes > 0;
    same_as.push_back(is_filled ? first.try_emplace(hashed.hash(asset), asset).first->second
                                : asset);
  }
  return same_as;
}

Result<ChosenLayout> plan_anew(const LayoutRequest& request, const ChangeHistory& changes = {}) {
  PlanOptions options = request.plan;
  options.same_as = equal_ones(request.hashed);
  if (request.unrecorded) options.unrecorded = request.unrecorded();
  if (!changes.is_empty()) options.rewritten_by_copy = rewritten_by_copy(request, changes);
  Plan plan = plan_layout(request.profile, request.hashed.content(), options);
  if (!plan.gone.empty() && plan.gone.size() == request.profile.assets.size())
    return damaged({.file = "the recordings",
                    .expected = "assets of the content",
                    .found = "none of them there",
                    .advice = "name the content that was recorded, or record it again"});
  plan.layout.sources = std::vector<Source>();
  ChosenLayout chosen = {.layout = std::move(plan.layout),
                         .gone = std::move(plan.gone),
                         .warnings = std::move(plan.warnings)};
  for (size_t i = 0; i < std::min(kListed, chosen.gone.size()); ++i)
    chosen.warnings.push_back(
        fmt::format("'{}' was read when recording, but is gone", chosen.gone[i]));
  if (!request.file.lock.empty())
    chosen.layout =
        place_layout(std::move(chosen.layout), request.hashed, request.file.generations);
  return chosen;
}

// Returns one value for each asset of the content, or none if there are no rules.
std::vector<AssetRules> rules_of_assets(const LayoutRequest& request) {
  if (request.plan.rules.empty()) return {};
  std::vector<uint64_t> matched(request.plan.rules.size());
  std::vector<AssetRules> rules;
  rules.reserve(request.hashed.content().assets.size());
  for (const Asset& asset : request.hashed.content().assets)
    rules.push_back(rules_for(request.plan.rules, std::string(asset.path), matched));
  return rules;
}

// Returns true if the content is small enough to try other layouts.
bool is_small(const LayoutRequest& request) {
  return request.hashed.content().assets.size() <= kMostToCompare;
}

ChosenLayout keep(const LayoutRequest& request, const LayoutLock& lock) {
  const std::vector<AssetRules> rules = rules_of_assets(request);
  LockedAssets kept =
      keep_layout(lock, request.hashed, rules, request.file.generations, &request.profile);
  ChosenLayout chosen = {.layout = std::move(kept.layout)};
  chosen.fresh_bytes = kept.fresh_bytes;
  chosen.is_relayout_due = kept.is_relayout_due;
  if (kept.is_relayout_due)
    chosen.warnings.push_back(
        fmt::format("holes take {:.1f} % of the packs; --relayout makes a new layout, and a large "
                    "patch",
                    kept.padding.share() * 100));
  if (!kept.added.empty())
    chosen.warnings.push_back(fmt::format(
        "{} in no scenario until a new layout is made (--relayout), such as '{}'",
        counted(kept.added.size(), "new asset is", "new assets are"), kept.added.front()));
  return chosen;
}

std::string describe(const NewRecordings& recordings) {
  const size_t listed = std::min(kListed, recordings.scenarios.size());
  const auto end = recordings.scenarios.begin() + static_cast<std::ptrdiff_t>(listed);
  return fmt::format(
      "the layout is kept as the lock has it, though {} {} newer, of '{}'{}; --relayout makes one "
      "that uses {}",
      counted(recordings.count, "recording"), recordings.count == 1 ? "is" : "are",
      fmt::join(recordings.scenarios.begin(), end, "', '"),
      recordings.scenarios.size() > listed ? " and others" : "",
      recordings.count == 1 ? "it" : "them");
}

// Plans a new layout to compare with the kept one. It is made once, when it is first needed.
class NewLayout {
 public:
  explicit NewLayout(const LayoutRequest& request) : request_(request) {}

  Result<ChosenLayout>& plan(const ChangeHistory& changes) {
    if (!planned_) planned_ = plan_anew(request_, changes);
    return *planned_;
  }

 private:
  const LayoutRequest& request_;
  std::optional<Result<ChosenLayout>> planned_;
};

// Replaces the kept layout by a new one if that saves enough for the size of its patch. Returns
// true if it did.
Result<bool> take_if_it_pays(const LayoutRequest& request, const LayoutLock& lock, NewLayout& anew,
                             ChosenLayout& chosen) {
  Result<ChosenLayout>& fresh = anew.plan(chosen.changes);
  if (!fresh) return std::unexpected(fresh.error());
  RelayoutGain gain = relayout_gain(lock, chosen.layout, fresh->layout, request.profile,
                                    request.hashed, request.plan);
  const bool pays = request.patch_price && gain.pays(*request.patch_price);
  if (pays) {
    fresh->changes = std::move(chosen.changes);
    chosen = *std::move(fresh);
    chosen.reasons.push_back(fmt::format(
        "layout: a new one saves {:.2f} s of {:.2f} s, for a patch of {:.1f} MB", gain.saved_s(),
        gain.kept_s, static_cast<double>(gain.patch.total().chunk_bytes) / 1e6));
  }
  chosen.gain = std::move(gain);
  return pays;
}

// Compares the kept layout with a new one if a price was given, if there are new recordings, or if
// holes have grown.
Result<void> weigh(const LayoutRequest& request, const LayoutLock& lock, NewLayout& anew,
                   ChosenLayout& chosen) {
  const NewRecordings recordings = new_recordings(lock, request.profile);
  const bool has_reason = recordings.count > 0 || chosen.is_relayout_due;
  if (request.patch_price || (has_reason && is_small(request))) {
    const auto is_taken = take_if_it_pays(request, lock, anew, chosen);
    // Without a price the user didn't ask for this comparison, so its failure isn't an error.
    if (!is_taken && request.patch_price) return std::unexpected(is_taken.error());
    if (is_taken && *is_taken) return {};
  }
  if (recordings.count == 0) return {};
  chosen.new_recordings = recordings.count;
  chosen.warnings.push_back(describe(recordings));
  return {};
}

// Adds up the assets of all packs that scenarios read.
uint64_t swept_content_bytes(const Layout& layout) {
  uint64_t bytes = 0;
  for (const LaidPack& pack : layout.packs)
    if (pack.kind != PackKind::cold)
      for (const LaidAsset& asset : pack.assets) bytes += asset.size_bytes;
  return bytes;
}

// Returns true if `fresh` has all recordings that the lock knows. A build with fewer recordings
// must not lose what the others showed.
bool has_all_recordings(const LayoutLock& lock, const Layout& fresh) {
  return std::ranges::all_of(lock.scenarios, [&](const LaidScenario& scenario) {
    const auto found = std::ranges::find(fresh.scenarios, scenario.name, &LaidScenario::name);
    return scenario.runs == 0 || (found != fresh.scenarios.end() && found->runs >= scenario.runs);
  });
}

// Lays out the scenarios' assets as in `fresh`, keeps the lock's cold packs, and predicts the
// patch. Returns none if `fresh` lacks recordings that the lock knows.
std::optional<ChosenLayout> relay(const LayoutRequest& request, const LayoutLock& lock,
                                  const KeptContent& kept, const Result<ChosenLayout>& fresh) {
  if (!fresh || !has_all_recordings(lock, fresh->layout))
    return std::nullopt;  // no error, because the user didn't ask for it
  LockedAssets relaid = relay_layout(lock, fresh->layout, request.hashed, rules_of_assets(request),
                                     request.file.generations);
  PatchForecast patch = predict_patch(lock, relaid.layout, request.hashed, kept);
  return ChosenLayout{.layout = std::move(relaid.layout),
                      .gone = fresh->gone,
                      .warnings = fresh->warnings,
                      .is_relayout_due = relaid.is_relayout_due,
                      .patch = std::move(patch)};
}

// Plans again with `fewer_bytes` less for copies than `fresh` has. Returns none if `fresh` has no
// prediction, or not that many bytes of copies.
std::optional<Result<ChosenLayout>> plan_with_fewer_copies(const LayoutRequest& request,
                                                           const ChangeHistory& changes,
                                                           const Layout& fresh,
                                                           double fewer_bytes) {
  if (!fresh.prediction) return std::nullopt;
  const double bytes = static_cast<double>(fresh.prediction->copied_bytes) - fewer_bytes;
  if (bytes < 0) return std::nullopt;
  PlanOptions options = request.plan;
  options.budget_ratio =
      1 + bytes / static_cast<double>(std::max<uint64_t>(1, request.hashed.content().size_bytes()));
  LayoutRequest smaller = {request.file, options, request.profile, request.hashed};
  smaller.unrecorded = request.unrecorded;
  return plan_anew(smaller, changes);
}

// Takes a new layout of the scenarios' assets, with fewer copies if necessary. It must shorten
// sweeps, and write no more than a build may write for this release's changes. The patch of
// `chosen` must be set. Returns true if the new layout was taken.
bool relay_if_release_carries_it(const LayoutRequest& request, const LayoutLock& lock,
                                 const KeptContent& kept, NewLayout& anew, ChosenLayout& chosen) {
  if (request.profile.scenarios.empty() || !is_small(request)) return false;
  const auto written_by = [](const ChosenLayout& layout) {
    return static_cast<double>(layout.patch->change.written_bytes());
  };
  const double carried =
      request.file.generations.rewrite_price * static_cast<double>(chosen.fresh_bytes);
  const double allowed = std::min(std::max(carried, written_by(chosen)),
                                  static_cast<double>(request.hashed.content().size_bytes()));
  if (static_cast<double>(swept_content_bytes(chosen.layout)) > allowed) return false;
  const Result<ChosenLayout>& fresh = anew.plan(chosen.changes);
  std::optional<ChosenLayout> relaid = relay(request, lock, kept, fresh);
  double fewer_bytes = 0;
  for (int tried = 0; relaid && written_by(*relaid) > allowed && tried < kMostTried; ++tried) {
    fewer_bytes += kCopiesLeftOut * (written_by(*relaid) - allowed);
    const auto smaller =
        plan_with_fewer_copies(request, chosen.changes, fresh->layout, fewer_bytes);
    relaid = smaller ? relay(request, lock, kept, *smaller) : std::nullopt;
  }
  if (!relaid || written_by(*relaid) > allowed) return false;
  const auto swept = static_cast<double>(swept_bytes(relaid->layout));
  const double saved = static_cast<double>(swept_bytes(chosen.layout)) - swept;
  const bool is_free = written_by(*relaid) <= written_by(chosen);
  if (saved < (is_free ? kWorthFreeRelaying : kWorthRelaying) * swept) return false;
  relaid->changes = std::move(chosen.changes);
  relaid->warnings.emplace_back(
      "this release changes so much that what scenarios read also gets a new layout (--explain)");
  relaid->reasons.push_back(fmt::format(
      "layout: what scenarios read also gets a new one, since this release changes much: it saves "
      "{:.1f} % of what sweeps take, and clients write {:.1f} MB ({:.1f} MB if packs stay)",
      100 * saved / (swept + saved), written_by(*relaid) / 1e6, written_by(chosen) / 1e6));
  chosen = *std::move(relaid);
  return true;
}

// Reads the packs of the last release, if they exist and can be read unchanged.
Result<KeptContent> kept_content(const LayoutRequest& request, const LayoutLock& lock) {
  const std::optional<PacksOutput>& packs = request.file.packs;
  if (!packs || packs->codec != format::Codec::raw) return KeptContent();
  return find_kept(lock, packs->folder, request.hashed, request.hashed.content().sources);
}

}  // namespace

Result<ChosenLayout> choose_layout(const LayoutRequest& request) {
  const std::string& path = request.file.lock;
  if (path.empty() || kind_of_path(path) == PathKind::missing) return plan_anew(request);
  const auto lock = read_lock(path, &request.hashed.content());
  if (!lock) return std::unexpected(lock.error());
  const bool is_other_block =
      lock->block_bytes != request.plan.block_bytes || lock->fold_case != request.plan.fold_case;
  const bool is_new = request.makes_new_layout || is_other_block;
  ChangeHistory changes = lock->changes;
  changes.learn(*lock, request.hashed);
  auto chosen = is_new ? plan_anew(request, changes) : Result<ChosenLayout>(keep(request, *lock));
  if (!chosen) return chosen;
  chosen->changes = std::move(changes);
  SKL_TRY(const auto kept, kept_content(request, *lock));
  chosen->patch = predict_patch(*lock, chosen->layout, request.hashed, kept);
  NewLayout anew(request);
  const bool is_relaid =
      !is_new && relay_if_release_carries_it(request, *lock, kept, anew, *chosen);
  if (!is_new && !is_relaid) SKL_TRY_DO(weigh(request, *lock, anew, *chosen));
  if (!chosen->layout.prediction && !request.profile.scenarios.empty())
    predict_kept(chosen->layout, request.profile, request.hashed.content(), request.plan);
  if (is_other_block)
    chosen->reasons.emplace_back("layout: block or rule of case isn't that of the lock");
  // The patch is missing if weigh() has taken a new layout.
  if (!chosen->patch) chosen->patch = predict_patch(*lock, chosen->layout, request.hashed, kept);
  if (request.prices_updates && !is_new && !is_relaid && is_small(request))
    chosen->priced = price_updates({.lock = *lock,
                                    .hashed = request.hashed,
                                    .rules = rules_of_assets(request),
                                    .profile = request.profile,
                                    .plan = request.plan,
                                    .kept = kept},
                                   request.file.generations);
  return chosen;
}

}  // namespace seekless
