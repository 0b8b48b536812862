#include "packer/analysis/internal/ordered_runs.h"

namespace seekless {
namespace {

bool is_on_disk(std::string_view path) {
  for (const std::string_view root : {"/proc", "/sys", "/dev"})
    if (path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/'))
      return false;
  return true;
}

}  // namespace

Result<void> OrderedRuns::begin(const TraceHeader& header) {
  header_ = header;
  cutter_.begin(header);
  return {};
}

Result<void> OrderedRuns::add_path(std::string_view path) {
  const auto number = static_cast<uint32_t>(is_on_disk_.size());
  is_on_disk_.push_back(is_on_disk(path));
  if (is_on_disk_.back()) visitor_.add_path(number, path);
  return {};
}

Result<void> OrderedRuns::add_event(const Event& event) {
  if (!is_on_disk_[event.path]) {
    ++events_left_out_;
    return {};
  }
  if (!is_running_) begin_run(std::nullopt);
  const bool is_in_order = in_order_.empty() || in_order_.back().event.start_ns <= event.start_ns;
  if (is_in_order)
    in_order_.push_back({event, sequence_++});
  else
    out_of_order_.push({event, sequence_++});
  if (in_order_.size() + out_of_order_.size() > kMaxHeld) release_first();
  return {};
}

Result<void> OrderedRuns::add_mark(const Mark& mark) {
  if (runs_ >= kMaxRuns) {
    ++marks_passed_over_;
    return {};
  }
  if (is_running_) end_run(mark.time_ns);
  cutter_.cut(mark);
  if (mark.begins) begin_run(mark.time_ns);
  return {};
}

void OrderedRuns::finish() {
  if (is_running_) end_run(std::nullopt);
}

void OrderedRuns::begin_run(std::optional<int64_t> begins_ns) {
  ++runs_;
  is_running_ = true;
  visitor_.begin_run(cutter_.scenario(), begins_ns);
}

void OrderedRuns::end_run(std::optional<int64_t> ends_ns) {
  while (!in_order_.empty() || !out_of_order_.empty()) release_first();
  is_running_ = false;
  visitor_.end_run(ends_ns);
}

void OrderedRuns::release_first() {
  const bool takes_late =
      !out_of_order_.empty() && (in_order_.empty() || in_order_.front() > out_of_order_.top());
  if (takes_late) {
    visitor_.add_event(out_of_order_.top().event);
    out_of_order_.pop();
  } else {
    visitor_.add_event(in_order_.front().event);
    in_order_.pop_front();
  }
}

}  // namespace seekless
