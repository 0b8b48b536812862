#include "packer/place/place_plan.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "packer/host/files.h"
#include "packer/host/interrupt.h"
#include "packer/host/whole_files.h"
#include "packer/words/counted.h"

namespace seekless {
namespace {

// A smaller gain isn't worth writing the files again.
constexpr double kLeastGain = 0.03;
// Other programs that write to the disk need space, too.
constexpr uint64_t kKeptFreeBytes = uint64_t{64} << 20;

uint64_t room_for(const std::vector<uint32_t>& files, const FilePlaces& places) {
  return std::accumulate(files.begin(), files.end(), uint64_t{0}, [&](uint64_t sum, uint32_t file) {
    return sum + whole_blocks(places[file].size_bytes);
  });
}

// Free space is fragmented, and each request gets other pieces, so this many are tried.
constexpr int kMostRooms = 4;

// Reserves space a few times, as long as `has_room`, and returns the room that makes loads fastest.
// If the file system doesn't report where the room lies, the first one is returned.
template <typename Reserve, typename SecondsIn, typename HasRoom>
auto best_room(const Reserve& reserve, const SecondsIn& seconds_in, const HasRoom& has_room)
    -> decltype(reserve()) {
  auto best = reserve();
  if (!best || (*best)->places().empty()) return best;
  double least_s = seconds_in((*best)->places());
  std::vector<std::remove_reference_t<decltype(*best)>> others;  // kept, so that all are different
  for (int room = 1; room < kMostRooms && has_room(); ++room) {
    if (is_interrupted()) throw Interrupted();
    auto next = reserve();
    if (!next) break;
    if (const double next_s = seconds_in((*next)->places()); next_s < least_s) {
      least_s = next_s;
      std::swap(*best, *next);
    }
    others.push_back(*std::move(next));
  }
  return best;
}

// Reads a file's present place again. A file that others have removed then has none.
void look_again(FileExtents& file, const Mover::Warn& warn) {
  if (auto now = read_extents(file.path))
    file = *std::move(now);
  else {
    warn(now.error().message);
    file.extents.clear();
  }
}

uint64_t first_place(const std::vector<uint32_t>& files, const FilePlaces& places) {
  uint64_t first = UINT64_MAX;
  for (const uint32_t file : files)
    for (const Extent& piece : places[file].extents) first = std::min(first, piece.place_bytes);
  return first == UINT64_MAX ? 0 : first;
}

// Maps each further hard link of a file to the first one.
std::map<uint32_t, uint32_t> find_other_names(const FilePlaces& places) {
  std::map<uint32_t, uint32_t> others;
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> first_names;  // by device and file number
  for (uint32_t file = 0; file < places.size(); ++file) {
    if (places[file].extents.empty()) continue;
    const auto identity = identity_of(places[file].path);
    if (!identity) continue;
    const auto [first, is_new] = first_names.try_emplace({identity->device, identity->inode}, file);
    if (!is_new) others[file] = first->second;
  }
  return others;
}

}  // namespace

PlacePlanner::PlacePlanner(const std::vector<ScenarioFiles>& scenarios, const PlacedLoads& loads,
                           FilePlaces places)
    : scenarios_(scenarios),
      loads_(loads),
      places_(std::move(places)),
      other_names_(find_other_names(places_)) {}

std::vector<double> PlacePlanner::seconds(const FilePlaces& places) const {
  std::vector<double> all;
  for (const ScenarioFiles& scenario : scenarios_) all.push_back(loads_.seconds(scenario, places));
  return all;
}

Placing PlacePlanner::table(const std::vector<double>& before,
                            const std::vector<double>& after) const {
  Placing placing;
  for (size_t i = 0; i < scenarios_.size(); ++i)
    placing.scenarios.push_back({scenarios_[i].scenario, before[i], after[i]});
  return placing;
}

// Returns the scenario's files that have a place, each by its first name only.
std::vector<uint32_t> PlacePlanner::files_with_place(const ScenarioFiles& scenario) const {
  std::vector<uint32_t> files;
  std::set<uint32_t> known;
  for (const uint32_t name : scenario.files) {
    const auto other = other_names_.find(name);
    const uint32_t file = other == other_names_.end() ? name : other->second;
    if (!places_[file].extents.empty() && known.insert(file).second) files.push_back(file);
  }
  return files;
}

void PlacePlanner::move_other_names(FilePlaces& places) const {
  for (const auto& [other, first] : other_names_) places[other].extents = places[first].extents;
}

// Groups files by scenario, the largest gain first. Each gain is computed for the scenario alone.
// Files without a place are left out.
std::vector<PlacePlanner::FileGroup> PlacePlanner::groups_by_gain(
    const std::vector<double>& before) const {
  std::vector<FileGroup> groups;
  for (uint32_t i = 0; i < scenarios_.size(); ++i) {
    FileGroup group = {i, files_with_place(scenarios_[i]), 0};
    FilePlaces together = places_;
    place_one_after_the_other(group.files, first_place(group.files, places_), together);
    move_other_names(together);
    group.gain_s = before[i] - loads_.seconds(scenarios_[i], together);
    if (group.gain_s > before[i] * kLeastGain) groups.push_back(std::move(group));
  }
  std::ranges::stable_sort(groups, std::ranges::greater(), &FileGroup::gain_s);
  std::vector<bool> is_taken(places_.size());
  for (FileGroup& group : groups) {
    std::erase_if(group.files, [&](uint32_t file) { return is_taken[file]; });
    for (const uint32_t file : group.files) is_taken[file] = true;
  }
  std::erase_if(groups, [](const FileGroup& group) { return group.files.empty(); });
  return groups;
}

std::vector<std::vector<uint32_t>> PlacePlanner::files_to_move() const {
  std::vector<std::vector<uint32_t>> files;
  for (FileGroup& group : groups_by_gain(seconds(places_))) files.push_back(std::move(group.files));
  return files;
}

Placing PlacePlanner::foresee(const std::string& folder, const FindRoom& find_room) const {
  const std::vector<double> before = seconds(places_);
  FilePlaces after = places_;
  Placing counts;
  std::vector<std::unique_ptr<FoundRoom>> rooms;  // kept, so that each group gets its own
  for (const FileGroup& group : groups_by_gain(before)) {
    FilePlaces moved = after;
    const auto files = foresee_group(group, folder, find_room, rooms, moved);
    move_other_names(moved);
    const ScenarioFiles& scenario = scenarios_[group.scenario];
    if (loads_.seconds(scenario, moved) >= loads_.seconds(scenario, after) * (1 - kLeastGain))
      continue;
    after = std::move(moved);
    counts.moved_files += files.size();
    counts.moved_bytes += room_for(files, places_);
  }
  Placing placing = table(before, seconds(after));
  placing.moved_files = counts.moved_files;
  placing.moved_bytes = counts.moved_bytes;
  return placing;
}

// Changes only the places in `moved`, and returns the files that move. If no room can be found, it
// is assumed to be in one piece.
std::vector<uint32_t> PlacePlanner::foresee_group(const FileGroup& group, const std::string& folder,
                                                  const FindRoom& find_room,
                                                  std::vector<std::unique_ptr<FoundRoom>>& rooms,
                                                  FilePlaces& moved) const {
  if (!has_room_for(group, folder)) {
    place_one_after_the_other(group.files, first_place(group.files, places_), moved);
    return group.files;
  }
  std::vector<FileExtents> files;
  for (const uint32_t file : group.files) files.push_back(places_[file]);
  auto room =
      best_room([&] { return find_room(files); },
                [&](const PlacesOfFiles& places) { return seconds_in(group, places, moved); },
                [&] { return has_room_for(group, folder); });
  if (!room || (*room)->places().size() != files.size()) {
    place_one_after_the_other(group.files, first_place(group.files, places_), moved);
    return group.files;
  }
  for (size_t i = 0; i < group.files.size(); ++i)
    moved[group.files[i]].extents = (*room)->places()[i];
  rooms.push_back(*std::move(room));
  return files_that_move(group, *rooms.back());
}

std::vector<uint32_t> PlacePlanner::files_that_move(const FileGroup& group,
                                                    const FoundRoom& room) const {
  if (room.places().empty()) return group.files;
  std::vector<uint32_t> files;
  for (size_t i = 0; i < group.files.size(); ++i)
    if (room.places()[i] != places_[group.files[i]].extents) files.push_back(group.files[i]);
  return files;
}

// Returns the seconds of the group's scenario with the group's files at `places`, and all others as
// in `now`.
double PlacePlanner::seconds_in(const FileGroup& group, const PlacesOfFiles& places,
                                FilePlaces now) const {
  for (size_t i = 0; i < group.files.size(); ++i) now[group.files[i]].extents = places[i];
  move_other_names(now);
  return loads_.seconds(scenarios_[group.scenario], now);
}

bool PlacePlanner::has_room_for(const FileGroup& group, const std::string& folder) const {
  const auto free = free_bytes(folder);
  return free && *free >= room_for(group.files, places_) + kKeptFreeBytes;
}

// Returns true if the predicted gain is large enough, or if the file system doesn't report the new
// places in advance.
bool PlacePlanner::pays(const FileGroup& group, const ReservedRoom& room) const {
  if (room.places().empty()) return true;
  return seconds_in(group, room.places(), places_) <
         loads_.seconds(scenarios_[group.scenario], places_) * (1 - kLeastGain);
}

Result<void> PlacePlanner::move_group(const FileGroup& group, ReservedRoom& room,
                                      Placing& placing) {
  for (size_t i = 0; i < group.files.size(); ++i) {
    if (is_interrupted()) throw Interrupted();
    SKL_TRY(const auto moved, room.move(i));
    if (!moved) continue;
    ++placing.moved_files;
    placing.moved_bytes += places_[group.files[i]].size_bytes;
  }
  return {};
}

Result<Placing> PlacePlanner::place(const Mover& mover, const std::string& folder, const Keep& keep,
                                    const Mover::Warn& warn) {
  const std::vector<double> before = seconds(places_);
  Placing counts;
  std::vector<std::pair<std::string, Error>> without_room;  // scenarios
  bool had_room = false;
  for (const FileGroup& group : groups_by_gain(before)) {
    const std::string& name = scenarios_[group.scenario].scenario;
    const uint64_t needed = room_for(group.files, places_) + kKeptFreeBytes;
    const auto free = free_bytes(folder);
    if (!free) return std::unexpected(free.error());
    if (*free < needed) {
      warn(fmt::format("{}: needs {:.1f} MB of free room, and there are {:.1f}: its {} as they are",
                       name, megabytes(needed), megabytes(*free),
                       counted(group.files.size(), "file stays", "files stay")));
      continue;
    }
    std::vector<FileExtents> files;
    for (const uint32_t file : group.files) files.push_back(places_[file]);
    auto room =
        best_room([&] { return mover.reserve(files); },
                  [&](const PlacesOfFiles& places) { return seconds_in(group, places, places_); },
                  [&] { return has_room_for(group, folder); });
    if (!room) {
      without_room.emplace_back(name, room.error());  // others may need less
      continue;
    }
    had_room = true;
    const std::vector<uint32_t> moving = files_that_move(group, **room);
    if (moving.empty()) continue;  // the mover has warned of each
    if (!pays(group, **room)) {
      warn(name + ": the free room lies in pieces too small to win anything: its files stay");
      continue;
    }
    std::vector<FileExtents> kept;
    for (const uint32_t file : moving) kept.push_back(places_[file]);
    SKL_TRY_DO(keep(kept));
    SKL_TRY_DO(move_group(group, **room, counts));
    for (const uint32_t file : group.files) look_again(places_[file], warn);
    move_other_names(places_);
  }
  if (!had_room && !without_room.empty()) return std::unexpected(without_room.front().second);
  for (const auto& [name, error] : without_room)
    warn(fmt::format("{}: its files stay as they are: {}", name, error.message));
  // Moved files are safe even without this: ext4 writes data before the journal refers to them.
  SKL_TRY_DO(sync_file_system(folder));
  Placing placing = table(before, seconds(places_));
  placing.moved_files = counts.moved_files;
  placing.moved_bytes = counts.moved_bytes;
  return placing;
}

Result<uint64_t> place_in_order(std::vector<FileExtents> files, const Mover& mover) {
  const size_t count = files.size();
  SKL_TRY(auto room, mover.reserve(std::move(files)));
  uint64_t moved = 0;
  for (size_t i = 0; i < count; ++i) {
    SKL_TRY(const auto done, room->move(i));
    moved += done ? 1 : 0;
  }
  return moved;
}

}  // namespace seekless
