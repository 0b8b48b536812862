// The clock with which hooked programs stamp their records, and its conversion to the recording's
// clock. It is Windows' performance counter. Under Wine, reading that counter is a call that takes
// longer than all other work for a read, so there it is the processor's own counter, if that runs
// evenly.
#pragma once

#include <cstdint>

#include "packer/record/internal/process_records.h"

namespace seekless {

class HookClock {
 public:
  HookClock();

  bool counts_cycles() const { return counts_cycles_; }
  // Starts the clock; the recording's clock shows `ns` now.
  void begin(int64_t ns);
  // Measures the rate of the processor's counter, which is unknown, from the beginning until now.
  void look_again();

  const TickClock& ticks() const { return ticks_; }

 private:
  // Holds both counters at one moment.
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
