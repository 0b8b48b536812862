// Serves a page to this user's browser, for people who don't type commands: the installed games,
// and what can be done for each. Each job runs seekless itself in a separate process.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "packer/answer/games_answer.h"
#include "packer/base/error.h"

namespace seekless {

struct WindowSettings {
  std::function<GamesAnswer()> list;
  // Updates what is known about a game.
  std::function<void(ListedGame&)> look_again;
  // Returns the folder for a game's recordings.
  std::function<std::string(const std::string& game_folder)> recordings;
  // Called with the page's address once it can be opened.
  std::function<void(const std::string& address)> ready;
  // Called at the end if a game or its recording still runs; the window then waits for it.
  std::function<void()> waits_for_game;
  uint64_t idle_minutes = 10;  // the server ends after this long without a page
};

// Returns once the page's button, Ctrl-C or idleness has ended the window, and all jobs have ended.
Result<void> run_window(const WindowSettings& settings);

}  // namespace seekless
