#include "runtime/reload.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "runtime/asset_path.h"
#include "runtime/context.h"
#include "runtime/file_link.h"
#include "runtime/heap_sort.h"
#include "runtime/open_mount.h"
#include "runtime/thread.h"

namespace seekless::runtime {
namespace {

// Programs save in several steps, a few ms apart; steps within this time are reported together.
constexpr uint32_t kGatherMs = 10;
constexpr uint64_t kMostGatherUs = 40'000;
// Wait before the next try if there was no memory, or no descriptor.
constexpr uint32_t kAgainMs = 50;
constexpr uint32_t kMostAgainMs = 2000;

}  // namespace

Reload::Reload(Of of, NameSpace& names, LooseFiles files,
               Result<std::unique_ptr<FolderWatch>> watch)
    : of_(std::move(of)),
      names_(names),
      files_(std::move(files)),
      own_deletions_(of_.own_deletions) {
  for (uint32_t i = 0; i < files_.size(); ++i) numbers_.emplace(files_[i].path, i);
  if (watch)
    watch_ = std::move(*watch);
  else
    failure_ = std::move(watch.error());
  has_failed_ = watch_ == nullptr;
}

Reload::~Reload() {
  stop();
}

// Also ends the thread.
void Reload::stop() {
  is_stopping_ = true;
  if (watch_ != nullptr) watch_->wake();
}

void Reload::start(skl_mount_id mount, bool has_threads) {
  mount_ = mount;
  if (watch_ == nullptr) return end(*failure());
  if (!has_threads) return;
  try {
    thread_ = start_thread([this] { run(); });
  } catch (...) {
    end(error_of_exception());
  }
}

std::optional<Error> Reload::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void Reload::end(Error failure) noexcept {
  skl_error error = {};
  error.struct_bytes = sizeof(error);
  fill(&error, failure);
  {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(failure);
    has_failed_ = true;
  }
  skl_change change = {};
  change.struct_bytes = sizeof(change);
  change.kind = SKL_CHANGE_UNWATCHED;
  change.mount = mount_;
  change.path = of_.folder.c_str();
  change.error = &error;
  tell(change);
}

void Reload::run() noexcept {
  uint32_t again_ms = kAgainMs;
  uint32_t timeout_ms = UINT32_MAX;
  while (!is_stopping_ && !has_failed_) {
    const bool is_done = take_turn(timeout_ms);
    timeout_ms = is_done ? UINT32_MAX : again_ms;
    again_ms = is_done ? kAgainMs : std::min(2 * again_ms, kMostAgainMs);
  }
}

void Reload::pump() noexcept {
  if (has_failed_ || is_stopping_ || is_pumped_.exchange(true)) return;
  take_turn(0);
  is_pumped_ = false;
}

// Returns false if there was no memory or no descriptor; then everything must be examined again.
bool Reload::take_turn(uint32_t timeout_ms) noexcept {
  const auto failed = failure_of([&] { return take_touched(timeout_ms); });
  looks_at_all_ = failed && (failed->result == SKL_OUT_OF_MEMORY || failed->result == SKL_IO);
  return !looks_at_all_;
}

Result<void> Reload::take_touched(uint32_t timeout_ms) {
  auto touched = watch_->wait(timeout_ms);
  if (!touched) {
    end(std::move(touched.error()));
    return {};
  }
  if (looks_at_all_) touched->emplace_back();
  if (touched->empty()) return {};
  std::optional<Error> failure;
  if (timeout_ms != 0) failure = gather(*touched);
  auto applied = is_stopping_ ? Result<void>() : apply(std::move(*touched));
  if (failure) end(std::move(*failure));
  return applied;
}

std::optional<Error> Reload::gather(Touched& all) {
  const uint64_t end_us = now_us() + kMostGatherUs;
  while (!is_stopping_ && now_us() < end_us) {
    auto more = watch_->wait(kGatherMs);
    if (!more) return std::move(more.error());
    if (more->empty()) break;
    std::ranges::move(*more, std::back_inserter(all));
  }
  return std::nullopt;
}

Result<void> Reload::apply(Touched paths) {
  heap_sort(paths);
  paths.erase(std::ranges::unique(paths).begin(), paths.end());
  if (paths.front().empty()) paths.resize(1);  // the root is included, so examine everything
  LooseFiles files = files_;
  std::vector<Change> changes;
  auto looked = [&]() -> Result<void> {
    for (const std::string& path : paths)
      if (auto one = look_at(path, files, changes); !one) return one;
    if (changes.empty()) return {};
    return publish(files, std::ranges::any_of(changes, [&](const Change& change) {
                     return files[change.number].path == kDeletionsName;
                   }));
  };
  const auto forget_new = [this] {
    std::erase_if(numbers_, [this](const auto& known) { return known.second >= files_.size(); });
  };
  try {
    if (auto done = looked(); !done) {
      forget_new();
      return done;
    }
  } catch (...) {
    forget_new();
    throw;
  }
  files_ = std::move(files);
  tell(changes);
  return {};
}

Result<void> Reload::look_at(const std::string& path, LooseFiles& files,
                             std::vector<Change>& changes) {
  const std::string full = path.empty() ? of_.folder : join({of_.folder, "/", path});
  const auto entry = of_.io->look(full);
  if (!entry && entry.error().result != SKL_NOT_FOUND) return std::unexpected(entry.error());
  const bool is_other = entry && entry->kind == FolderEntry::Kind::other;
  const auto found = is_other ? follow_link(full) : entry ? std::optional(*entry) : std::nullopt;
  const auto kind = found ? found->kind : FolderEntry::Kind::other;
  if (kind == FolderEntry::Kind::file && check_asset_path(path) == PathFault::none)
    note_file({path, found->stamp}, files, changes);
  else if (const auto known = numbers_.find(path); known != numbers_.end())
    note_gone(known->second, files, changes);
  const std::string below = path.empty() ? "" : join({path, "/"});
  LooseFiles listed;
  if (kind == FolderEntry::Kind::folder) {
    auto inside = list_loose_files(*of_.io, of_.folder, below, true);
    // The system will report files that are removed meanwhile.
    if (!inside && inside.error().result == SKL_NOT_FOUND) return {};
    if (!inside) return std::unexpected(inside.error());
    listed = std::move(*inside);
  }
  for (const LooseFile& file : listed) note_file(file, files, changes);
  note_gone(below, listed, files, changes);
  return {};
}

void Reload::note_file(const LooseFile& now, LooseFiles& files, std::vector<Change>& changes) {
  const auto [known, is_new] = numbers_.try_emplace(now.path, static_cast<uint32_t>(files.size()));
  const uint32_t number = known->second;
  if (is_new) files.push_back({now.path, {}, true});
  LooseFile& file = files[number];
  if (!file.is_gone && file.stamp == now.stamp) return;
  changes.push_back({file.is_gone ? SKL_CHANGE_ADDED : SKL_CHANGE_CHANGED, number});
  file = now;
}

// Notes the known files below a folder ("": all of them) that are missing in `listed`, which is
// sorted by path.
void Reload::note_gone(const std::string& below, const LooseFiles& listed, LooseFiles& files,
                       std::vector<Change>& changes) {
  for (auto at = numbers_.lower_bound(below); at != numbers_.end() && at->first.starts_with(below);
       ++at)
    if (!std::ranges::binary_search(listed, at->first, {}, &LooseFile::path))
      note_gone(at->second, files, changes);
}

void Reload::note_gone(uint32_t number, LooseFiles& files, std::vector<Change>& changes) {
  LooseFile& file = files[number];
  if (std::exchange(file.is_gone, true)) return;
  file.stamp = {};
  changes.push_back({SKL_CHANGE_REMOVED, number});
}

Result<void> Reload::publish(const LooseFiles& files, bool lists_deletions) {
  MountPointer mount = make_folder_mount(*of_.io, of_.folder, of_.folds_case, of_.memory, files);
  mount->keep(of_.io);
  if (lists_deletions) {
    auto own = read_deletions(*mount, of_.memory);
    // A list is briefly invalid while it is being written.
    if (own) own_deletions_ = std::move(*own);
  }
  std::vector<std::string> deletions = of_.rules.deletions;
  deletions.insert(deletions.end(), own_deletions_.begin(), own_deletions_.end());
  return names_.replace(mount_, std::move(mount), deletions);
}

void Reload::tell(const std::vector<Change>& changes) {
  const std::string at = of_.rules.at.empty() ? "" : join({of_.rules.at, "/"});
  for (const Change& one : changes) {
    const LooseFile& file = files_[one.number];
    const std::string path = at + file.path;
    skl_change change = {};
    change.struct_bytes = sizeof(change);
    change.kind = one.kind;
    change.mount = mount_;
    change.asset = uint64_t{change.mount} << 32 | one.number;
    change.size_bytes = file.stamp.size_bytes;
    change.path = path.c_str();
    tell(change);
  }
}

void Reload::tell(const skl_change& change) {
  const std::lock_guard lock(telling_);
  if (is_stopping_) return;
  tells_on_ = std::this_thread::get_id();
  of_.on_change(of_.user, &change);
  tells_on_ = std::thread::id();
}

std::shared_ptr<Reload> Reloads::find(skl_mount_id mount) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(all_, mount, [](const auto& one) { return one->mount(); });
  return found != all_.end() ? *found : nullptr;
}

