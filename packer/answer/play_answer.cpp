#include "packer/answer/play_answer.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "packer/base/json_depth.h"
#include "packer/base/json_value.h"
#include "packer/base/paths.h"
#include "packer/foresee/laid_out.h"
#include "packer/host/native_path.h"
#include "packer/verdict/ways.h"
#include "packer/words/counted.h"
#include "packer/words/figures.h"
#include "packer/words/one_line.h"
#include "packer/words/shell_words.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;
using Names = std::vector<std::string>;

// Shorter waits aren't noticeable.
constexpr double kWorthTellingS = 0.1;

PlayedTrace trace_of(const Json& json) {
  return {.file = json.at("trace").get<std::string>(),
          .scenario = json.at("scenario").get<std::string>(),
          .events = whole_member<uint64_t>(json, "events"),
          .reads = whole_member<uint64_t>(json, "reads"),
          .bytes = whole_member<uint64_t>(json, "bytes"),
          .paths = whole_member<uint64_t>(json, "paths")};
}

PlayedReads reads_of(const Json& json) {
  return {.reads = whole_member<uint64_t>(json, "reads"),
          .shadow_reads = whole_member<uint64_t>(json, "shadow_reads"),
          .longest_wait_s = real_member(json, "longest_wait_s"),
          .recognised = json.at("recognised").get<Names>(),
          .fetched_next = json.at("fetched_next").get<Names>(),
          .fetched_bytes = whole_member<uint64_t>(json, "fetched_bytes"),
          .around_bytes = whole_member<uint64_t>(json, "around_bytes"),
          .damaged_chunks = whole_member<uint64_t>(json, "damaged_chunks")};
}

Json reads_of_run_json(const PlayedReads& reads) {
  return {{"reads", reads.reads},
          {"shadow_reads", reads.shadow_reads},
          {"longest_wait_s", reads.longest_wait_s},
          {"recognised", reads.recognised},
          {"fetched_next", reads.fetched_next},
          {"fetched_bytes", reads.fetched_bytes},
          {"around_bytes", reads.around_bytes},
          {"damaged_chunks", reads.damaged_chunks}};
}

PlayedAdvice advice_of(const Json& json) {
  return {.way = json.at("way").get<std::string>(),
          .seconds = real_member(json, "seconds"),
          .played_s = real_member(json, "played_seconds"),
          .command = json.value("compares", Names())};
}

Json advice_json(const PlayedAdvice& advice) {
  Json json = {
      {"way", advice.way}, {"seconds", advice.seconds}, {"played_seconds", advice.played_s}};
  if (!advice.command.empty()) json["compares"] = advice.command;
  return json;
}

// Returns the JSON of a run, without keys for unknown values.
Json run_json(const PlayedRun& run) {
  Json json = Json::object();
  if (run.trace)
    json = {{"trace", run.trace->file},    {"scenario", run.trace->scenario},
            {"events", run.trace->events}, {"reads", run.trace->reads},
            {"bytes", run.trace->bytes},   {"paths", run.trace->paths}};
  if (run.foreseen) json["foreseen"] = reads_of_run_json(*run.foreseen);
  if (!run.marked.empty()) json["marked"] = run.marked;
  if (!run.unread_folders.empty()) json["unread_folders"] = run.unread_folders;
  if (run.scenarios) json["scenarios"] = *run.scenarios;
  if (run.laying_out_saves_s) json["laying_out_saves_s"] = *run.laying_out_saves_s;
  if (run.lays_out_after) json["lays_out_after"] = true;
  if (run.first_waited_s > 0) {
    json["first_waited_s"] = run.first_waited_s;
    json["last_waited_s"] = run.last_waited_s;
  }
  if (run.shadow_bytes) json["shadow_bytes"] = *run.shadow_bytes;
  if (run.advice) json["advice"] = advice_json(*run.advice);
  return json;
}

