#include "packer/answer/advise_answer.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "packer/answer/internal/notes.h"
#include "packer/host/native_path.h"
#include "packer/words/counted.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"
#include "packer/words/shell_words.h"
#include "packer/words/text_table.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kAnyGame = "GAME";  // stands for the game in AdvisedWay::tail

const AdvisedWay* plain_way(const AdviseAnswer& answer) {
  const auto found = std::ranges::find(answer.ways, LoadWay::nothing, &AdvisedWay::way);
  return found == answer.ways.end() ? nullptr : &*found;
}

std::string name_of_game(const AdviseAnswer& answer) {
  return clean_line(answer.paths.empty() ? "the game" : answer.paths.front());
}

std::string a_load(const AdviseAnswer& answer) {
  return answer.loads.size() < 2 ? "a cold load"
                                 : fmt::format("a cold load, the mean of {},", answer.loads.size());
}

std::string advice_text(const AdviseAnswer& answer) {
  if (answer.drive.is_solid_state)
    return fmt::format(
        "Nothing to gain: {} lies on a {}, which is solid state: every place is as near as any "
        "other.",
        name_of_game(answer), drive_text(answer.drive));
  if (answer.known_from.empty())
    return fmt::format(
        "Nobody has recorded what {} reads: record one start first, with the command below.",
        name_of_game(answer));
  const AdvisedWay* best = best_of(answer.ways);
  const AdvisedWay* plain = plain_way(answer);
  const double now_s = plain != nullptr && plain->seconds ? *plain->seconds : 0;
  if (best == nullptr)
    return fmt::format(
        "Not worth it: {} waits {} for a {}, and no way that can be used here saves "
        "enough of that.",
        a_load(answer), seconds_text(now_s), drive_text(answer.drive));
  const auto [after, before] = seconds_texts(*best->seconds, now_s);
  return fmt::format("Worth it: {} waits {} instead of {} with '{}', for a {}.", a_load(answer),
                     after, before, name_of(best->way), drive_text(answer.drive));
}

std::string room_cell(const AdvisedWay& way) {
  if (way.room_bytes == 0) return "-";
  return fmt::format("{:.1f}", megabytes(way.room_bytes));
}

std::string way_table(const AdviseAnswer& answer, size_t columns) {
  TextTable table = {{"way and what it changes", "seconds", "room MB", "undo"}, {}};
  for (const AdvisedWay& way : answer.ways)
    table.rows.push_back({fmt::format("{}: {}", name_of(way.way),
                                      way.why_not.empty() ? way.changes : "can't be used here"),
                          way.seconds ? number_cell(*way.seconds, 2) : "?", room_cell(way),
                          way.undo.empty() ? "-" : way.undo});
  return table.to_text(columns);
}

std::string command_lines(const AdviseAnswer& answer) {
  std::string text;
  for (const AdvisedWay& way : answer.ways)
    if (const std::string command = command_of(way, answer.game);
        !command.empty() && way.why_not.empty())
      text += fmt::format("  {}: {}\n", name_of(way.way), clean_line(command));
  if (text.empty()) return "";
  return (answer.game.empty() ? "\nCommands (GAME stands for what starts the game):\n"
                              : "\nCommands:\n") +
         text;
}

AnswerNotes advice_notes(const AdviseAnswer& answer) {
  AnswerNotes notes;
  for (const AdvisedWay& way : answer.ways) {
    if (!way.why_not.empty())
      notes.brief.push_back(fmt::format("{}: {}", name_of(way.way), clean_line(way.why_not)));
    else if (way.is_for_some_engines)
      notes.brief.push_back(name_of(way.way) +
                            ": only if the game's engine takes it; try it first");
  }
  for (const std::string& note : answer.notes) notes.brief.push_back(note);
  constexpr size_t kMostNotes = 4;
  while (notes.brief.size() > kMostNotes) {
    notes.more.insert(notes.more.begin(), notes.brief.back());
    notes.brief.pop_back();
  }
  if (!answer.assumption.empty())
    notes.brief.push_back("seconds of disk, nothing in memory; " + answer.assumption);
  return notes;
}

