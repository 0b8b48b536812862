// What hooked programs note times by, and what it shows on the recording's clock. That is Windows'
// performance counter. Under Wine, where each look at that is a call, which takes longer than all
// else that is noted of a read, it is the processor's own counter, if that runs evenly.
#pragma once

#include <cstdint>

#include "packer/record/internal/process_records.h"

namespace seekless {

class HookClock {
 public:
  HookClock();

  bool counts_cycles() const { return counts_cycles_; }
  // From here on times are counted; by the recording's clock it is `ns`.
  void begin(int64_t ns);
  // The processor's counter has an unknown rate, which is measured from the beginning on.
  void look_again();

  const TickClock& ticks() const { return ticks_; }

 private:
  // Both counters at one moment.
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
