#include "packer/window/internal/window_games.h"

#include <utility>

#include <fmt/format.h>

#include "packer/host/files.h"
#include "packer/host/native_path.h"
#include "packer/host/own_folder.h"
#include "packer/window/internal/desktop_entry.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

constexpr uint64_t kMostPictureBytes = uint64_t{256} << 20;
constexpr uint64_t kMostEntryBytes = 64 * 1024;
constexpr int kMostRecordings = 1000;

std::string pictures_file(const WindowSettings& settings, const ListedGame& game) {
  return settings.recordings(game.game.folder) + "/pictures.html";
}

std::string desktop_file(const ListedGame& game) {
  std::string data = folder_of_environment("XDG_DATA_HOME");
  if (data.empty()) data = home_folder() + "/.local/share";
  return data + "/applications/seekless-" + state_name(game.game.folder) + ".desktop";
}

// Windows has no desktop entries.
bool has_desktop_entry(const ListedGame& game) {
  if (has_windows_names()) return false;
  const std::string file = desktop_file(game);
  if (kind_of_path(file) != PathKind::file) return false;
  const auto text = read_text(file, kMostEntryBytes);
  return text && is_own_desktop_entry(*text);
}

// Returns true if the game's command is known, so that it doesn't need its launcher.
bool can_start(const ListedGame& game) {
  return !game.game.command.empty();
}

std::vector<std::string> play_words(const FoundGame& game) {
  std::vector<std::string> words = {"play", "--auto", game.folder};
  words.insert(words.end(), game.beside.begin(), game.beside.end());
  words.emplace_back("--");
  words.insert(words.end(), game.command.begin(), game.command.end());
  return words;
}

std::unexpected<Error> cannot(const ListedGame& game, const std::string& expected,
                              const std::string& found) {
  return failed({.place = game.game.name, .expected = expected, .found = found});
}

// Returns the first name that isn't taken yet.
Result<std::string> new_recording(const std::string& folder) {
  for (int number = 1; number <= kMostRecordings; ++number) {
    std::string path = fmt::format("{}/start.{:03}.jsonl.lz4", folder, number);
    if (kind_of_path(path) == PathKind::missing) return path;
  }
  return failed({.file = folder,
                 .expected = "room for one more recording",
                 .found = "1,000",
                 .advice = "remove some"});
}

std::string_view state_name_of(JobState state) {
  if (state == JobState::running) return "running";
  return state == JobState::done ? "done" : "failed";
}

}  // namespace

WindowGames::WindowGames(const WindowSettings& settings, Jobs& jobs, std::string program)
    : settings_(settings), jobs_(jobs), program_(std::move(program)) {}

void WindowGames::look() {
  {
    const std::lock_guard lock(mutex_);
    ++looking_;
  }
  GamesAnswer answer = settings_.list();
  const std::lock_guard lock(mutex_);
  --looking_;
  ++changes_;
  order_.clear();
  games_.clear();
  for (ListedGame& game : answer.games) {
    const std::string id = state_name(game.game.folder);
    if (games_.emplace(id, std::move(game)).second) order_.push_back(id);
  }
  faults_ = std::move(answer.faults);
}

std::optional<ListedGame> WindowGames::find(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = games_.find(id);
  return found == games_.end() ? std::nullopt : std::optional(found->second);
}

void WindowGames::look_again_at(const std::string& id) {
  auto game = find(id);
  if (!game) return;
  settings_.look_again(*game);
  const std::lock_guard lock(mutex_);
  if (const auto found = games_.find(id); found != games_.end()) found->second = *std::move(game);
  ++changes_;
}

nlohmann::ordered_json WindowGames::game_json(const std::string& id, const ListedGame& game) const {
  const std::string command = with_program(game.gain.command, program_);
  const bool turns = game.disk.is_rotational.value_or(true);
  return {{"id", id},
          {"name", clean_line(game.game.name)},
          {"from", source_of(game.game)},
          {"folder", clean_line(game.game.folder)},
          {"disk", !game.disk.is_rotational ? "unknown disk"
                   : turns                  ? "hard disk"
                                            : "SSD"},
          {"size", bytes_text(game.content.bytes)},
          {"content", main_content(game.content)},
          {"recordings", game.known.recordings.size()},
          {"loads", game.known.loads},
          {"kept", game.known.kept_bytes > 0 ? bytes_text(game.known.kept_bytes) : ""},
          {"is_laid_out", game.known.is_laid_out},
          {"first_waited_s", game.known.first_waited_s},
          {"last_waited_s", game.known.last_waited_s},
          {"way", name_of(game.gain.way)},
          {"why", game.gain.why},
          {"where", game.gain.where},
          {"command", clean_line(command)},
          {"needs_program", game.gain.needs_program},
          {"can_start", can_start(game)},
          {"can_switch_on", can_start(game) && !has_windows_names()},
          {"is_on", has_desktop_entry(game)},
          {"has_pictures", kind_of_path(pictures_file(settings_, game)) == PathKind::file}};
}

