// Holds the clock with which hooked programs stamp their records, and converts it to the
// recording's clock. The clock is Windows' performance counter. Under Wine, reading that counter
// takes longer than all other work for a read. So the clock is then the processor's own counter, if
// that counter runs evenly.
#pragma once

#include <cstdint>

#include "packer/record/internal/process_records.h"

namespace seekless {

class HookClock {
 public:
  HookClock();

  bool counts_cycles() const { return counts_cycles_; }
  // Starts the clock at the recording's time `ns`.
  void begin(int64_t ns);
  // Measures the rate of the processor's counter from the beginning until now.
  void look_again();

  const TickClock& ticks() const { return ticks_; }

 private:
  // Holds the values of both counters at one moment.
  struct Moment {
    int64_t cycles = 0;
    int64_t counter = 0;
  };
  static Moment now();

  bool counts_cycles_ = false;
  int64_t counter_per_second_ = 0;
  Moment first_;
  TickClock ticks_;
};

}  // namespace seekless
