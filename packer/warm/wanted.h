// What a scenario reads of which files, as told by a trace, a layout or a pack
// set. The input of a warm plan.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"
#include "packer/drive/sweep.h"
#include "packer/layout/layout.h"
#include "packer/trace/event.h"
#include "packer/trace/runs.h"

namespace seekless {

// A layout's first keys are {"seekless": "layout"; all other files that aren't packs are traces. So
// is what can be read only once.
enum class WantedSource : uint8_t { trace, layout, pack_set };
Result<WantedSource> kind_of_source(const std::string& path);

// An empty name is every scenario. Each says whether there was one of that name.

// Whether a file is worth warming, as a trace calls it.
using IsWanted = std::function<bool(std::string_view path)>;

// Takes a trace: what it read and mapped while `scenario` was loading, of files that are wanted.
class WantedOfTrace final : public TraceSink {
 public:
  // `wanted` must outlive it. `default_scenario` is for traces that name none. Without a filter all
  // files are wanted.
  WantedOfTrace(Wanted& wanted, std::string scenario, std::string default_scenario,
                IsWanted is_wanted_file = {});
  Result<void> begin(const TraceHeader& header) override;
  Result<void> add_path(std::string_view path) override;
  Result<void> add_event(const Event& event) override;
  Result<void> add_mark(const Mark& mark) override;
  bool found_scenario() const { return found_; }
  // What it read of the scenario, but isn't wanted.
  const std::set<std::string>& left_out() const { return left_out_; }

 private:
  void enter();

  struct TracedPath {
    std::string path;
    bool is_wanted;
  };

  Wanted& wanted_;
  std::string wanted_scenario_;
  RunCutter cutter_;
  IsWanted is_wanted_file_;
  bool is_in_scenario_ = false;
  bool found_ = false;
  std::vector<TracedPath> paths_;
  std::set<std::string> left_out_;
};

// Headers and data in the content's own files, as a game reads them that knows nothing of packs,
// and the directories of its archives. Error: an archive that can't be read, or has changed.
Result<bool> add_wanted_of_layout(const Layout& layout, const std::string& scenario,
                                  Wanted& wanted);

// The blocks that the sweep reads, with the tables in front of them. `path` is a set's folder or
// its catalog.
Result<bool> add_wanted_of_pack_set(const std::string& path, const std::string& scenario,
                                    Wanted& wanted);

}  // namespace seekless
