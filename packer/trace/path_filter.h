// Stands between a dialect and the real sink: renames and filters paths as the user asked, adds the
// user's marks where scenarios begin, and counts events.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "packer/trace/dialect.h"
#include "packer/trace/event.h"

namespace seekless {

// Hands a path on together with its first event, so a path without events never reaches the sink.
// Two paths that are renamed to the same path become one.
class PathFilter final : public TraceSink {
 public:
  // All three must outlive the filter.
  PathFilter(const ImportOptions& options, TraceSink& sink, ImportReport& report)
      : options_(options), sink_(sink), report_(report) {}

  Result<void> begin(const TraceHeader& header) override;
  Result<void> add_path(std::string_view path) override;
  Result<void> add_event(const Event& event) override;
  Result<void> add_mark(const Mark& mark) override { return sink_.add_mark(mark); }
  // Warns of marks that lie after the trace's end.
  void finish(const std::string& file);

 private:
  struct FilteredPath {
    std::string path;  // empty once handed on
    uint32_t number;   // the path's number in the sink, or one of the constants below
  };
  static constexpr uint32_t kWaiting = UINT32_MAX;
  static constexpr uint32_t kLeftOut = UINT32_MAX - 1;

  Result<void> hand_on(FilteredPath& entry);
  Result<void> set_marks(const Event& event);
  void count(const Event& event);

  const ImportOptions& options_;
  TraceSink& sink_;
  ImportReport& report_;
  std::vector<FilteredPath> entries_;
  std::unordered_map<std::string, uint32_t> numbers_;  // used only where paths are renamed
  std::unordered_map<uint32_t, std::string> splits_;   // path -> scenario that has not begun yet
  std::vector<Mark> marks_;                            // sorted by time
  size_t marks_set_ = 0;
  uint32_t handed_on_ = 0;
  int64_t first_start_ns_ = 0;
  int64_t last_end_ns_ = 0;
};

}  // namespace seekless
