// Reads tables of requests that a drive served, with the time that each took. Drive profiles are
// fitted to them and judged by them. docs/calibrate.md describes the forms.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

struct ServedRequest {
  uint64_t position_bytes = 0;
  uint64_t length_bytes = 0;  // at least 1
  double response_ms = 0;     // from the command to its completion
  double pause_ms = 0;        // from the completion to the next command
  bool is_read = true;
};

// Holds the requests of one drive, in the order in which the drive served them.
struct ServedRequests {
  std::string form;  // "requests" (CSV), "disksim", "blkparse" or "biosnoop"
  std::string disk;  // the disk's name in the log; empty if the form has none
  std::vector<ServedRequest> requests;
  uint64_t lines = 0;
  uint64_t unparsed_lines = 0;
  uint64_t queued_requests = 0;  // requests that came while the drive still served another
  std::vector<std::string> warnings;
};

// At most this many requests of a disk are read; a warning says if there are more. They cover hours
// of a busy disk, and judging them takes a kilobyte each.
inline constexpr size_t kMaxServedRequests = size_t{1} << 18;

// Reads a file, packed or not, or standard input for "-". `disk` chooses one disk of a log of
// several; without it, the disk with the most requests is taken, and a warning says so. Lines that
// can't be parsed are skipped, with a warning. Fails (damaged) if the text has none of the forms,
// if more than a tenth of its lines can't be parsed, or if no request is left.
Result<ServedRequests> read_served_requests(const std::string& path, const std::string& disk = {});

}  // namespace seekless