nlohmann::ordered_json WindowGames::games_json() const {
  std::vector<std::pair<std::string, ListedGame>> games;
  nlohmann::ordered_json json;
  {
    const std::lock_guard lock(mutex_);
    for (const std::string& id : order_) games.emplace_back(id, games_.at(id));
    json = {{"is_looking", looking_ > 0}, {"changes", changes_}, {"faults", faults_}};
  }
  json["games"] = nlohmann::ordered_json::array();
  for (const auto& [id, game] : games) json["games"].push_back(game_json(id, game));
  return json;
}

nlohmann::ordered_json WindowGames::jobs_json() const {
  nlohmann::ordered_json json = {{"jobs", nlohmann::ordered_json::object()}};
  for (const auto& [id, job] : jobs_.all())
    json["jobs"][id] = {{"what", job.what},
                        {"state", state_name_of(job.state)},
                        {"line", job.line},
                        {"seconds", job.seconds}};
  const std::lock_guard lock(mutex_);
  json["is_looking"] = looking_ > 0;
  json["changes"] = changes_;
  json["ended"] = jobs_.ended();
  return json;
}

Result<void> WindowGames::run(const std::string& id, const std::string& what,
                              std::vector<std::string> words, bool is_game) {
  words.insert(words.begin(), program_);
  return jobs_.start(id, {.what = what,
                          .command = std::move(words),
                          .is_game = is_game,
                          .then = [this, id]() -> Result<void> {
                            look_again_at(id);
                            return {};
                          }});
}

Result<void> WindowGames::record(const std::string& id, const ListedGame& game) {
  if (!can_start(game))
    return cannot(game, "a game that can be started here", "one that only its launcher starts");
  const std::string folder = settings_.recordings(game.game.folder);
  if (folder.empty()) return cannot(game, "a home folder for recordings", "none");
  SKL_TRY_DO(make_own_folders(folder));
  SKL_TRY(const auto file, new_recording(folder));
  std::vector<std::string> words = {"record", "-o", file, "--"};
  if (has_desktop_entry(game)) {
    words = play_words(game.game);
    words.insert(words.begin() + 2, {"--trace", file});
  } else {
    words.insert(words.end(), game.game.command.begin(), game.game.command.end());
  }
  return run(id, "record", std::move(words), true);
}

// Draws the first recording, and beside it the last one.
Result<void> WindowGames::draw(const std::string& id, const ListedGame& game) {
  if (game.known.recordings.empty()) return cannot(game, "a recording", "none");
  const std::string folder = settings_.recordings(game.game.folder);
  SKL_TRY_DO(make_own_folders(folder));
  std::vector<std::string> words = {"analyze", game.known.recordings.front()};
  if (game.known.recordings.size() > 1) words.push_back(game.known.recordings.back());
  words.insert(words.end(),
               {"--content", game.game.folder, "--html", pictures_file(settings_, game)});
  return run(id, "pictures", std::move(words));
}

Result<void> WindowGames::switch_on(const ListedGame& game) const {
  if (has_windows_names()) return cannot(game, "a menu of Linux", "one of Windows");
  if (!can_start(game))
    return cannot(game, "a game that can be started here", "one that only its launcher starts");
  const std::string file = desktop_file(game);
  SKL_TRY(const auto kind, known_kind_of_path(file));
  if (kind != PathKind::missing && !has_desktop_entry(game))
    return failed(
        {.file = file, .expected = "nothing, or an entry of seekless", .found = "another file"});
  std::vector<std::string> words = play_words(game.game);
  words.insert(words.begin(), program_);
  SKL_TRY_DO(make_folders(file.substr(0, file.rfind('/'))));
  return write_text(file, desktop_entry(game.game.name, words));
}

Result<void> WindowGames::undo(const std::string& id, const ListedGame& game) {
  if (has_desktop_entry(game)) SKL_TRY_DO(remove_file(desktop_file(game)));
  if (game.known.kept_bytes > 0) return run(id, "undo", {"play", "--forget", game.game.folder});
  jobs_.note(id, "undo", {}, "Undone.");
  look_again_at(id);
  return {};
}

Result<void> WindowGames::act(const std::string& id, const std::string& what) {
  const auto game = find(id);
  if (!game)
    return wrong_usage({.place = "game", .expected = "one of the list", .found = "another"});
  if (what == "record") return record(id, *game);
  if (what == "pictures") return draw(id, *game);
  if (what == "undo") return undo(id, *game);
  if (what == "lay-out") return run(id, what, {"play", "--lay-out", game->game.folder});
  if (what == "free") return run(id, what, {"play", "--forget", game->game.folder});
  if (what == "stop") {
    jobs_.stop(id);
    return {};
  }
  if (what != "switch-on")
    return wrong_usage(
        {.place = "what", .expected = "something that can be done", .found = "something else"});
  SKL_TRY_DO(switch_on(*game));
  jobs_.note(id, what, {}, "Start it from your menu, as the entry with “(seekless)”.");
  look_again_at(id);
  return {};
}

std::optional<std::string> WindowGames::pictures(const std::string& id) const {
  const auto game = find(id);
  if (!game) return std::nullopt;
  const auto text = read_text(pictures_file(settings_, *game), kMostPictureBytes);
  return text ? std::optional(*text) : std::nullopt;
}

}  // namespace seekless
