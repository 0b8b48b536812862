#include "packer/answer/games_answer.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "packer/words/counted.h"
#include "packer/words/figures.h"
#include "packer/words/one_line.h"
#include "packer/words/plain_text.h"
#include "packer/words/text_table.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

// More games than this are shown in the table alone.
constexpr size_t kMostDetails = 3;

bool can_gain(const ListedGame& game) {
  return game.gain.way != GameWay::none && game.gain.way != GameWay::playing;
}

std::string_view disk_cell(const GameDisk& disk) {
  if (!disk.is_rotational) return "unknown";
  return *disk.is_rotational ? "hard disk" : "SSD";
}

std::string size_cell(const GameContent& content) {
  return (content.is_whole ? "" : "over ") + bytes_text(content.bytes);
}

std::string known_cell(const GameKnown& known) {
  if (known.loads > 0) return counted(known.loads, "load");
  return known.recordings.empty() ? "-" : counted(known.recordings.size(), "recording");
}

std::string_view way_cell(GameWay way) {
  switch (way) {
    case GameWay::play:
      return "play";
    case GameWay::lay_out:
      return "lay out";
    case GameWay::playing:
      return "done";
    case GameWay::none:
      break;
  }
  return "nothing";
}

std::string verdict_of_games(const GamesAnswer& answer) {
  const auto gaining = static_cast<uint64_t>(std::ranges::count_if(answer.games, can_gain));
  if (answer.games.empty())
    return answer.is_filtered ? "No game found with this name; 'seekless games' lists all"
                              : "No games found: no files of Steam, Heroic, Lutris, Bottles or "
                                "GOG, and no packages\n"
                                "for a game that lies elsewhere: seekless play FOLDER -- GAME";
  if (gaining == 0)
    return fmt::format("Nothing to do for {}", counted(answer.games.size(), "game"));
  return fmt::format("{} of {} may load faster", gaining, counted(answer.games.size(), "game"));
}

std::string games_table(const GamesAnswer& answer, size_t columns) {
  TextTable table = {.headings = {"game", "from", "disk", "size", "content", "known", "next"},
                     .rows = {}};
  for (const ListedGame& one : answer.games) {
    if (table.rows.size() == kMostTableRows) break;
    table.rows.push_back({in_one_line(one.game.name), std::string(name_of(one.game.launcher)),
                          std::string(disk_cell(one.disk)), size_cell(one.content),
                          cut_middle(main_content(one.content), 14), known_cell(one.known),
                          std::string(way_cell(one.gain.way))});
  }
  std::string text = table.to_text(columns);
  if (answer.games.size() > table.rows.size())
    text += more_rows(answer.games.size() - table.rows.size()) + "\n";
  return text;
}

std::string details_of(const ListedGame& one) {
  std::string text = fmt::format("\n{} ({}), in {}\n", in_one_line(one.game.name),
                                 source_of(one.game), in_one_line(one.game.folder));
  text += fmt::format("  disk: {}\n", in_one_line(one.disk.description));
  if (one.gain.command.empty()) return text + "  nothing to gain: " + one.gain.why + "\n";
  text += fmt::format("  {}: {}\n    {}\n", one.gain.where, one.gain.why,
                      in_one_line(one.gain.command));
  if (const std::string compare = compare_command(one.game, one.known); !compare.empty())
    text +=
        fmt::format("  to compare all ways, from the recordings:\n    {}\n", in_one_line(compare));
  return text;
}

std::string next_of_games(const GamesAnswer& answer) {
  if (answer.is_filtered || answer.games.size() <= kMostDetails || !can_gain(answer.games.front()))
    return {};
  const ListedGame& first = answer.games.front();
  return fmt::format("next, for {}, {}:\n  {}\nfor another game: seekless games NAME\n",
                     in_one_line(first.game.name), first.gain.where,
                     in_one_line(first.gain.command));
}

Json content_json(const GameContent& content) {
  Json kinds = Json::array();
  for (const GameFiles& files : content.kinds) {
    Json one = {{"kind", name_of(files.kind)}, {"files", files.files}, {"bytes", files.bytes}};
    if (!files.what.empty() && files.kind != ArchiveKind::zip) one["what"] = files.what;
    kinds.push_back(std::move(one));
  }
  return kinds;
}

Json known_json(const GameKnown& known) {
  return {{"recordings", known.recordings},         {"loads", known.loads},
          {"kept_bytes", known.kept_bytes},         {"is_laid_out", known.is_laid_out},
          {"first_waited_s", known.first_waited_s}, {"last_waited_s", known.last_waited_s}};
}

Json game_json(const ListedGame& one) {
  Json json = {{"name", one.game.name},
               {"from", name_of(one.game.launcher)},
               {"is_flatpak", one.game.is_flatpak},
               {"id", one.game.id},
               {"folder", one.game.folder},
               {"manifest", one.game.manifest},
               {"disk", {{"description", one.disk.description}}},
               {"files", one.content.files},
               {"bytes", one.content.bytes},
               {"is_whole", one.content.is_whole && one.content.unread.empty()}};
  json["disk"]["is_rotational"] =
      one.disk.is_rotational ? Json(*one.disk.is_rotational) : Json(nullptr);
  json["told_bytes"] = one.game.told_bytes > 0 ? Json(one.game.told_bytes) : Json(nullptr);
  json["content"] = content_json(one.content);
  json["known"] = known_json(one.known);
  json["gain"] = {{"way", name_of(one.gain.way)}, {"why", one.gain.why}};
  json["next"] = one.gain.command.empty()
                     ? Json(nullptr)
                     : Json{{"where", one.gain.where}, {"command", one.gain.command}};
  return json;
}

}  // namespace

void sort_games(std::vector<ListedGame>& games) {
  const auto key = [](const ListedGame& one) {
    return std::tuple(!can_gain(one), one.disk.is_rotational != true,
                      can_gain(one) ? -seconds_for_all(one.content) : 0,
                      std::string_view(one.game.name), std::string_view(one.game.folder));
  };
  std::ranges::sort(games,
                    [&](const ListedGame& a, const ListedGame& b) { return key(a) < key(b); });
}

std::string source_of(const FoundGame& game) {
  return std::string(name_of(game.launcher)) + (game.is_flatpak ? " (Flatpak)" : "");
}

std::string to_text(const GamesAnswer& answer, size_t columns) {
  std::string text = verdict_of_games(answer) + "\n";
  if (!answer.games.empty()) text += "\n" + games_table(answer, columns);
  if (answer.games.size() <= kMostDetails)
    for (const ListedGame& one : answer.games) text += details_of(one);
  if (const std::string next = next_of_games(answer); !next.empty()) text += "\n" + next;
  text.pop_back();
  return text;
}

Json to_json(const GamesAnswer& answer) {
  Json games = Json::array();
  for (const ListedGame& one : answer.games) games.push_back(game_json(one));
  return {{"command", "games"}, {"games", std::move(games)}, {"faults", answer.faults}};
}

}  // namespace seekless
