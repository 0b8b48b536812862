#include "packer/command/internal/play_watcher.h"

#include <algorithm>

#include <fmt/format.h>

#include "packer/host/block_device.h"

namespace seekless {

// The game doesn't start before this is done.
Result<void> PlayWatcher::prepare() {
  // On a network drive, other reads can't be observed, so a sweep couldn't give way to them.
  if (std::ranges::any_of(settings_.folders,
                          [](const std::string& path) { return lies_on_network(path); }))
    return failed({.file = settings_.game.path(),
                   .expected = "files on a drive of this machine, as they aren't served",
                   .found = "files of another machine"});
  SKL_TRY(auto learning, PlayLearning::open(settings_));
  learning_.emplace(std::move(learning));
  watch_.emplace(settings_.game.folder, settings_.folders);
  std::string warning;
  Learned known = learning_->load(warning);
  if (!warning.empty()) warn(warning);
  const ForeseeOptions options =
      learning_->options_for(known, drive_of_path(settings_.game.folder));
  watch_->begin(std::move(known), options);
  return {};
}

Result<std::string> PlayWatcher::serve(const ServedFolders& served) {
  WatchedEnd end = watch_->watch(served.end);
  if (watch_->is_refused())
    warn(
        fmt::format("{}: most of its files belong to others, and Linux tells only who may write a "
                    "file what of it is in memory; nothing is learned of them",
                    settings_.game.folder));
  warn_of_what_needs_serving();
  if (auto kept = keep_watched(*learning_, end, told_); !kept)
    warn(kept.error().message + "; nothing is learned this time");
  learning_.reset();  // unlocks the state for the next run, even if this process can't end yet
  return handed_over(told_);
}

void PlayWatcher::warn_of_what_needs_serving() {
  if (!settings_.trace.empty())
    warn("--trace: only a served game can be recorded like this; use 'seekless record'");
  if (settings_.lays_out)
    warn("--lay-out: only a served game reads what is laid out; nothing is copied this time");
}

}  // namespace seekless
