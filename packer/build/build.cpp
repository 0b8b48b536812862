#include "packer/build/build.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <span>
#include <thread>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "packer/build/asset_hashes.h"
#include "packer/build/build_state.h"
#include "packer/build/choose_layout.h"
#include "packer/build/fingerprint.h"
#include "packer/build/input_files.h"
#include "packer/build/pack_key.h"
#include "packer/build/zip_output.h"
#include "packer/host/files.h"
#include "packer/host/folder_lock.h"
#include "packer/host/leftovers.h"
#include "packer/pack/catalog_writer.h"
#include "packer/pack/pack_plan.h"
#include "packer/pack/verify.h"
#include "runtime/catalog.h"
#include "runtime/file_io.h"
#include "runtime/tables.h"

namespace seekless {
namespace {

constexpr size_t kMostReasons = 20;  // of one kind; more are counted
// A little longer than a tick of the clock that stamps files.
constexpr auto kSettlingTime = std::chrono::milliseconds(25);
constexpr uint64_t kMostLockBytes = uint64_t{4} << 30;

struct TraceFile {
  std::string path;
  ChangeStamp stamp;

  bool operator==(const TraceFile&) const = default;
};

// Of the text of a file that may not be there; 0: it isn't.
Result<uint64_t> fingerprint_of_file(const std::string& path) {
  if (path.empty() || kind_of_path(path) == PathKind::missing) return 0;
  const auto text = read_text(path, kMostLockBytes);
  if (!text) return std::unexpected(text.error());
  Fingerprint print;
  print.add(std::string_view(*text));
  return print.value();
}

void add_stamp(const ChangeStamp& stamp, Fingerprint& print) {
  print.add(stamp.size_bytes);
  print.add(stamp.written_ns);
  print.add(stamp.changed_ns);
  print.add(stamp.inode);
}

// All that mapping a trace onto content looks at.
void add_structure(const Content& content, Fingerprint& print) {
  print.add(content.sources.size());
  for (const Source& source : content.sources) {
    print.add(std::string_view(source.path));
    print.add(source.kind);
    print.add(source.size_bytes);
    print.add(source.directory_offset_bytes);
  }
  const auto add = [&](std::string_view path, const Place& place) {
    print.add(path);
    print.add(place.size_bytes);
    print.add(place.stored_bytes);
    print.add(place.header_offset_bytes);
    print.add(place.header_bytes);
    print.add(place.source);
  };
  for (const Asset& asset : content.assets) add(asset.path, asset.place);
  for (const Shadowed& shadowed : content.shadowed) add(shadowed.path, shadowed.place);
}

// "12 assets changed, such as 'a/b'"
std::string count_of(size_t count, std::string_view what, const std::string& example) {
  return fmt::format("{} asset{} {}, such as '{}'", count, count == 1 ? "" : "s", what, example);
}

class Build {
 public:
  Build(const BuildFile& file, const BuildOptions& options, const BuildStages& stages)
      : file_(file), options_(options), stages_(stages) {}

  Result<BuildOutcome> run() {
    for (const auto step : {&Build::open_state, &Build::look_at_inputs}) {
      if (auto done = (this->*step)(); !done) return std::unexpected(done.error());
    }
    if (is_current()) {
      outcome_.is_current = true;
      return std::move(outcome_);
    }
    for (const auto step : {&Build::scan, &Build::make_profile, &Build::hash, &Build::make_layout,
                            &Build::compare_assets, &Build::update_zips, &Build::update_packs})
      if (auto done = (this->*step)(); !done) return std::unexpected(done.error());
    describe();
    return std::move(outcome_);
  }

 private:
  std::string in_state(const std::string& name) const { return file_.state + "/" + name; }

  // ---- what is known ----

  Result<void> open_state() {
    const bool exists = kind_of_path(file_.state) == PathKind::folder;
    if (options_.checks_only && !exists) return {};
    if (auto made = make_folders(file_.state); !made) return made;
    auto lock = FolderLock::take(file_.state, "build");
    if (!lock) return std::unexpected(lock.error());
    lock_.emplace(*std::move(lock));
    if (auto cleared = clear_leftovers(); !cleared) return cleared;
    auto state = read_build_state(in_state(kStateName));
    if (!state)
      outcome_.warnings.push_back(state.error().message);
    else
      state_ = *std::move(state);
    return {};
  }

