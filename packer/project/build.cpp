#include "packer/project/build.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "packer/host/files.h"
#include "packer/host/folder_lock.h"
#include "packer/host/leftovers.h"
#include "packer/pack/duplicates.h"
#include "packer/project/internal/asset_hashes.h"
#include "packer/project/internal/build_inputs.h"
#include "packer/project/internal/build_reasons.h"
#include "packer/project/internal/build_state.h"
#include "packer/project/internal/choose_layout.h"
#include "packer/project/internal/fingerprint.h"
#include "packer/project/internal/known_assets.h"
#include "packer/project/internal/pack_output.h"
#include "packer/project/internal/zip_output.h"

namespace seekless {
namespace {

class Build {
 public:
  Build(const BuildFile& file, const BuildOptions& options, const BuildStages& stages)
      : file_(file), options_(options), stages_(stages) {}

  Result<BuildOutcome> run() {
    for (const auto step : {&Build::open_folder, &Build::look}) SKL_TRY_DO((this->*step)());
    if (outcome_.is_current) return std::move(outcome_);
    for (const auto step : {&Build::scan, &Build::make_profile, &Build::hash, &Build::make_layout,
                            &Build::make_zips, &Build::make_packs})
      SKL_TRY_DO((this->*step)());
    if (outcome_.reasons.empty() && outcome_.is_changed)
      outcome_.reasons.emplace_back("the outputs aren't as they would be made now");
    return std::move(outcome_);
  }

 private:
  std::string in_state(const std::string& name) const { return file_.state + "/" + name; }

  // Returns the state of the last build; null if nothing is known.
  const BuildState* state() const { return state_ ? &*state_ : nullptr; }

  // ---- the last build ----

  Result<void> open_folder() {
    const bool exists = kind_of_path(file_.state) == PathKind::folder;
    if (options_.checks_only && !exists) return {};
    SKL_TRY_DO(make_folders(file_.state));
    SKL_TRY(auto lock, FolderLock::take(file_.state, "build"));
    lock_.emplace(std::move(lock));
    return clear_leftovers();
  }

  // Removes the temporary files of builds that were killed, from all folders where single files are
  // written.
  Result<void> clear_leftovers() const {
    if (options_.checks_only) return {};
    SKL_TRY_DO(remove_leftovers(file_.state));
    for (const std::string* path :
         {&file_.lock, &file_.reports.html, &file_.reports.markdown, &file_.reports.json})
      if (!path->empty()) SKL_TRY_DO(remove_leftovers(path->substr(0, path->rfind('/'))));
    return {};
  }

  // Compares stamps, which may show that nothing has changed since the last build.
  Result<void> look() {
    SKL_TRY(auto inputs, look_at_inputs(file_, options_));
    inputs_ = std::move(inputs);
    FileChanges changes(inputs_.files.files, kMostNamedFiles + 1);
    auto state = read_build_state(in_state(kStateName),
                                  {.file = [&](const KnownFile& before) { changes.add(before); }});
    if (!state)
      outcome_.warnings.push_back(state.error().message);
    else
      state_ = *std::move(state);
    outcome_.is_first = !state_;
    outcome_.reasons = reasons_to_build(file_, options_, inputs_, this->state(), changes.finish());
    outcome_.is_current = outcome_.reasons.empty();
    // Another version of the program, or other settings, may recognise other files as archives.
    if (state_ && state_->settings == inputs_.settings && !options_.reads_all)
      inputs_.is_known_plain = changes.take_known_plain();
    return {};
  }

  // ---- content and recordings ----

  Result<void> scan() {
    SKL_TRY_DO(scan_inputs(file_, inputs_));
    outcome_.assets = inputs_.content.assets.size();
    outcome_.content_bytes = inputs_.content.size_bytes();
    outcome_.files = inputs_.content.sources.size();
    outcome_.traces = inputs_.traces.size();
    for (const std::string& warning : warnings_of(inputs_.content))
      outcome_.warnings.push_back(warning);
    return {};
  }

