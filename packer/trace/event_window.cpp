#include "packer/trace/event_window.h"

namespace seekless {

Result<void> EventWindow::add(const Event& event) {
  if (held_.empty() && running_.empty()) return sink_.add_event(event);
  held_.push({event, sequence_++});
  return release();
}

Result<void> EventWindow::call_ends(const Running& call) {
  running_.erase(call);
  return release();
}

Result<void> EventWindow::stop_waiting_before(int64_t start_ns) {
  running_.erase(running_.begin(), running_.lower_bound({start_ns, 0}));
  return release();
}

Result<void> EventWindow::release_first() {
  const Event event = held_.top().event;
  held_.pop();
  return sink_.add_event(event);
}

Result<void> EventWindow::release() {
  while (!held_.empty() && (running_.empty() || held_.size() > kMaxHeld ||
                            held_.top().event.start_ns <= running_.begin()->first)) {
    SKL_TRY_DO(release_first());
  }
  return {};
}

Result<void> EventWindow::finish() {
  running_.clear();
  return release();
}

}  // namespace seekless