Json way_json(const AdvisedWay& way, const AdviseAnswer& answer) {
  const std::string command = command_of(way, answer.game);
  const double as_shipped_s = answer.as_shipped_s();
  return {{"way", name_of(way.way)},
          {"seconds", way.seconds ? Json(*way.seconds) : Json()},
          {"saved_seconds", way.seconds ? Json(as_shipped_s - *way.seconds) : Json()},
          {"room_bytes", way.room_bytes},
          {"changes", valid_utf8(way.changes)},
          {"undo", way.undo.empty() ? Json() : Json(valid_utf8(way.undo))},
          {"command", command.empty() ? Json() : Json(valid_utf8(command))},
          {"usable", way.why_not.empty()},
          {"for_some_engines", way.is_for_some_engines},
          {"why_not", way.why_not.empty() ? Json() : Json(valid_utf8(way.why_not))}};
}

}  // namespace

double AdviseAnswer::as_shipped_s() const {
  if (loads.empty()) return 0;
  double sum = 0;
  for (const JudgedLoad& load : loads) sum += load.as_shipped_s;
  return sum / static_cast<double>(loads.size());
}

std::string command_of(const AdvisedWay& way, const std::vector<std::string>& game) {
  if (way.command.empty()) return "";
  std::string tail = way.tail;
  if (!game.empty() && tail.ends_with(kAnyGame))
    tail.replace(tail.size() - kAnyGame.size(), kAnyGame.size(),
                 shell_line(game, shell_kind_here()));
  return "seekless " + shell_line(way.command, shell_kind_here()) + tail;
}

std::vector<std::string> next_words(const AdviseAnswer& answer) {
  if (answer.drive.is_solid_state) return {};
  const AdvisedWay* best = best_of(answer.ways);
  std::vector<std::string> words;
  if (answer.known_from.empty()) {
    words = {"play", answer.paths.empty() ? "." : answer.paths.front()};
    words.insert(words.end(), answer.beside.begin(), answer.beside.end());
  } else if (best != nullptr) {
    words = best->command;
  }
  if (!answer.known_from.empty() && (best == nullptr || !best->tail.starts_with(" -- ")))
    return words;
  words.emplace_back("--");
  if (answer.game.empty()) words.emplace_back(kAnyGame);
  words.insert(words.end(), answer.game.begin(), answer.game.end());
  return words;
}

std::string to_text(const AdviseAnswer& answer, size_t columns, bool is_verbose) {
  columns = table_columns(columns);
  std::string text = paragraph(advice_text(answer), columns);
  if (!answer.ways.empty()) text += "\n" + way_table(answer, columns) + command_lines(answer);
  if (const std::string notes = to_text(advice_notes(answer), is_verbose, columns); !notes.empty())
    text += "\n" + notes;
  text.pop_back();
  return text;
}

Json to_json(const AdviseAnswer& answer) {
  const AdvisedWay* best = best_of(answer.ways);
  Json loads = Json::array();
  for (const JudgedLoad& load : answer.loads)
    loads.push_back({{"name", valid_utf8(load.name)},
                     {"runs", load.runs},
                     {"as_shipped_seconds", load.as_shipped_s}});
  Json ways = Json::array();
  for (const AdvisedWay& way : answer.ways) ways.push_back(way_json(way, answer));
  Json paths = Json::array();
  for (const std::string& path : answer.paths) paths.push_back(valid_utf8(path));
  return {{"command", "advise"},
          {"text", valid_utf8(advice_text(answer))},
          {"paths", std::move(paths)},
          {"drive", to_json(answer.drive)},
          {"known_from", answer.known_from.empty() ? Json() : Json(answer.known_from)},
          {"assumption", answer.assumption.empty() ? Json() : Json(valid_utf8(answer.assumption))},
          {"as_shipped_seconds", answer.loads.empty() ? Json() : Json(answer.as_shipped_s())},
          {"loads", std::move(loads)},
          {"best", best == nullptr ? Json() : Json(name_of(best->way))},
          {"ways", std::move(ways)},
          {"notes", answer.notes}};
}

}  // namespace seekless