  // Of builds that were killed: where files are written one by one.
  Result<void> clear_leftovers() const {
    if (options_.checks_only) return {};
    if (auto cleared = remove_leftovers(file_.state); !cleared) return cleared;
    for (const std::string* path :
         {&file_.lock, &file_.reports.html, &file_.reports.markdown, &file_.reports.json})
      if (!path->empty())
        if (auto cleared = remove_leftovers(path->substr(0, path->rfind('/'))); !cleared)
          return cleared;
    return {};
  }

  Result<void> look_at_inputs() {
    Fingerprint print;
    print.add(file_.fingerprint);
    print.add(options_.fingerprint);
    settings_ = print.value();
    auto files = find_input_files(file_.roots, file_.scan.exclude);
    if (!files) return std::unexpected(files.error());
    files_ = *std::move(files);
    if (auto found = find_traces(); !found) return found;
    const auto lock = fingerprint_of_file(file_.lock);
    if (!lock) return std::unexpected(lock.error());
    lock_print_ = *lock;
    return {};
  }

  Result<void> find_traces() {
    const auto paths = expand_patterns(file_.traces, file_.folder, file_.path);
    if (!paths) return std::unexpected(paths.error());
    for (const std::string& path : *paths) {
      const auto stamp = change_stamp_of(path);
      if (!stamp) return std::unexpected(stamp.error());
      traces_.push_back({path, stamp->value_or(ChangeStamp{})});
    }
    return {};
  }

  // Whether stamps show that nothing has changed since the last build. Says why not.
  bool is_current() {
    outcome_.is_first = !state_;
    if (!state_) {
      outcome_.reasons.emplace_back("nothing is known of an earlier build");
      return false;
    }
    if (options_.reads_all) outcome_.reasons.emplace_back("all content is to be read again");
    if (options_.makes_new_layout || options_.patch_price)
      outcome_.reasons.emplace_back("a new layout is asked for");
    if (state_->settings != settings_)
      outcome_.reasons.push_back(
          fmt::format("{}, or the program, isn't that of the last build", file_.path));
    if (state_->lock != lock_print_)
      outcome_.reasons.push_back(file_.lock + ": not as the last build left it");
    add_trace_reasons();
    add_output_reasons();
    std::vector<std::string> changes = describe_changes(state_->files, files_, kMostReasons + 1);
    if (changes.size() > kMostReasons) changes.back() = "and more";
    outcome_.reasons.insert(outcome_.reasons.end(), changes.begin(), changes.end());
    return outcome_.reasons.empty();
  }

  void add_trace_reasons() {
    std::map<std::string_view, const KnownTrace*> known;
    for (const KnownTrace& trace : state_->traces) known[trace.path] = &trace;
    for (const TraceFile& trace : traces_) {
      const auto before = known.find(trace.path);
      if (before == known.end()) {
        outcome_.reasons.push_back(fmt::format("trace {}: new", trace.path));
        continue;
      }
      if (before->second->stamp != trace.stamp || !before->second->is_settled)
        outcome_.reasons.push_back(fmt::format(
            "trace {}: {}", trace.path, describe_change(before->second->stamp, trace.stamp)));
      known.erase(before);
    }
    for (const auto& [path, trace] : known)
      outcome_.reasons.push_back(fmt::format("trace {}: gone", path));
  }

  void add_output_reasons() {
    if (file_.zips && state_->zips_key == 0) outcome_.reasons.emplace_back("zips: not made yet");
    if (file_.zips) {
      const auto zips = stamp_zips(file_);
      if (!zips || *zips != state_->zips)
        outcome_.reasons.emplace_back("zips: not as the last build left them");
    }
    for (const char* name : {kLayoutName, kOutcomeName})
      if (kind_of_path(in_state(name)) != PathKind::file)
        outcome_.reasons.push_back(in_state(name) + ": gone");
    if (!file_.packs) return;
    for (const KnownPack& pack : state_->packs) {
      if (const std::string fault = fault_of(pack.name, pack.stamp); !fault.empty())
        outcome_.reasons.push_back(fmt::format("output {}: {}", pack.name, fault));
    }
    if (const std::string fault = fault_of(runtime::kCatalogName, state_->catalog); !fault.empty())
      outcome_.reasons.push_back(fmt::format("output {}: {}", runtime::kCatalogName, fault));
  }