std::string line_of_scenario(const PlayStatusAnswer& answer, uint32_t number) {
  const Learned& learned = answer.learned;
  const LearnedScenario& scenario = learned.scenarios[number];
  const LaidOut of = laid_out(learned, number);
  const auto next = usual_next(learned, number);
  const auto shipped = answer.as_shipped_s.find(scenario.name);
  return fmt::format("  {}: {}, {:.1f} MB{}; {}reads took {:.2f} s at first, {:.2f} s last{}",
                     scenario.name, counted(scenario.runs, "run"),
                     megabytes(scenario.pages.size() * kSeenPageBytes),
                     of.is_nearly_all() ? ", laid out" : "",
                     shipped == answer.as_shipped_s.end()
                         ? ""
                         : fmt::format("as shipped a cold disk takes {:.2f} s; ", shipped->second),
                     scenario.first_waited_s, scenario.last_waited_s,
                     next ? "; then usually " + learned.scenarios[*next].name : "");
}

Json load_json(const PlayStatusAnswer& answer, uint32_t number) {
  const Learned& learned = answer.learned;
  const LearnedScenario& scenario = learned.scenarios[number];
  const LaidOut of = laid_out(learned, number);
  const auto shipped = answer.as_shipped_s.find(scenario.name);
  return {
      {"name", scenario.name},
      {"runs", scenario.runs},
      {"likely_bytes", of.likely_bytes},
      {"laid_out_bytes", of.laid_out_bytes},
      {"as_shipped_seconds", shipped == answer.as_shipped_s.end() ? Json() : Json(shipped->second)},
      {"first_waited_s", scenario.first_waited_s},
      {"last_waited_s", scenario.last_waited_s}};
}

std::string day_of(int64_t unix_s) {
  const std::chrono::year_month_day day{std::chrono::floor<std::chrono::days>(
      std::chrono::sys_seconds(std::chrono::seconds(unix_s)))};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
}

// Returns the command, with --state if the user gave a place.
std::string with_place(std::vector<std::string> words, const std::string& given_place) {
  if (!given_place.empty()) words.insert(words.end(), {"--state", given_place});
  return shell_line(words, shell_kind_here());
}

std::string way_to_forget(const KeptGameInfo& game, const std::string& given_place) {
  if (!game.name.empty())
    return with_place({"seekless", "play", "--forget", "--game", game.name}, given_place);
  if (!game.folder.empty())
    return with_place({"seekless", "play", "--forget", game.folder}, given_place);
  const ShellKind kind = shell_kind_here();
  return (kind == ShellKind::windows ? "rmdir /s " : "rm -r ") + shell_word(game.state, kind);
}

std::string line_of_kept(const KeptGameInfo& game, const std::string& given_place) {
  const std::string folder = game.folder.empty() ? game.state : game.folder;
  return fmt::format(
      "{}: {:.1f} MB, played last on {}{}",
      game.name.empty() ? folder : fmt::format("{} ({})", game.name, folder), megabytes(game.bytes),
      day_of(game.used_unix_s),
      game.is_gone ? "; the folder is gone: " + way_to_forget(game, given_place) : "");
}

// Returns true if the game's folder was served, but nothing in it or in a folder around it was
// read.
bool is_unread(const PlayAnswer& answer) {
  return std::ranges::any_of(answer.run.unread_folders, [&](const std::string& folder) {
    return lies_in(answer.folder, folder);
  });
}

// Says whether serving the game helped.
std::string line_of_help(const PlayedRun& run) {
  const double first_s = run.first_waited_s;
  const double last_s = run.last_waited_s;
  const std::string waits = fmt::format(
      "these loads waited for the disk for {:.1f} s the first time, {:.1f} s now", first_s, last_s);
  if (first_s >= kWorthTellingS && last_s < first_s) return "it helped: " + waits;
  if (first_s >= kWorthTellingS) return "it didn't help this time: " + waits;
  if (first_s > 0) return "nothing to gain this time: these loads hardly wait for the disk";
  if (run.scenarios == 0) return "it couldn't help: no load was read that is large enough to learn";
  return "it learned: from the next start on, what was read now is fetched in advance";
}

std::string recognised_in(const PlayedReads& reads) {
  if (reads.recognised.empty()) return "";
  return fmt::format("; recognised: {}", fmt::join(reads.recognised, ", "));
}