void Reloads::add(std::shared_ptr<Reload> one) {
  const std::lock_guard lock(mutex_);
  all_.push_back(std::move(one));
}

void Reloads::remove(Reload* one) {
  one->stop();
  std::shared_ptr<Reload> removed;  // destroyed without the lock, which its callback may need
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(all_, one, [](const auto& each) { return each.get(); });
  if (found == all_.end()) return;
  removed = std::move(*found);
  all_.erase(found);
}

void Reloads::stop() {
  std::vector<std::shared_ptr<Reload>> stopped;
  const std::lock_guard lock(mutex_);
  stopped.swap(all_);
}

bool Reloads::is_watched(skl_mount_id mount, std::optional<Error>& failure) const {
  const auto found = find(mount);
  if (found != nullptr) failure = found->failure();
  return found != nullptr && !failure;
}

bool Reloads::is_own_thread(skl_mount_id mount) const {
  // Takes no shared ownership, because a mount's own thread may not be the last to release it.
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(
      all_, [&](const auto& one) { return one->mount() == mount && one->is_own_thread(); });
}

void Reloads::pump() noexcept {
  for (size_t i = 0;; ++i) {
    std::shared_ptr<Reload> one;
    {
      const std::lock_guard lock(mutex_);
      if (i >= all_.size()) return;
      one = all_[i];
    }
    one->pump();
  }
}

}  // namespace seekless::runtime