  // What is wrong with a file of the output; empty if it is as the last build left it.
  std::string fault_of(const std::string& name, const std::optional<ChangeStamp>& known) const {
    const auto stamp = change_stamp_of(file_.packs->folder + "/" + name);
    if (!stamp || !*stamp) return "gone";
    if (!known) return "the last build was ended before it was in place";
    return **stamp == *known ? "" : describe_change(*known, **stamp);
  }

  // ---- content and recordings ----

  Result<void> scan() {
    settle();
    auto content = scan_content(file_.roots, file_.scan);
    if (!content) return std::unexpected(content.error());
    content_ = *std::move(content);
    std::string appeared;
    auto matches = match_sources(content_, file_.roots, files_, appeared);
    if (!matches) return changed_meanwhile(appeared + ": new");
    file_of_source_ = *std::move(matches);
    for (const uint32_t file : file_of_source_) stamps_.push_back(files_[file].stamp);
    outcome_.assets = content_.assets.size();
    outcome_.content_bytes = content_.size_bytes();
    outcome_.files = content_.sources.size();
    outcome_.traces = traces_.size();
    warn_of_hidden();
    return {};
  }

  // What was written a moment ago could be written again within the same tick of the clock, and
  // keep its stamp. It is read after that tick is over.
  void settle() {
    reading_ns_ = file_clock_ns();
    const auto is_fresh = [&](const auto& file) { return !is_settled(file.stamp, reading_ns_); };
    if (std::ranges::none_of(files_, is_fresh) && std::ranges::none_of(traces_, is_fresh)) return;
    std::this_thread::sleep_for(kSettlingTime);
    reading_ns_ = file_clock_ns();
  }

  void warn_of_hidden() {
    if (content_.shadowed.empty()) return;
    const Shadowed& first = content_.shadowed.front();
    outcome_.warnings.push_back(
        fmt::format("{} entries are hidden by later ones, such as '{}' of {} by that of {}",
                    content_.shadowed.size(), first.path, content_.sources[first.place.source].path,
                    content_.sources[content_.assets[first.winner].place.source].path));
  }

  Result<void> make_profile() {
    if (traces_.empty()) {
      outcome_.warnings.emplace_back(
          "there are no recordings: everything goes to the cold pack. Record some loads "
          "('seekless record'), and name them under 'traces'");
      return {};
    }
    Fingerprint print;
    print.add(settings_);
    bool is_settled_all = true;
    for (const TraceFile& trace : traces_) {
      print.add(std::string_view(trace.path));
      add_stamp(trace.stamp, print);
      is_settled_all = is_settled_all && is_settled(trace.stamp, reading_ns_);
    }
    add_structure(content_, print);
    const bool can_keep = state_ && state_->profile == print.value() && !options_.reads_all;
    if (is_settled_all) profile_print_ = print.value();
    if (can_keep) {
      if (auto kept = read_profile(in_state(kProfileName))) {
        profile_ = *std::move(kept);
        return {};
      }
    }
    std::vector<std::string> paths;
    for (const TraceFile& trace : traces_) paths.push_back(trace.path);
    auto profile = stages_.profile(paths, content_, outcome_.warnings);
    if (!profile) return std::unexpected(profile.error());
    profile_ = *std::move(profile);
    if (options_.checks_only) return {};
    return write_profile(profile_, in_state(kProfileName));
  }

  Result<void> hash() {
    const bool finds_equal = !file_.lock.empty();
    const HashInput input = {.content = content_,
                             .roots = file_.roots,
                             .stamps = stamps_,
                             .state = state_ ? &*state_ : nullptr,
                             .trusts_stamps = !options_.reads_all};
    auto hashes = hash_assets(
        input, {.finds_equal = finds_equal, .threads = options_.threads, .done_bytes = nullptr});
    if (!hashes) return std::unexpected(hashes.error());
    hashes_ = *std::move(hashes);
    outcome_.hashed_bytes = hashes_.read_bytes;
    return {};
  }