  Result<void> make_profile() {
    if (inputs_.traces.empty()) {
      outcome_.warnings.emplace_back(
          "there are no recordings: everything goes to the cold pack. Record some loads "
          "('seekless record'), and name them under 'traces'");
      return {};
    }
    const uint64_t print = fingerprint_of_profile(inputs_);
    SKL_TRY(const auto known, print_with_profile(print));
    if (state_ && state_->profile == known && !options_.reads_all) {
      // An empty profile is only a stand-in while a layout is kept, so it isn't reused: the profile
      // stage decides.
      auto kept = read_profile(in_state(kProfileName));
      if (kept && !kept->scenarios.empty()) {
        profile_ = *std::move(kept);
        if (are_traces_settled(inputs_)) profile_print_ = known;
        return {};
      }
    }
    // The stage rewrites the loads that belong to the profile before the profile itself is written,
    // so the old profile is removed first.
    if (!options_.checks_only && kind_of_path(in_state(kProfileName)) != PathKind::missing)
      SKL_TRY_DO(remove_file(in_state(kProfileName)));
    SKL_TRY(auto profile,
            stages_.profile(paths_of(inputs_.traces), inputs_.content, outcome_.warnings));
    profile_ = std::move(profile);
    if (options_.checks_only) return {};
    SKL_TRY_DO(write_profile(profile_, in_state(kProfileName)));
    SKL_TRY(const auto made, print_with_profile(print));
    if (are_traces_settled(inputs_)) profile_print_ = made;
    return {};
  }

  // Hashes the profile's inputs together with the profile itself. A killed build may have made the
  // profile from other recordings, which no longer exist.
  Result<uint64_t> print_with_profile(uint64_t inputs_print) const {
    SKL_TRY(const auto file_print, fingerprint_of_file(in_state(kProfileName)));
    Fingerprint print;
    print.add(inputs_print);
    print.add(file_print);
    return print.value();
  }

  // Returns the assets as the last build recorded them.
  std::optional<KnownAssets> recall() const {
    if (!state_) return std::nullopt;
    AssetMatcher matcher(inputs_.content, inputs_.files.files, inputs_.file_of_source);
    const auto again = read_build_state(
        in_state(kStateName), {.file = [&](const KnownFile& before) { matcher.add(before); },
                               .asset = [&](const KnownAsset& before) { matcher.add(before); }});
    if (!again || !*again) return std::nullopt;
    return matcher.finish();
  }

  // Tells which new assets to read. With a lock, the layout must be the same whether or not an
  // earlier build's state exists. Without a lock, equal content must be found, which takes few
  // reads in a first build.
  NewAssets new_assets_to_read(bool knows_some) const {
    if (file_.lock.empty()) return knows_some ? NewAssets::equal_sizes : NewAssets::unread;
    const bool exists = kind_of_path(file_.lock) == PathKind::file;
    return exists ? NewAssets::all : NewAssets::equal_sizes;
  }

  // Hashes the content, and compares it with the last build.
  Result<void> hash() {
    std::optional<KnownAssets> known = recall();
    const HashInput input = {.content = inputs_.content,
                             .known = known ? &*known : nullptr,
                             .trusts_stamps = !options_.reads_all};
    const NewAssets new_assets = new_assets_to_read(known.has_value());
    SKL_TRY(auto hashes, hash_assets(input, {.new_assets = new_assets,
                                             .threads = options_.threads,
                                             .done_bytes = nullptr}));
    hashes_ = std::move(hashes);
    outcome_.hashed_bytes = hashes_.read_bytes;
    if (new_assets == NewAssets::unread) {
      SKL_TRY(const auto same_as, find_equal_assets(inputs_.content, options_.threads));
      for (size_t i = 0; i < same_as.size(); ++i) hashes_.hashes[i] = hashes_.hashes[same_as[i]];
    }
    if (known) compare_assets(inputs_.content, hashes_, *std::move(known), outcome_);
    return {};
  }

  // ---- layout ----

  Result<void> make_layout() {
    const HashedContent hashed(inputs_.content, hashes_.hashes);
    std::optional<UnrecordedMaps> unrecorded;
    auto chosen = choose_layout({.file = file_,
                                 .plan = stages_.plan,
                                 .profile = profile_,
                                 .hashed = hashed,
                                 .makes_new_layout = options_.makes_new_layout,
                                 .patch_price = options_.patch_price,
                                 .prices_updates = options_.prices_updates,
                                 .unrecorded = [&]() -> const UnrecordedMaps& {
                                   if (!unrecorded)
                                     unrecorded =
                                         read_unrecorded_maps(profile_, inputs_.content,
                                                              stages_.plan.drive, options_.threads);
                                   return *unrecorded;
                                 }});
    if (!chosen) return std::unexpected(chosen.error());
    chosen_ = *std::move(chosen);
    chosen_.layout.sources = std::move(inputs_.content.sources);
    for (std::string& warning : chosen_.warnings) outcome_.warnings.push_back(std::move(warning));
    for (std::string& reason : chosen_.reasons) outcome_.reasons.push_back(std::move(reason));
    outcome_.gone = std::move(chosen_.gone);
    outcome_.patch = std::move(chosen_.patch);
    outcome_.priced = std::move(chosen_.priced);
    outcome_.changes = chosen_.changes;
    outcome_.is_relayout_due = chosen_.is_relayout_due;
    outcome_.new_recordings = chosen_.new_recordings;
    outcome_.gain = std::move(chosen_.gain);
    outcome_.scenarios = chosen_.layout.scenarios;
    outcome_.prediction = chosen_.layout.prediction;
    if (options_.checks_only) return check_layout(chosen_.layout, in_state(kLayoutName));
    return write_layout(chosen_.layout, in_state(kLayoutName));
  }

