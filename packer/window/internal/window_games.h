// Holds the games that the window shows, each under an id, and turns requests into commands.
// Requests contain only ids, never paths. Any thread may call it.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "packer/answer/games_answer.h"
#include "packer/base/error.h"
#include "packer/window/internal/jobs.h"
#include "packer/window/window.h"

namespace seekless {

class WindowGames {
 public:
  // `settings` and `jobs` must outlive this object. `program` is the path of seekless.
  WindowGames(const WindowSettings& settings, Jobs& jobs, std::string program);

  // Lists the games again. Until it returns, the old list is shown.
  void look();
  nlohmann::ordered_json games_json() const;
  nlohmann::ordered_json jobs_json() const;
  // Does `what` for a game: "record", "pictures", "switch-on", "undo", "lay-out", "free" or "stop".
  // Fails if there is no such game, or if the game doesn't allow that action.
  Result<void> act(const std::string& id, const std::string& what);
  // Returns the page with the game's pictures; none if there is none.
  std::optional<std::string> pictures(const std::string& id) const;

 private:
  Result<void> record(const std::string& id, const ListedGame& game);
  Result<void> draw(const std::string& id, const ListedGame& game);
  Result<void> switch_on(const ListedGame& game) const;
  Result<void> undo(const std::string& id, const ListedGame& game);
  Result<void> run(const std::string& id, const std::string& what, std::vector<std::string> words,
                   bool is_game = false);
  void look_again_at(const std::string& id);
  std::optional<ListedGame> find(const std::string& id) const;
  nlohmann::ordered_json game_json(const std::string& id, const ListedGame& game) const;

  const WindowSettings& settings_;
  Jobs& jobs_;
  const std::string program_;
  mutable std::mutex mutex_;
  std::vector<std::string> order_;
  std::map<std::string, ListedGame> games_;
  std::vector<std::string> faults_;
  uint64_t changes_ = 0;
  int looking_ = 0;
};

}  // namespace seekless