  void compare_assets_with_known() {
    const std::vector<uint32_t> known = match_known_assets(content_, *state_);
    std::vector<bool> is_left(state_->assets.size(), true);
    for (uint32_t i = 0; i < known.size(); ++i) {
      const Asset& asset = content_.assets[i];
      if (known[i] == kNone) {
        outcome_.added.emplace_back(asset.path);
        continue;
      }
      is_left[known[i]] = false;
      const KnownAsset& before = state_->assets[known[i]];
      if (before.size_bytes != asset.place.size_bytes || before.hash != hashes_.hashes[i])
        outcome_.changed.emplace_back(asset.path);
    }
    for (size_t i = 0; i < is_left.size(); ++i)
      if (is_left[i]) outcome_.removed.emplace_back(state_->assets[i].path);
  }

  Result<void> compare_assets() {
    if (state_) compare_assets_with_known();
    return {};
  }

  // ---- layout ----

  Result<void> make_layout() {
    const HashedContent hashed(content_, hashes_.hashes);
    auto chosen = choose_layout({.file = file_,
                                 .plan = stages_.plan,
                                 .profile = profile_,
                                 .hashed = hashed,
                                 .makes_new_layout = options_.makes_new_layout,
                                 .patch_price = options_.patch_price});
    if (!chosen) return std::unexpected(chosen.error());
    chosen_ = *std::move(chosen);
    for (std::string& warning : chosen_.warnings) outcome_.warnings.push_back(std::move(warning));
    for (std::string& reason : chosen_.reasons) outcome_.reasons.push_back(std::move(reason));
    outcome_.gone = std::move(chosen_.gone);
    outcome_.moved = chosen_.moved;
    outcome_.patch = std::move(chosen_.patch);
    outcome_.is_relayout_due = chosen_.is_relayout_due;
    outcome_.gain = std::move(chosen_.gain);
    outcome_.scenarios = chosen_.layout.scenarios;
    outcome_.prediction = chosen_.layout.prediction;
    if (options_.checks_only) return check_layout(chosen_.layout, in_state(kLayoutName));
    return write_layout(chosen_.layout, in_state(kLayoutName));
  }

  // ---- packs ----

  const Layout& layout() const { return chosen_.layout; }

  uint32_t index_of(std::string_view path) const {
    const auto at = std::ranges::lower_bound(
        content_.assets, path, {}, [](const Asset& asset) { return std::string_view(asset.path); });
    return static_cast<uint32_t>(at - content_.assets.begin());
  }

  // Nothing if a part of the content isn't known yet.
  std::optional<uint64_t> key_of(const LaidPack& pack) const {
    bool is_known = true;
    const uint64_t key =
        pack_key(layout(), pack, file_.packs->codec, hash_seed_,
                 [&](const LaidAsset& asset) -> const format::ContentHash& {
                   const uint32_t index = index_of(asset.path);
                   is_known = is_known && hashes_.origins[index] != HashOrigin::provisional;
                   return hashes_.hashes[index];
                 });
    return is_known ? std::optional(key) : std::nullopt;
  }

  const KnownPack* known_pack(const std::string& name) const {
    if (!state_) return nullptr;
    const auto at = std::ranges::find(state_->packs, name, &KnownPack::name);
    return at == state_->packs.end() ? nullptr : &*at;
  }

  Result<void> update_packs() {
    if (!file_.packs) return finish_state({});
    const auto seed = choose_hash_seed(layout());
    if (!seed) return std::unexpected(seed.error());
    hash_seed_ = *seed;
    for (const LaidPack& pack : layout().packs) {
      PackOutcome& of = outcome_.packs.emplace_back();
      of.kind = pack.kind;
      of.written.file_name = pack.name + ".skl";
      of.reasons = reasons_to_write(pack, of.written.file_name);
      of.is_written = !of.reasons.empty();
    }
    if (outcome_.patch)
      for (size_t i = 0; i < outcome_.packs.size() && i < outcome_.patch->packs.size(); ++i)
        outcome_.packs[i].patch = outcome_.patch->packs[i].patch;
    note_removed_packs();
    if (options_.checks_only) return check_packs();
    return write_packs();
  }

  void note_removed_packs() {
    if (!state_) return;
    for (const KnownPack& pack : state_->packs)
      if (std::ranges::none_of(outcome_.packs, [&](const PackOutcome& of) {
            return of.written.file_name == pack.name;
          }))
        outcome_.removed_packs.push_back(pack.name);
  }

