// Orders to the emulated disk while it runs, and the faults that it must produce. Orders are lines
// of text that the script `hdd` writes into the control file. Pure.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace seekless::hdd {

// A fault in a range of the disk: reads that touch it fail, or take longer.
struct ReadFault {
  uint64_t begin_bytes = 0;
  uint64_t length_bytes = 0;  // at least 1
  double slow_ms = 0;         // 0: the read fails instead
  uint64_t times = 0;         // number of reads that it hits; 0: all
  uint64_t after_reads = 0;   // number of reads of the disk that succeed before
};

struct Order {
  enum class Kind { reset, none, fault, stuck };
  Kind kind = Kind::none;
  ReadFault fault;
  double stuck_s = 0;
};

inline constexpr double kMaxSlowMs = 600e3;
inline constexpr double kMaxStuckS = 3600;

// One line, with or without its newline:
//   reset                                        counters to zero, head to where it was at first
//   none                                         no more faults
//   eio BEGIN LENGTH TIMES AFTER                 see ReadFault
//   slow BEGIN LENGTH TIMES AFTER MILLISECONDS   more than 0, at most kMaxSlowMs
//   stuck SECONDS                                at most kMaxStuckS
// Returns none for any other line.
std::optional<Order> parse_order(std::string_view line);

class Faults {
 public:
  struct Strike {
    bool fails = false;
    double slow_ms = 0;
  };
  struct Counters {
    uint64_t failed_reads = 0;
    uint64_t slow_reads = 0;
  };

  void add(const ReadFault& fault) { faults_.push_back(fault); }
  void clear() { faults_.clear(); }
  // Returns the fault that hits this read; each call counts one read.
  Strike on_read(uint64_t begin_bytes, uint64_t length_bytes);

  const Counters& counters() const { return counters_; }
  void reset_counters() { counters_ = {}; }

 private:
  std::vector<ReadFault> faults_;
  Counters counters_;
};

}  // namespace seekless::hdd
