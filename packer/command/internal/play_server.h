// Serves the folder for `seekless play`: it prefetches, learns, records, and takes marks from other
// shells. It runs in the serving process.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "packer/answer/play_answer.h"
#include "packer/record/recording.h"
#include "packer/serve/foreseen_reads.h"
#include "packer/serve/game_state.h"
#include "packer/serve/keeper.h"

namespace seekless {

struct PlaySettings {
  PlayedGame game;
  std::vector<std::string> folders;  // all that are served, the game's first; absolute
  std::vector<std::string> command;
  std::string trace;     // empty: no trace is written
  std::string scenario;  // scenario of the trace; may be empty
  std::string state;     // folder for what is learned of games; empty: the user's default folder
  bool lays_out = false;
  bool lays_out_after = false;              // in the background, if it wins
  uint64_t room_bytes = uint64_t{8} << 30;  // maximum size of the shadow
};

// Copies what is known to be read into the shadow, unless nearly all of it is there. Returns the
// shadow's size in bytes.
Result<uint64_t> lay_out(const GameState& state, const PlaySettings& settings, Learned learned);

class PlayServer final : public FolderServer {
 public:
  explicit PlayServer(PlaySettings settings) : settings_(std::move(settings)) {}
  Result<void> prepare() override;
  Result<std::string> serve(const ServedFolders& served) override;

 private:
  void warn(const std::string& text) { told_.warnings.push_back(text); }
  ForeseeOptions options_for(const Learned& learned) const;
  void warn_of_trace(const Error& why) { warn(why.message + "; nothing is recorded this time"); }
  Result<void> serve_and_warn(const ServedFolders& served, FileReader& reader);
  Result<void> serve_recorded(const ServedFolders& served, FileReader& reader);
  void mark_loads(const std::vector<SeenLoad>& loads);
  void keep(Learned learned, bool is_watched);
  Result<void> save(Learned& learned);
  void tell_what_it_brought(const Learned& learned, const std::vector<SeenLoad>& loads);
  bool can_lay_out(const Learned& learned) const;
  void begin_to_lay_out();

  PlaySettings settings_;
  bool is_rotational_ = true;  // true if the drive under the served folder rotates
  std::unique_ptr<Recording> recording_;
  std::optional<GameState> state_;
  std::string known_;  // what was known before a run that doesn't hold the lock
  PlayedRun told_;
};

}  // namespace seekless