  std::vector<std::string> reasons_to_write(const LaidPack& pack, const std::string& name) const {
    const KnownPack* known = known_pack(name);
    if (known == nullptr) return {state_ ? "new" : "nothing is known of it"};
    const auto key = key_of(pack);
    if (!key || *key != known->key) return reasons_of_content(pack);
    const std::string fault = fault_of(name, known->stamp);
    if (fault.empty() || is_whole(name, known->pack_id)) return {};
    return {fault};
  }

  // Whether the file is the pack of this id, read whole: it may have been restored from a copy, or
  // the last build may not have got to note that it is in place.
  bool is_whole(const std::string& name, uint64_t pack_id) const {
    const std::string path = file_.packs->folder + "/" + name;
    const auto io = runtime::make_system_file_io();
    const auto opened = io->open(path);
    const auto header = opened ? runtime::read_header(**opened) : std::unexpected(opened.error());
    if (!header || header->checksum != pack_id) return false;
    const auto report = verify(path, {.threads = options_.threads});
    return report && report->damages.empty();
  }

  std::vector<std::string> reasons_of_content(const LaidPack& pack) const {
    std::vector<std::string> reasons;
    const auto add = [&](const std::vector<std::string>& paths, std::string_view what) {
      const LaidAsset* example = nullptr;
      size_t count = 0;
      for (const LaidAsset& asset : pack.assets) {
        if (!std::ranges::binary_search(paths, asset.path)) continue;
        if (example == nullptr) example = &asset;
        ++count;
      }
      if (count > 0) reasons.push_back(count_of(count, what, std::string(example->path)));
    };
    add(outcome_.changed, "changed");
    add(outcome_.added, "new");
    if (reasons.empty()) reasons.emplace_back("its layout, or how it is stored, changed");
    return reasons;
  }

  Result<void> check_packs() {
    outcome_.is_changed = outcome_.is_changed ||
                          std::ranges::any_of(outcome_.packs, &PackOutcome::is_written) ||
                          !outcome_.removed_packs.empty();
    if (outcome_.is_changed) return {};
    std::vector<WrittenPack> written;
    for (size_t i = 0; i < layout().packs.size(); ++i) {
      auto finished = read_finished_pack(
          layout().packs[i], file_.packs->folder + "/" + outcome_.packs[i].written.file_name);
      if (!finished) return std::unexpected(finished.error());
      outcome_.packs[i].written = finished->written;
      written.push_back(std::move(finished->written));
    }
    auto catalog = build_catalog(layout(), written, hash_seed_);
    if (!catalog) return std::unexpected(catalog.error());
    catalog->seal();
    const std::vector<std::byte> bytes = catalog->take_bytes();
    const auto there =
        read_text(file_.packs->folder + "/" + runtime::kCatalogName, bytes.size() + 1);
    outcome_.is_changed = !there || !std::ranges::equal(std::as_bytes(std::span(*there)), bytes);
    return {};
  }

  uint64_t bytes_to_write() const {
    uint64_t bytes = 0;
    for (size_t i = 0; i < outcome_.packs.size(); ++i)
      if (outcome_.packs[i].is_written) bytes += layout().packs[i].size_bytes();
    return bytes;
  }

  Result<void> write_packs() {
    std::vector<std::string> known;
    if (state_)
      for (const KnownPack& pack : state_->packs) known.push_back(pack.name);
    auto folder = PackFolder::open(file_.packs->folder, std::move(known));
    if (!folder) return std::unexpected(folder.error());
    PackWriteOptions options = {.codec = file_.packs->codec,
                                .threads = options_.threads,
                                .hash_seed = hash_seed_,
                                .done_bytes = stages_.begin_work("packing", bytes_to_write())};
    SetUpdateHooks hooks;
    hooks.is_current = [&](size_t pack) { return !outcome_.packs[pack].is_written; };
    hooks.before_commit = [&](const SetUpdate& update) { return before_commit(update); };
    auto update = update_pack_set(layout(), options, *folder, hooks);
    if (!update) return std::unexpected(update.error());
    outcome_.is_changed = outcome_.is_changed || update->is_changed;
    for (size_t i = 0; i < update->packs.size(); ++i)
      outcome_.packs[i].written = update->packs[i].written;
    return finish_state(*update);
  }

