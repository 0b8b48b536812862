// Commands that wait at a drive (SATA's native command queuing): the host submits several, the
// drive serves them in the order that suits it. Fed by whoever reads from a Drive by several hands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "packer/drive/drive.h"

namespace seekless {

// What SATA's native command queuing holds at most.
inline constexpr uint32_t kMaxQueueDepth = 32;

// The drive sees the first `depth` waiting commands, and serves the one whose first byte it can
// deliver soonest, seek and rotation together (shortest positioning time first; Seltzer, Chen and
// Ousterhout, "Disk Scheduling Revisited", 1990), the one submitted first among equals. One that
// has been passed over kPatience times as often as the queue is deep is served next, so that none
// starves. Depth 1 serves in the order of submission.
class CommandQueue {
 public:
  static constexpr uint32_t kPatience = 4;

  struct ServedCommand {
    uint64_t id;
    double busy_ms;  // as Drive::read returns it: 0 if all of it lies past the drive's end
  };

  // `drive` must outlive the queue; its clock goes on only as commands are served, or by its own
  // wait(). `depth` is 1 or more. Not for two threads at once.
  CommandQueue(Drive& drive, uint32_t depth);

  // `id` is the caller's, who may use it twice.
  void submit(uint64_t id, uint64_t position_bytes, uint64_t length_bytes);

  // Lets the drive serve one command to its end; nothing if none waits.
  std::optional<ServedCommand> serve_next();

  size_t waiting() const { return waiting_.size(); }

 private:
  struct QueuedCommand {
    uint64_t id;
    uint64_t position_bytes;
    uint64_t length_bytes;
    uint64_t passed_over;  // how often the drive saw it and chose one submitted later
  };

  size_t choose() const;

  Drive& drive_;
  uint32_t depth_;
  std::deque<QueuedCommand> waiting_;  // in the order of submission
};

}  // namespace seekless
