// Plans and runs `seekless place`: which scenarios' files are placed next to each other, in which
// order, and what loads cost before and after.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "packer/place/mover.h"
#include "packer/place/placed_loads.h"

namespace seekless {

struct PlacedScenario {
  std::string name;
  double before_s = 0;  // the median run's drive time, by the model
  double after_s = 0;   // the same after all moves; a dry run predicts it
};

struct Placing {
  std::vector<PlacedScenario> scenarios;  // sorted by name
  uint64_t moved_files = 0;
  uint64_t moved_bytes = 0;
};

class PlacePlanner {
 public:
  // `scenarios` and `loads` must outlive this object. `places` are those of Content::sources, all
  // on one device; links have none.
  PlacePlanner(const std::vector<ScenarioFiles>& scenarios, const PlacedLoads& loads,
               FilePlaces places);

  // Predicts the result, with the room that `find_room` finds in `folder`. If it finds none, one
  // free piece is assumed to be large enough.
  Placing foresee(const std::string& folder, const FindRoom& find_room) const;
  // Returns the files that would be moved, in their new order, scenario by scenario.
  std::vector<std::vector<uint32_t>> files_to_move() const;
  // Moves the files of one scenario after the other, the one with the largest gain first; a file
  // that was moved isn't moved again. Stops when there is no more space; `warn` reports the files
  // that weren't moved. `keep` is called with files before they are moved.
  using Keep = std::function<Result<void>(const std::vector<FileExtents>& files)>;
  Result<Placing> place(const Mover& mover, const std::string& folder, const Keep& keep,
                        const Mover::Warn& warn);

 private:
  struct FileGroup {
    uint32_t scenario = 0;
    std::vector<uint32_t> files;
    double gain_s = 0;
  };
  std::vector<double> seconds(const FilePlaces& places) const;
  std::vector<uint32_t> files_with_place(const ScenarioFiles& scenario) const;
  void move_other_names(FilePlaces& places) const;
  std::vector<FileGroup> groups_by_gain(const std::vector<double>& before) const;
  std::vector<uint32_t> foresee_group(const FileGroup& group, const std::string& folder,
                                      const FindRoom& find_room,
                                      std::vector<std::unique_ptr<FoundRoom>>& rooms,
                                      FilePlaces& moved) const;
  std::vector<uint32_t> files_that_move(const FileGroup& group, const FoundRoom& room) const;
  using PlacesOfFiles = std::vector<std::vector<Extent>>;
  double seconds_in(const FileGroup& group, const PlacesOfFiles& places, FilePlaces now) const;
  bool has_room_for(const FileGroup& group, const std::string& folder) const;
  bool pays(const FileGroup& group, const ReservedRoom& room) const;
  Result<void> move_group(const FileGroup& group, ReservedRoom& room, Placing& placing);
  Placing table(const std::vector<double>& before, const std::vector<double>& after) const;

  const std::vector<ScenarioFiles>& scenarios_;
  const PlacedLoads& loads_;
  FilePlaces places_;
  std::map<uint32_t, uint32_t> other_names_;  // a file's further hard links -> its first one
};

// Puts files in one row, sorted by device and former place. For --undo.
Result<uint64_t> place_in_order(std::vector<FileExtents> files, const Mover& mover);

}  // namespace seekless