  // ---- outputs ----

  Result<void> make_zips() {
    if (!file_.zips) return {};
    SKL_TRY(auto zips, update_zips(file_, options_, stages_, inputs_, state(), outcome_));
    zips_ = std::move(zips);
    return {};
  }

  Result<void> make_packs() {
    profile_ = {};
    next_ = take_inputs(inputs_, chosen_.layout.sources, std::move(hashes_));
    if (!file_.packs) return finish_without_packs();
    SKL_TRY(auto packs,
            PackOutput::decide(
                {.file = file_, .options = options_, .state = state(), .layout = chosen_.layout},
                next_, outcome_));
    if (options_.checks_only) return packs.check();
    const auto update =
        packs.write(stages_, [&](const SetUpdate& staged) { return before_commit(packs, staged); });
    if (!update) return std::unexpected(update.error());
    return write_pack_state(packs, *update, true);
  }

  Result<void> finish_without_packs() {
    if (options_.checks_only) return {};
    SKL_TRY_DO(check_files());
    return write_state();
  }

  // Runs when everything is staged: it checks the inputs for the last time, and stores what the
  // next build needs to know in case this one gets no further.
  Result<void> before_commit(const PackOutput& packs, const SetUpdate& update) {
    SKL_TRY_DO(check_files());
    if (!file_.lock.empty()) SKL_TRY_DO(write_new_lock(update));
    return write_pack_state(packs, update, false);
  }

  Result<void> write_new_lock(const SetUpdate& update) {
    const auto hash_of = [&](std::string_view path) -> const format::ContentHash& {
      return std::ranges::lower_bound(next_.state.assets, path, {}, &KnownAsset::path)->hash;
    };
    LayoutLock lock = make_lock(chosen_.layout, hash_of);
    lock.changes = std::move(chosen_.changes);
    for (size_t i = 0; i < lock.packs.size(); ++i) note_file(update, i, lock.packs[i]);
    SKL_TRY_DO(write_lock(lock, file_.lock));
    SKL_TRY(const auto print, fingerprint_of_file(file_.lock));
    inputs_.lock_print = print;
    return {};
  }

  // Turns the dead content of a pack that had to be written into holes, because no later build can
  // use it.
  static void note_file(const SetUpdate& update, size_t pack, LockedPack& locked) {
    locked.pack_id = update.packs[pack].written.pack_id;
    if (update.is_written[pack])
      for (LockedAsset& dead : locked.dead) dead.hash = {};
  }

  // ---- what the next build needs to know ----

  Result<void> check_files() const {
    return check_inputs(file_, inputs_.traces, next_.state.files);
  }

  Result<void> write_state() {
    BuildState& made = next_.state;
    made.settings = inputs_.settings;
    made.lock = inputs_.lock_print;
    made.profile = profile_print_;
    made.zips_key = zips_.key;
    made.zips = zips_.outputs;
    drop_unread(next_);
    return write_build_state(made, in_state(kStateName));
  }

  Result<void> write_pack_state(const PackOutput& packs, const SetUpdate& update,
                                bool is_in_place) {
    packs.add_packs(update, is_in_place);
    return write_state();
  }

  const BuildFile& file_;
  const BuildOptions& options_;
  const BuildStages& stages_;
  std::optional<FolderLock> lock_;
  std::optional<BuildState> state_;
  uint64_t profile_print_ = 0;
  BuildInputs inputs_;
  Profile profile_;
  AssetHashes hashes_;
  NextState next_;  // receives the data of inputs_ and hashes_ once the layout is made
  ChosenLayout chosen_;
  ZipsState zips_;
  BuildOutcome outcome_;
};

}  // namespace

Result<BuildOutcome> run_build(const BuildFile& file, const BuildOptions& options,
                               const BuildStages& stages) {
  return Build(file, options, stages).run();
}

}  // namespace seekless