  // All is staged: the last look at the inputs, and then what the next build needs to know in case
  // this one gets no further.
  Result<void> before_commit(const SetUpdate& update) {
    if (auto taken = take_hashes(update); !taken) return taken;
    if (auto checked = check_inputs(); !checked) return checked;
    if (!file_.lock.empty())
      if (auto written = write_new_lock(); !written) return written;
    return write_state(update, false);
  }

  // Of content that was read for the first time, or in vain.
  Result<void> take_hashes(const SetUpdate& update) {
    for (size_t i = 0; i < update.packs.size(); ++i) {
      if (!update.is_written[i]) continue;
      for (size_t k = 0; k < layout().packs[i].assets.size(); ++k) {
        const LaidAsset& asset = layout().packs[i].assets[k];
        const uint32_t index = index_of(asset.path);
        const format::ContentHash& hash = update.packs[i].hashes[k];
        if (hashes_.origins[index] == HashOrigin::provisional) {
          hashes_.hashes[index] = hash;
          hashes_.origins[index] = HashOrigin::read;
        } else if (hashes_.hashes[index] != hash) {
          return changed_meanwhile(
              fmt::format("{}: other bytes than before, with the same stamp", asset.path));
        }
      }
    }
    return {};
  }

  Result<void> check_inputs() const {
    const auto files = find_input_files(file_.roots, file_.scan.exclude);
    if (!files) return std::unexpected(files.error());
    if (const auto difference = first_difference(files_, *files))
      return changed_meanwhile(*difference);
    for (const TraceFile& trace : traces_) {
      const auto stamp = change_stamp_of(trace.path);
      if (!stamp) return std::unexpected(stamp.error());
      if (!*stamp || **stamp != trace.stamp) return changed_meanwhile(trace.path);
    }
    return {};
  }

  static std::unexpected<Error> changed_meanwhile(const std::string& what) {
    return failed({.file = what,
                   .expected = "inputs that stay as they are while they are read",
                   .found = "a change during the build; no output was replaced",
                   .advice = "build again when nobody writes to the content"});
  }

  Result<void> write_new_lock() {
    if (auto written =
            write_lock(make_lock(layout(), HashedContent(content_, hashes_.hashes)), file_.lock);
        !written)
      return written;
    const auto print = fingerprint_of_file(file_.lock);
    if (!print) return std::unexpected(print.error());
    lock_print_ = *print;
    return {};
  }

  // ---- zips ----

  // They are replaced by themselves, all or none, and before the packs.
  Result<void> update_zips() {
    if (!file_.zips) return {};
    const auto content = scan_archives(file_);
    if (!content) return std::unexpected(content.error());
    zips_key_ = key_of_zips(*content);
    ZipsOutcome& zips = outcome_.zips.emplace();
    auto outputs = stamp_zips(file_);
    if (!outputs) return std::unexpected(outputs.error());
    if (!state_ || state_->zips_key != zips_key_)
      zips.reasons.emplace_back("the archives, the recordings or the build file changed");
    else if (*outputs != state_->zips)
      zips.reasons.emplace_back("they aren't as the last build left them");
    zips.is_written = !zips.reasons.empty();
    zips_ = *std::move(outputs);
    if (!zips.is_written) return {};
    outcome_.is_changed = true;
    return options_.checks_only ? Result<void>{} : write_zips_of(*content);
  }

  Result<void> write_zips_of(const Content& content) {
    std::vector<std::string> paths;
    for (const TraceFile& trace : traces_) paths.push_back(trace.path);
    std::vector<std::string> told_before;  // the packs' profile has warned of the same
    auto profile =
        paths.empty() ? Result<Profile>(Profile{}) : stages_.profile(paths, content, told_before);
    if (!profile) return std::unexpected(profile.error());
    if (auto checked = check_inputs(); !checked) return checked;
    auto archives = write_zips(file_, content, *profile, stages_.plan);
    if (!archives) return std::unexpected(archives.error());
    for (const RepackedArchive& archive : *archives)
      if (archive.is_faulty)
        outcome_.warnings.push_back(
            fmt::format("{}: left as it is: {}", archive.name, archive.reason));
    outcome_.zips->archives = *std::move(archives);
    auto outputs = stamp_zips(file_);
    if (!outputs) return std::unexpected(outputs.error());
    zips_ = *std::move(outputs);
    return {};
  }

