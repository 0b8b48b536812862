// Predicts the ways that only Linux has: `play`, its copies in load order, and `place`.
#include <algorithm>
#include <cerrno>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "packer/base/paths.h"
#include "packer/command/internal/advise_ways.h"
#include "packer/drive/drive.h"
#include "packer/foresee/fetch_plan.h"
#include "packer/foresee/play_forecast.h"
#include "packer/host/block_device.h"
#include "packer/host/files.h"
#include "packer/host/may_write.h"
#include "packer/host/os_error.h"
#include "packer/host/own_folder.h"
#include "packer/host/whole_files.h"
#include "packer/place/mover.h"
#include "packer/place/place_plan.h"
#include "packer/place/placed_loads.h"
#include "packer/serve/serving_parts.h"
#include "packer/serve/session.h"

namespace seekless {
namespace {

class WaysOfLinux {
 public:
  explicit WaysOfLinux(const AdvisedLoads& loads) : loads_(loads) {}

  // If a folder can't be served, `play` prefetches the same bytes beside the game.
  AdvisedWay play() const { return loads_.play(with_state(loads_.learned_s()), ""); }

  AdvisedWay laid_out() const {
    const uint64_t bytes =
        std::accumulate(loads_.foreseen.begin(), loads_.foreseen.end(), uint64_t{0},
                        [](uint64_t sum, const ForeseenLoad& of) { return sum + of.copied_bytes; });
    AdvisedWay way = {.way = LoadWay::laid_out,
                      .seconds = {},
                      .room_bytes = bytes,
                      .changes = "no file; copies of what loads read",
                      .undo = "play --forget",
                      .command = loads_.with_folders({"play", "--auto"}),
                      .tail = " -- GAME",
                      .why_not = why_not_served()};
    const std::string copies = folder_of_copies();
    const auto room = loads_.game.tries_out
                          ? find_free_room(copies, std::max(bytes, kSeenPageBytes))
                          : any_room(bytes);
    way.seconds = with_state(loads_.mean(
        [&](size_t i) { return laid_out_s(i, copies, room ? *room : any_room(bytes)); }));
    if (!room && way.why_not.empty()) way.why_not = room.error().message;
    return way;
  }

  AdvisedWay place() const {
    std::vector<std::string> command = loads_.with_recordings({"place"});
    command.insert(command.begin() + 1, loads_.game.paths.begin(), loads_.game.paths.end());
    AdvisedWay way = {.way = LoadWay::place,
                      .seconds = {},
                      .changes = "files' places, no byte",
                      .undo = "place --undo",
                      .command = std::move(command)};
    const ReadAhead read_ahead;
    const AdvisedGame& game = loads_.game;
    const PlacedLoads loads(game.runs, game.drive.profile, read_ahead, game.lying.folders);
    const auto ignore = [](std::string_view) {};
    const std::string tried = game.tries_out ? loads_.folder : "";
    const Placing placing = PlacePlanner(loads_.scenarios, loads, game.lying.files)
                                .foresee(tried, room_finder(tried, ignore));
    way.seconds =
        loads_.mean([&](size_t i) { return std::optional(placing.scenarios[i].after_s); });
    if (const auto mover = mover_for(loads_.folder, ignore); !mover)
      way.why_not = mover.error().message;
    else if (!game.lying.are_real)
      way.why_not = game.lying.why_not_real;
    else if (std::string why = why_not_written(loads_.folder, game.tries_out); !why.empty())
      way.why_not = std::move(why);
    loads_.note_needed_recording(way);
    return way;
  }

 private:
  // Returns why games can't be served here.
  std::string why_not_served() const {
    if (!loads_.game.tries_out) return "";
    if (const auto built = check_can_serve(""); !built) return built.error().message;
    if (const auto device = open_fuse_device(); !device) return device.error().message;
    const std::vector<std::string> folders = {loads_.folder};
    if (const auto mounted = try_to_mount(folders); !mounted) return mounted.error().message;
    return "";
  }

  // Adds the time to read the state of `play`, if that is on the same disk: four folders and a file
  // near each other, and the free-space maps to write another file at the end. On an emulated disk
  // this took 0.04 to 0.06 s, as long as four accesses far apart.
  double with_state(double seconds) const {
    constexpr double kAccesses = 4;
    if (!is_on_the_disk(folder_of_copies())) return seconds;
    return seconds + kAccesses * Drive(loads_.game.drive.profile).average_access_ms() / 1000;
  }

  // The copies would be in the state folder of `play`.
  std::string folder_of_copies() const {
    auto place = state_place("play", loads_.game.state);
    std::string path = place ? canonical_path(*place) : std::string();
    while (path.size() > 1 && kind_of_path(path) != PathKind::folder)
      path = std::string(folder_above(path));
    return path;
  }

  // The load's copies are read in one go; files are still looked up in their folders.
  std::optional<double> laid_out_s(size_t load, const std::string& copies,
                                   std::span<const Extent> room) const {
    PlayedLoad of = loads_.foreseen[load].by_play;
    of.chunks.clear();
    const bool is_elsewhere = !is_on_the_disk(copies);
    if (is_elsewhere && !drive_of_path(copies).is_rotational.value_or(true))
      return loads_.seconds_played(of);
    const uint64_t device = of.found.empty() ? 0 : loads_.game.lying.files[of.found.front()].device;
    of.chunks = {{.file = kShadowFile, .length_bytes = loads_.foreseen[load].copied_bytes}};
    of.copies.assign(room.begin(), room.end());
    of.copies_device = is_elsewhere ? device + 1 : device;
    return loads_.seconds_played(of);
  }

  bool is_on_the_disk(const std::string& folder) const {
    const auto there = identity_of(folder);
    const auto here = identity_of(loads_.folder);
    return there && here && there->device == here->device;
  }

  const AdvisedLoads& loads_;
};

}  // namespace

void add_ways_of_system(const AdvisedLoads& loads, std::vector<AdvisedWay>& ways) {
  const WaysOfLinux of(loads);
  ways.insert(ways.end(), {of.play(), of.laid_out(), of.place()});
}

std::string why_not_written(const std::string& folder, bool tries_out) {
  if (!may_write(folder)) {
    const int os_error = errno;
    if (os_error == EACCES)
      return fmt::format("{}: only its owner, or root, may write there", folder);
    return failed_call(folder, "write in the folder", os_error).error().message;
  }
  if (!tries_out) return "";
  const auto room = find_free_room(folder, kSeenPageBytes);
  return room ? "" : room.error().message;
}

}  // namespace seekless
