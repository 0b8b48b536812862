// Helps a game on Windows: watches it by hooks, and reads ahead beside it.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "packer/command/internal/play_learning.h"
#include "packer/command/internal/play_system.h"
#include "packer/host/block_device.h"
#include "packer/record/plain_program.h"
#include "packer/serve/anti_cheat.h"
#include "packer/serve/watched_game.h"

namespace seekless {
namespace {

std::unexpected<Error> not_on_windows(const std::string& option, const std::string& advice) {
  return failed({.place = option,
                 .expected = "Linux",
                 .found = "Windows, where it isn't there yet",
                 .advice = advice});
}

WatchedGame watched_of(const PlayArguments& arguments) {
  const PlaySettings& settings = arguments.settings;
  WatchedGame game = {.spelled = {settings.game.folder},
                      .beside = {},
                      .command = settings.command,
                      .process = settings.process,
                      .warn = [&](std::string_view text) { arguments.answer.warn(text); }};
  if (settings.spelled != settings.game.folder) game.spelled.push_back(settings.spelled);
  for (const std::string& folder : settings.folders)
    if (folder != settings.game.folder) game.beside.push_back(folder);
  return game;
}

Result<PlayAnswer> answer_unhelped(const PlayArguments& arguments, const Error& why) {
  arguments.answer.warn(why.message + std::string(without_help()));
  SKL_TRY(const auto exit_code, run_unhelped(arguments));
  return PlayAnswer{.folder = arguments.settings.game.folder, .exit_code = exit_code};
}

void warn_of_other_systems(const PlayArguments& arguments) {
  const Output& answer = arguments.answer;
  if (arguments.settings.lays_out)
    answer.warn(not_on_windows("--lay-out", "the game is helped without").error().message);
  if (!arguments.settings.trace.empty())
    answer.warn(not_on_windows("--trace", "use 'seekless record'").error().message);
}

// Fails if the game wasn't started. `learning` then may be empty.
Result<WatchedEnd> watch(const PlayArguments& arguments, std::optional<PlayLearning>& learning) {
  const PlaySettings& settings = arguments.settings;
  SKL_TRY(auto opened, PlayLearning::open(settings));
  learning.emplace(std::move(opened));
  std::string warning;
  Learned known = learning->load(warning);
  if (!warning.empty()) arguments.answer.warn(warning);
  known.shadow.sections.clear();  // a copy made elsewhere is never read here
  const FoundDrive drive = drive_of_path(settings.game.folder);
  ForeseeOptions options = learning->options_for(known, drive);
  options.shadow.clear();
  options.manners.is_far = false;  // a hooked game may open only what nobody else holds open
  return watch_game(watched_of(arguments), std::move(known), std::move(options));
}

// Turns an exception into an error.
template <typename Call>
auto caught(const Call& call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::exception& exception) {
    return std::unexpected(to_error(exception));
  }
}

Result<void> check_services() {
  const auto service = running_anti_cheat();
  if (!service) return {};
  return failed({.file = "this machine",
                 .expected = "no protection against cheating that runs",
                 .found = *service});
}

Result<void> check_files(const std::string& folder, const std::string& program) {
  const AntiCheatSearch search = anti_cheat_beside(folder, program);
  if (search.found)
    return failed({.file = folder,
                   .expected = "a game that minds no hooks",
                   .found = *search.found + ", which may take them for a cheat"});
  if (search.unseen.empty()) return {};
  return failed({.file = search.unseen,
                 .expected = "to look it through for protection against cheating",
                 .found = "that it can't be listed, or holds too much"});
}

Result<void> check_all_files(const PlaySettings& settings) {
  std::string program =
      settings.command.empty() ? program_of_process(settings.process) : settings.command.front();
  std::ranges::replace(program, '\\', '/');
  SKL_TRY_DO(check_files(settings.game.folder, program));
  for (const std::string& folder : settings.folders)
    if (folder != settings.game.folder) SKL_TRY_DO(check_files(folder, ""));
  return {};
}

constexpr auto kAtOnce = std::chrono::seconds(20);

// Returns true if the system ended the game by an error. A key that ends it is none.
bool has_crashed(int exit_code) {
  constexpr uint32_t kEndedByKey = 0xc000013a;
  const auto status = static_cast<uint32_t>(exit_code);
  return status >> 28 == 0xc && status != kEndedByKey;
}

// Some games let the hooks in, and end themselves once they see them.
Result<void> check_last_end(const PlayArguments& arguments) {
  const PlaySettings& settings = arguments.settings;
  if (arguments.always) return {};
  const auto state = GameState::open(settings.state, settings.game);
  if (!state || !state->has_crashed()) return {};
  return failed(
      {.file = settings.game.path(),
       .expected = "a game that minds no hooks",
       .found = fmt::format("that it crashed within {} s when it had them", kAtOnce.count()),
       .advice = "--always tries them again, and --forget forgets this"});
}

// Notes how a game with hooks in it has ended.
Result<void> note_end(GameState& state, const PlaySettings& settings, const WatchedEnd& end) {
  if (settings.process != 0) return {};
  if (end.lived >= kAtOnce || !has_crashed(end.exit_code)) return state.forget_crash();
  SKL_TRY_DO(state.lock());
  SKL_TRY_DO(state.note_played(settings.game));
  return state.note_crash();
}

}  // namespace

Result<void> check_can_help(const PlayArguments& arguments) {
  return caught([&]() -> Result<void> {
    SKL_TRY_DO(check_last_end(arguments));
    SKL_TRY_DO(check_all_files(arguments.settings));
    return check_services();
  });
}

std::string_view without_help() {
  return "; the game is run without being watched";
}

Result<PlayAnswer> run_helped(const PlayArguments& arguments) {
  const PlaySettings& settings = arguments.settings;
  warn_of_other_systems(arguments);
  std::optional<PlayLearning> learning;
  auto end = caught([&] { return watch(arguments, learning); });
  if (!end && settings.process != 0) return std::unexpected(end.error());
  if (!end) return answer_unhelped(arguments, end.error());
  PlayAnswer told = {.folder = settings.game.folder, .exit_code = end->exit_code};
  if (end->has_failed) return told;
  told.folders = settings.folders;
  told.was_served = true;
  const auto kept = caught([&]() -> Result<void> {
    SKL_TRY_DO(note_end(learning->state(), settings, *end));
    if (!end->has_read) told.run.unread_folders = settings.folders;
    return keep_watched(*learning, *end, told.run);
  });
  if (!kept) told.run.warnings.push_back(kept.error().message + "; nothing is learned this time");
  return told;
}

Result<int> run_unhelped(const PlayArguments& arguments) {
  const PlaySettings& settings = arguments.settings;
  if (settings.process != 0) return 0;
  const auto begun = std::chrono::steady_clock::now();
  SKL_TRY(const auto exit_code, run_plainly(settings.command));
  const bool lived_long = std::chrono::steady_clock::now() - begun >= kAtOnce;
  if (lived_long || !has_crashed(exit_code)) return exit_code;
  // It crashes without hooks, too, so they weren't to blame.
  if (const auto state = GameState::open(settings.state, settings.game); state)
    static_cast<void>(state->forget_crash());
  return exit_code;
}

bool can_serve_file() {
  return false;
}

bool can_lay_out() {
  return false;
}

Result<uint64_t> lay_out(const GameState&, const PlaySettings&, Learned) {
  return not_on_windows("--lay-out", "'seekless play FOLDER -- GAME' learns and reads ahead");
}

}  // namespace seekless
