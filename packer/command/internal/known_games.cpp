// Knows what `play` has learned of games.
#include "packer/command/internal/listed_games.h"
#include "packer/foresee/laid_out.h"
#include "packer/host/own_folder.h"
#include "packer/serve/kept_games.h"

namespace seekless {

Learned learned_by_play(const std::string& state, const std::string& folder, std::string& warning) {
  const auto found = find_state(state, {.folder = folder});
  return found && found->is_there() ? found->load(warning) : Learned();
}

Result<std::map<std::string, GameKnown>> known_games() {
  std::map<std::string, GameKnown> known;
  // Without a home, nothing was kept.
  if (!state_place("play", "")) return known;
  SKL_TRY(const auto kept, kept_games(""));
  for (const KeptGame& game : kept) {
    const auto state = GameState::open_there(game.state);
    if (game.game.folder.empty() || !state) continue;
    std::string ignored;
    const Learned learned = state->load(ignored);
    GameKnown& of = known[game.game.folder];
    of = {.loads = learned.scenarios.size(),
          .kept_bytes = game.size_bytes,
          .is_laid_out = !learned.shadow.sections.empty() && laid_out(learned).is_nearly_all()};
    for (const LearnedScenario& scenario : learned.scenarios) {
      of.first_waited_s += scenario.first_waited_s;
      of.last_waited_s += scenario.last_waited_s;
    }
  }
  return known;
}

}  // namespace seekless
