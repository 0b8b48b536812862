#include "packer/command/internal/play_watcher.h"

#include <fmt/format.h>

#include "packer/base/paths.h"
#include "packer/host/block_device.h"
#include "packer/host/files.h"

namespace seekless {
namespace {

// A file is seen where its folder is watched.
std::vector<std::string> watched_folders(const PlaySettings& settings) {
  std::vector<std::string> folders = settings.folders;
  for (std::string& folder : folders)
    if (kind_of_path(folder) == PathKind::file) folder = std::string(folder_above(folder));
  return outermost(folders);
}

}  // namespace

// The game waits for this.
Result<void> PlayWatcher::prepare() {
  const FoundDrive drive = drive_of_path(settings_.game.folder);
  // Nothing counts what another machine reads for others, so a sweep couldn't give way.
  if (drive.is_on_network)
    return failed({.file = settings_.game.path(),
                   .expected = "files on a drive of this machine, as they aren't served",
                   .found = "files of another machine"});
  SKL_TRY(auto learning, PlayLearning::open(settings_));
  learning_.emplace(std::move(learning));
  watch_.emplace(settings_.game.folder, watched_folders(settings_));
  std::string warning;
  Learned known = learning_->load(warning);
  if (!warning.empty()) warn(warning);
  const ForeseeOptions options = learning_->options_for(known, drive);
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
  return handed_over(told_);
}

void PlayWatcher::warn_of_what_needs_serving() {
  if (!settings_.trace.empty())
    warn("--trace: only a served game can be recorded like this; use 'seekless record'");
  if (settings_.lays_out)
    warn("--lay-out: only a served game reads what is laid out; nothing is copied this time");
}

}  // namespace seekless
