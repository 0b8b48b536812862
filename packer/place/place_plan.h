// What `seekless place` does: which scenarios' files are put together, in which order, and what
// loads cost before and after.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/place/mover.h"
#include "packer/place/placed_loads.h"

namespace seekless {

struct PlacedScenario {
  std::string name;
  double before_s = 0;  // by the drive model, of the median run
  double after_s = 0;   // likewise, once all was moved; of a dry run: foreseen
};

struct Placing {
  std::vector<PlacedScenario> scenarios;  // by name
  uint64_t moved_files = 0;
  uint64_t moved_bytes = 0;
};

class PlacePlanner {
 public:
  // All outlive it. `places` are those of Content::sources, all on one device; links have none.
  PlacePlanner(const std::vector<ScenarioFiles>& scenarios, const PlacedLoads& loads,
               FilePlaces places);

  // Foreseen as if there were one free piece large enough.
  Result<Placing> foresee() const;
  // Moves the files of one scenario after the other, that with the largest gain first; what one
  // has moved isn't moved again. Stops where the room ends: what is left is told to `warn`.
  // `keep` is called with files before they are moved.
  using Keep = std::function<Result<void>(const std::vector<FileExtents>& files)>;
  Result<Placing> place(const Mover& mover, const std::string& folder, const Keep& keep,
                        const Mover::Warn& warn);

 private:
  struct FileGroup {
    uint32_t scenario = 0;
    std::vector<uint32_t> files;
    double gain_s = 0;
  };
  Result<std::vector<double>> seconds(const FilePlaces& places) const;
  Result<std::vector<FileGroup>> groups_by_gain(const std::vector<double>& before) const;
  Result<bool> pays(const FileGroup& group, const ReservedRoom& room) const;
  Result<void> move_group(const FileGroup& group, ReservedRoom& room, Placing& placing);
  Placing table(const std::vector<double>& before, const std::vector<double>& after) const;

  const std::vector<ScenarioFiles>& scenarios_;
  const PlacedLoads& loads_;
  FilePlaces places_;
};

// Files in one row, as they lay before: by device and place. For --undo.
Result<uint64_t> place_in_order(std::vector<FileExtents> files, const Mover& mover);

}  // namespace seekless
