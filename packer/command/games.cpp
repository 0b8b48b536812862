// seekless games: lists the games that are installed here, how each could load faster, and the
// command for that. Reads files and folders only.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/answer/games_answer.h"
#include "packer/command/internal/command.h"
#include "packer/command/internal/listed_games.h"
#include "packer/host/terminal.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

struct GamesArguments {
  std::string name;
  Output answer;
};

std::string in_small_letters(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

// Prints only the first faults, since one broken disk may cause many.
void tell_faults(const GamesAnswer& answer, const Output& output) {
  constexpr size_t kMostTold = 5;
  const size_t told = answer.faults.size() > kMostTold ? kMostTold - 1 : answer.faults.size();
  for (size_t i = 0; i < told; ++i) output.warn(answer.faults[i]);
  if (told < answer.faults.size()) output.warn(more_rows(answer.faults.size() - told));
}

Result<void> run(const GamesArguments& arguments) {
  GamesAnswer answer = list_games();
  tell_faults(answer, arguments.answer);
  if (!arguments.name.empty()) {
    const std::string name = in_small_letters(arguments.name);
    std::erase_if(answer.games, [&](const ListedGame& one) {
      return !in_small_letters(one.game.name).contains(name);
    });
    answer.is_filtered = true;
  }
  arguments.answer.line(to_text(answer, table_columns(terminal_width())));
  return arguments.answer.result(to_json(answer));
}

}  // namespace

void add_games(const Command& tool) {
  auto arguments = std::make_shared<GamesArguments>();
  const Command command =
      tool.add("games", "List installed games, and say how each could load faster");
  command.option({.name = "NAME", .help = "Show only games whose name contains this"},
                 arguments->name);
  arguments->answer.add_option(command);
  command.footer(
      "Example:\n  seekless games\n\nFinds games of Steam, Heroic, Lutris, Bottles, GOG's "
      "installers and Debian's\npackages. It only reads files and folders, and starts nothing.");
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless
