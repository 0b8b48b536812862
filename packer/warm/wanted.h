// Collects the ranges of files that a scenario reads, from a trace, a layout or a pack set. A warm
// plan is made from it.
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

// A layout begins with {"seekless": "layout". All other files count as traces unless they are
// packs. A file that can be read only once, such as a pipe, also counts as a trace.
enum class WantedSource : uint8_t { trace, layout, pack_set };
Result<WantedSource> kind_of_source(const std::string& path);

// An empty scenario name means all scenarios. Each of the following functions returns whether there
// was a scenario of that name.

// Returns true if a file, under the name that a trace gives it, is worth warming.
using IsWanted = std::function<bool(std::string_view path)>;

// Takes a trace: the ranges of wanted files that it read and mapped while `scenario` was loading.
class WantedOfTrace final : public TraceSink {
 public:
  // `wanted` must outlive this object. `default_scenario` is used if the trace names none. Without
  // a filter all files are wanted.
  WantedOfTrace(Wanted& wanted, std::string scenario, std::string default_scenario,
                IsWanted is_wanted_file = {});
  Result<void> begin(const TraceHeader& header) override;
  Result<void> add_path(std::string_view path) override;
  Result<void> add_event(const Event& event) override;
  Result<void> add_mark(const Mark& mark) override;
  bool found_scenario() const { return found_; }
  // Returns the files that the scenario read but that aren't wanted.
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

// Adds headers and data in the content's own files, as a game without packs reads them, and the
// directories of its archives. Fails if an archive can't be read, or has changed.
Result<bool> add_wanted_of_layout(const Layout& layout, const std::string& scenario,
                                  Wanted& wanted);

// Adds the blocks that the sweep reads, and the tables in front of them. `path` is a set's folder
// or its catalog.
Result<bool> add_wanted_of_pack_set(const std::string& path, const std::string& scenario,
                                    Wanted& wanted);

}  // namespace seekless
