// Serves the folder for `seekless play`: it prefetches, learns, records, and takes marks from other
// shells. It runs in the serving process.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "packer/answer/play_answer.h"
#include "packer/command/internal/play_learning.h"
#include "packer/record/recording.h"
#include "packer/serve/foreseen_reads.h"
#include "packer/serve/keeper.h"
#include "packer/serve/reads_of_game.h"
#include "packer/serve/recorded_reads.h"

namespace seekless {

class PlayServer final : public FolderServer {
 public:
  explicit PlayServer(PlaySettings settings) : settings_(std::move(settings)) {}
  Result<void> prepare() override;
  Result<std::string> serve(const ServedFolders& served) override;

 private:
  void warn(const std::string& text) { told_.warnings.push_back(text); }
  void warn_of_trace(const Error& why) { warn(why.message + "; nothing is recorded this time"); }
  Result<void> serve_and_warn(const ServedFolders& served, FileReader& reader);
  Result<void> serve_recorded(const ServedFolders& served, FileReader& reader);
  void mark_loads(const std::vector<SeenLoad>& loads);
  void keep(Learned learned, const ServedFolders& served);
  bool can_lay_out(const Learned& learned) const;
  void begin_to_lay_out();

  PlaySettings settings_;
  FoundDrive drive_;  // the drive under the served folder
  std::unique_ptr<Recording> recording_;
  std::optional<PlayLearning> learning_;
  // The process ends without destroying these: a call that a server never answers still uses them.
  FileReader originals_;
  std::optional<ForeseenReads> foreseen_;
  std::optional<RecordedReads> recorded_;
  std::deque<ReadsOfGame> readers_;
  PlayedRun told_;
};

}  // namespace seekless
