// Serves a page to this user's browser, for people who don't type commands: the installed games,
// and what can be done for each. All work is done by seekless itself, in processes of their own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "packer/answer/games_answer.h"
#include "packer/base/error.h"

namespace seekless {

struct WindowSettings {
  std::function<GamesAnswer()> list;
  // Looks again at what is known of a game.
  std::function<void(ListedGame&)> look_again;
  // Returns the folder for a game's recordings.
  std::function<std::string(const std::string& game_folder)> recordings;
  // Gets the page's address, once it can be opened.
  std::function<void(const std::string& address)> ready;
  // Called at the end if a game or its recording still runs, which is waited for.
  std::function<void()> waits_for_game;
  uint64_t idle_minutes = 10;  // the server ends after so long without a page
};

// Returns once the page's button, an interrupt or idleness has ended it, with the work that ran.
Result<void> run_window(const WindowSettings& settings);

}  // namespace seekless