  uint64_t key_of_zips(const Content& content) const {
    Fingerprint print;
    print.add(settings_);
    for (const TraceFile& trace : traces_) {
      print.add(std::string_view(trace.path));
      add_stamp(trace.stamp, print);
    }
    for (const Source& source : content.sources) {
      if (source.kind != SourceKind::zip) continue;
      print.add(std::string_view(source.path));
      if (const auto stamp = change_stamp_of(source.path); stamp && *stamp)
        add_stamp(**stamp, print);
    }
    return print.value();
  }

  // ---- what the next build is told ----

  Result<void> finish_state(const SetUpdate& update) {
    if (options_.checks_only) return {};
    if (!file_.packs)
      if (auto checked = check_inputs(); !checked) return checked;
    return write_state(update, true);
  }

  Result<void> write_state(const SetUpdate& update, bool is_in_place) const {
    BuildState state;
    state.settings = settings_;
    state.lock = lock_print_;
    state.profile = profile_print_;
    state.zips_key = zips_key_;
    state.zips = zips_;
    add_files(state);
    for (const TraceFile& trace : traces_)
      state.traces.push_back({trace.path, is_settled(trace.stamp, reading_ns_), trace.stamp});
    for (size_t i = 0; i < update.packs.size(); ++i) {
      const std::string& name = update.packs[i].written.file_name;
      KnownPack known = {.name = name, .pack_id = update.packs[i].written.pack_id};
      known.key = key_of(layout().packs[i]).value_or(0);
      if (is_in_place || !update.is_written[i]) known.stamp = stamp_in_place(name);
      state.packs.push_back(std::move(known));
    }
    if (is_in_place && file_.packs) state.catalog = stamp_in_place(runtime::kCatalogName);
    return write_build_state(state, in_state(kStateName));
  }

  std::optional<ChangeStamp> stamp_in_place(const std::string& name) const {
    return change_stamp_of(file_.packs->folder + "/" + name).value_or(std::nullopt);
  }

  // Files by root and path, and the assets that lie in them.
  void add_files(BuildState& state) const {
    state.files.reserve(files_.size());
    for (const InputFile& file : files_)
      state.files.push_back({.path = file.path,
                             .root = file.root,
                             .is_settled = is_settled(file.stamp, reading_ns_),
                             .stamp = file.stamp});
    for (size_t i = 0; i < content_.sources.size(); ++i)
      state.files[file_of_source_[i]].kind = content_.sources[i].kind;
    state.assets.reserve(content_.assets.size());
    for (size_t i = 0; i < content_.assets.size(); ++i) {
      const Place& place = content_.assets[i].place;
      if (hashes_.origins[i] == HashOrigin::provisional) continue;
      state.assets.push_back({content_.assets[i].path, file_of_source_[place.source], place.crc32,
                              place.size_bytes, hashes_.hashes[i]});
    }
  }

  void describe() {
    if (outcome_.reasons.empty() && outcome_.is_changed)
      outcome_.reasons.emplace_back("the outputs aren't as they would be made now");
  }

  const BuildFile& file_;
  const BuildOptions& options_;
  const BuildStages& stages_;
  std::optional<FolderLock> lock_;
  std::optional<BuildState> state_;
  uint64_t settings_ = 0;
  uint64_t lock_print_ = 0;
  uint64_t profile_print_ = 0;
  int64_t reading_ns_ = 0;  // when reading of the inputs began
  std::vector<InputFile> files_;
  std::vector<TraceFile> traces_;
  Content content_;
  std::vector<uint32_t> file_of_source_;  // in files_
  std::vector<ChangeStamp> stamps_;       // by source
  Profile profile_;
  AssetHashes hashes_;
  ChosenLayout chosen_;
  uint64_t hash_seed_ = 0;
  uint64_t zips_key_ = 0;
  std::vector<KnownOutput> zips_;
  BuildOutcome outcome_;
};

}  // namespace

Result<BuildOutcome> run_build(const BuildFile& file, const BuildOptions& options,
                               const BuildStages& stages) {
  return Build(file, options, stages).run();
}

}  // namespace seekless
