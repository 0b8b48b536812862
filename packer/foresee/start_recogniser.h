// Recognises whether a game starts as it did before, from what it reads and looks up first. Pure.
#pragma once

#include <cstdint>

namespace seekless {

class StartRecogniser {
 public:
  // Notes the next read or name. `is_core` is true if every known start has it. Returns true once,
  // when the start is recognised.
  bool note(bool is_core) {
    if (!is_waiting_) return false;
    ++noted_;
    core_ += is_core ? 1 : 0;
    const bool is_known = noted_ >= kFewest && core_ * 100 >= noted_ * kCorePercent;
    is_waiting_ = !is_known && noted_ < kMost;
    return is_known;
  }

  // Returns true until the start is recognised, or has had its chance.
  bool is_waiting() const { return is_waiting_; }

 private:
  // A start is recognised after this many reads and names, if this part of them is core.
  static constexpr uint32_t kFewest = 8;
  static constexpr uint32_t kCorePercent = 70;
  // A start that isn't recognised by then never is.
  static constexpr uint32_t kMost = 512;

  bool is_waiting_ = true;
  uint32_t noted_ = 0;
  uint32_t core_ = 0;
};

}  // namespace seekless
