// Models the commands that wait at a drive (SATA's native command queuing): the host submits
// several, and the drive serves them in its own order. For callers that keep several reads in
// flight on one Drive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "packer/drive/drive.h"

namespace seekless {

// SATA's native command queuing holds at most this many commands.
inline constexpr uint32_t kMaxQueueDepth = 32;

// The drive sees the first `depth` waiting commands. It serves the one whose first byte it can
// deliver soonest, counting seek and rotation together (shortest positioning time first; Seltzer,
// Chen and Ousterhout, "Disk Scheduling Revisited", 1990). Among equals it serves the one submitted
// first. A command that has been passed over kPatience times the queue's depth is served next, so
// that none starves. With depth 1, commands are served in the order of submission.
class CommandQueue {
 public:
  static constexpr uint32_t kPatience = 4;

  struct ServedCommand {
    uint64_t id;
    double busy_ms;  // result of Drive::read; 0 if the command lies past the drive's end
  };

  // `drive` must outlive the queue. Its clock advances only as commands are served, or by its own
  // wait(). `depth` must be 1 or more. Not thread-safe.
  CommandQueue(Drive& drive, uint32_t depth);

  // `id` belongs to the caller and needn't be unique.
  void submit(uint64_t id, uint64_t position_bytes, uint64_t length_bytes);

  // Lets the drive serve one command to its end. Returns nothing if none waits.
  std::optional<ServedCommand> serve_next();

  size_t waiting() const { return waiting_.size(); }

 private:
  struct QueuedCommand {
    uint64_t id;
    uint64_t position_bytes;
    uint64_t length_bytes;
    uint64_t passed_over;  // how often the drive chose a later command instead
  };

  size_t choose() const;

  Drive& drive_;
  uint32_t depth_;
  std::deque<QueuedCommand> waiting_;  // in the order of submission
};

}  // namespace seekless
