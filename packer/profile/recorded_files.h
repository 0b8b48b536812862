// Finds the files that recordings name and that are on this machine, as content, for commands that
// weren't given the game's folder.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "packer/content/content.h"
#include "packer/trace/event.h"

namespace seekless {

// Collects the paths of any number of traces.
class RecordedFiles final : public TraceSink {
 public:
  Result<void> begin(const TraceHeader&) override { return {}; }
  Result<void> add_path(std::string_view path) override;
  Result<void> add_event(const Event&) override { return {}; }
  Result<void> add_mark(const Mark&) override { return {}; }

  // Returns the files that are there, sorted by path, except those of the system. Archives count as
  // whole files. Empty if there are none.
  Content content() const;

 private:
  std::set<std::string, std::less<>> paths_;
};

}  // namespace seekless
