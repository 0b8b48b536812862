// Watches the game for `seekless play` if its folder can't be served. It runs in a separate process
// beside the game.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "packer/answer/play_answer.h"
#include "packer/command/internal/play_learning.h"
#include "packer/serve/cache_watch.h"
#include "packer/serve/keeper.h"

namespace seekless {

class PlayWatcher final : public FolderServer {
 public:
  explicit PlayWatcher(PlaySettings settings) : settings_(std::move(settings)) {}
  Result<void> prepare() override;
  Result<std::string> serve(const ServedFolders& served) override;

 private:
  void warn(const std::string& text) { told_.warnings.push_back(text); }
  void warn_of_what_needs_serving();

  PlaySettings settings_;
  std::optional<PlayLearning> learning_;
  std::optional<CacheWatch> watch_;
  PlayedRun told_;
};

}  // namespace seekless
