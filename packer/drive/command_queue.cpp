#include "packer/drive/command_queue.h"

#include <algorithm>
#include <limits>

namespace seekless {
namespace {

constexpr double kRoundingMs = 1e-6;  // smaller differences between times come from rounding

}  // namespace

CommandQueue::CommandQueue(Drive& drive, uint32_t depth)
    : drive_(drive), depth_(std::max(depth, 1U)) {}

void CommandQueue::submit(uint64_t id, uint64_t position_bytes, uint64_t length_bytes) {
  waiting_.push_back({id, position_bytes, length_bytes, 0});
}

std::optional<CommandQueue::ServedCommand> CommandQueue::serve_next() {
  if (waiting_.empty()) return std::nullopt;
  const size_t chosen = choose();
  for (size_t i = 0; i < chosen; ++i) ++waiting_[i].passed_over;
  const QueuedCommand command = waiting_[chosen];
  waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(chosen));
  return ServedCommand{command.id, drive_.read(command.position_bytes, command.length_bytes)};
}

// The first command in line has been passed over at least as often as any other.
size_t CommandQueue::choose() const {
  const size_t seen = std::min<size_t>(depth_, waiting_.size());
  if (seen == 1 || waiting_.front().passed_over >= uint64_t{kPatience} * depth_) return 0;
  size_t chosen = 0;
  double least_ms = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < seen; ++i) {
    const double reach_ms = drive_.reach_ms(waiting_[i].position_bytes, waiting_[i].length_bytes);
    if (reach_ms >= least_ms - kRoundingMs) continue;
    least_ms = reach_ms;
    chosen = i;
  }
  return chosen;
}

}  // namespace seekless