std::string line_of_advice(const PlayedAdvice& advice) {
  const auto [after, before] = seconds_texts(advice.seconds, advice.played_s);
  return fmt::format(
      "'seekless {}' is forecast to make a load take {} of the disk's time, instead of {}; to "
      "compare all ways: seekless {}",
      advice.way, after, before, shell_line(advice.command, shell_kind_here()));
}

}  // namespace

std::string to_text(const PlayedAdvice& advice) {
  return advice_json(advice).dump();
}

std::optional<PlayedAdvice> played_advice_of(const std::string& text) {
  try {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) return std::nullopt;
    PlayedAdvice advice = advice_of(json);
    const bool is_known =
        advice.way == name_of(LoadWay::place) || advice.way == name_of(LoadWay::repack);
    if (is_known && advice.seconds >= 0 && advice.seconds < advice.played_s) return advice;
  } catch (const std::exception&) {
    // The text was written by another program, or by another version.
  }
  return std::nullopt;
}

std::string handed_over(const PlayedRun& run) {
  Json json = run_json(run);
  json["warnings"] = run.warnings;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

PlayedRun played_run_of(const std::string& handed_over) {
  const Json json = parse_json<Json>(handed_over.empty() ? "{}" : handed_over);
  PlayedRun run;
  if (json.contains("trace")) run.trace = trace_of(json);
  if (json.contains("foreseen")) run.foreseen = reads_of(json.at("foreseen"));
  if (json.contains("marked")) run.marked = json.at("marked").get<Names>();
  if (json.contains("unread_folders")) run.unread_folders = json.at("unread_folders").get<Names>();
  if (json.contains("scenarios")) run.scenarios = whole_member<uint64_t>(json, "scenarios");
  if (json.contains("laying_out_saves_s"))
    run.laying_out_saves_s = real_member(json, "laying_out_saves_s");
  run.lays_out_after = json.contains("lays_out_after");
  if (json.contains("first_waited_s")) {
    run.first_waited_s = real_member(json, "first_waited_s");
    run.last_waited_s = real_member(json, "last_waited_s");
  }
  if (json.contains("shadow_bytes"))
    run.shadow_bytes = whole_member<uint64_t>(json, "shadow_bytes");
  if (json.contains("advice")) run.advice = advice_of(json.at("advice"));
  if (json.contains("warnings")) run.warnings = json.at("warnings").get<Names>();
  return run;
}

std::vector<std::string> lines_of(const PlayAnswer& answer) {
  const PlayedRun& run = answer.run;
  std::vector<std::string> lines;
  if (run.trace)
    lines.push_back(fmt::format("{}: {}, {} of {} from {}", run.trace->file, run.trace->scenario,
                                counted(run.trace->reads, "read"),
                                counted(run.trace->bytes, "byte"),
                                counted(run.trace->paths, "file")));
  if (!run.marked.empty())
    lines.push_back(fmt::format("{}: then {}", run.trace->file, fmt::join(run.marked, ", ")));
  if (is_unread(answer))
    lines.push_back(fmt::format(
        "the game read nothing of {}: a program that ran before may read for it; end that first "
        "(a Wine server: 'wineserver -k'; a launcher or the game itself: close it), or name the "
        "folder that the game lies in",
        answer.folder));
  // A line has said why a game wasn't served. More lines follow only if watching it found
  // scenarios.
  if (!run.foreseen || (answer.was_watched && run.scenarios == 0)) return lines;
  const PlayedReads& reads = *run.foreseen;
  if (!is_unread(answer) && run.scenarios) lines.push_back(line_of_help(run));
  if (answer.was_watched)
    lines.push_back(fmt::format("{:.1f} MB fetched in advance, beside the game{}",
                                megabytes(reads.fetched_bytes), recognised_in(reads)));
  else
    lines.push_back(fmt::format(
        "{}, the longest of {:.0f} ms, {} of them from the shadow; {:.1f} MB fetched in advance{}",
        counted(reads.reads, "read"), reads.longest_wait_s * 1e3, reads.shadow_reads,
        megabytes(reads.fetched_bytes), recognised_in(reads)));
  if (!reads.fetched_next.empty())
    lines.push_back(
        fmt::format("fetched while nothing was read: {}", fmt::join(reads.fetched_next, ", ")));
  if (run.lays_out_after)
    lines.push_back("laying out, in the background; the next start of the game ends that");
  if (run.shadow_bytes) lines.push_back(line_of_laid_out(*run.shadow_bytes));
  if (run.advice) lines.push_back(line_of_advice(*run.advice));
  return lines;
}

std::string line_of_laid_out(uint64_t bytes) {
  if (bytes > 0) return fmt::format("laid out: {:.1f} MB", megabytes(bytes));
  return "laid out: nothing; no load is known yet, or there is no room for it (--room; the last GB "
         "of the disk stays free)";
}

Json to_json(const PlayAnswer& answer) {
  Json json = {{"command", "play"},
               {"folder", answer.folder},
               // On Windows, the exit codes of crashes are above 0x7fffffff.
               {"exit_code", static_cast<uint32_t>(answer.exit_code)},
               {"was_served", answer.was_served}};
  if (answer.was_watched) json["was_watched"] = true;
  if (answer.folders.size() > 1) json["folders"] = answer.folders;
  json.update(run_json(answer.run));
  return json;
}

std::string to_text(const PlayStatusAnswer& answer) {
  const Learned& learned = answer.learned;
  if (learned.scenarios.empty() && !answer.is_forgotten)
    return in_one_line(fmt::format(
        "{}: nothing is learned yet; start the game once by 'seekless play'", answer.shown));
  std::string text = in_one_line(
      fmt::format("{}: {} learned, of {}; shadow: {:.1f} MB", answer.shown,
                  counted(learned.scenarios.size(), "scenario"),
                  counted(learned.files.size(), "file"), megabytes(shadow_bytes(learned))));
  for (uint32_t i = 0; i < learned.scenarios.size(); ++i)
    text += "\n" + in_one_line(line_of_scenario(answer, i));
  return answer.is_forgotten ? text + "\nforgotten" : text;
}

Json to_json(const PlayStatusAnswer& answer) {
  const Learned& learned = answer.learned;
  Json loads = Json::array();
  for (uint32_t i = 0; i < learned.scenarios.size(); ++i) loads.push_back(load_json(answer, i));
  return {{"command", "play"},
          {"folder", answer.folder},
          {"scenarios", learned.scenarios.size()},
          {"files", learned.files.size()},
          {"shadow_bytes", shadow_bytes(learned)},
          {"loads", std::move(loads)}};
}

std::string to_text(const PlayKeptAnswer& answer) {
  if (answer.games.empty() && !answer.are_forgotten)
    return in_one_line(fmt::format("{}: nothing is kept", answer.place));
  std::string text;
  uint64_t bytes = 0;
  for (const KeptGameInfo& game : answer.games) {
    text += in_one_line(line_of_kept(game, answer.given_place)) + "\n";
    bytes += game.bytes;
  }
  text += in_one_line(fmt::format("{}: {}, {:.1f} MB{}", answer.place,
                                  counted(answer.games.size(), "game"), megabytes(bytes),
                                  answer.are_forgotten ? " forgotten" : ""));
  if (!answer.are_forgotten && std::ranges::any_of(answer.games, &KeptGameInfo::is_unused))
    text += "\nto remove what is kept of games that are gone, or weren't played for 90 days: " +
            with_place({"seekless", "play", "--forget-unused"}, answer.given_place);
  return text;
}

Json to_json(const PlayKeptAnswer& answer) {
  Json games = Json::array();
  for (const KeptGameInfo& game : answer.games)
    games.push_back({{"folder", game.folder},
                     {"name", game.name},
                     {"state", game.state},
                     {"bytes", game.bytes},
                     {"used_unix_s", game.used_unix_s},
                     {"is_gone", game.is_gone},
                     {"is_unused", game.is_unused}});
  return {{"command", "play"}, {answer.are_forgotten ? "forgotten" : "kept", std::move(games)}};
}

}  // namespace seekless
