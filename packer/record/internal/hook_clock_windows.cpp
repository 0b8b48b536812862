#include "packer/record/internal/hook_clock_windows.h"

#include <array>
#include <cmath>
#include <limits>

#include <intrin.h>
#include <windows.h>

namespace seekless {
namespace {

bool runs_under_wine() {
  return ::GetProcAddress(::GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != nullptr;
}

// Returns true if the counter runs at one rate, whatever the processor's speed and sleep states.
// Real Windows handles more cases, such as machines whose processors disagree, so this counter
// isn't used there.
bool cycles_run_evenly() {
  constexpr int kHighest = static_cast<int>(0x80000000U), kPower = static_cast<int>(0x80000007U);
  constexpr unsigned kInvariant = 1U << 8;
  std::array<int, 4> found = {};
  __cpuid(found.data(), kHighest);
  if (static_cast<unsigned>(found[0]) < static_cast<unsigned>(kPower)) return false;
  __cpuid(found.data(), kPower);
  return (static_cast<unsigned>(found[3]) & kInvariant) != 0;
}

}  // namespace

HookClock::HookClock() : counts_cycles_(runs_under_wine() && cycles_run_evenly()) {
  LARGE_INTEGER frequency;
  ::QueryPerformanceFrequency(&frequency);
  counter_per_second_ = frequency.QuadPart;
  ticks_.ticks_per_second = counter_per_second_;
  first_ = now();
}

// Reads one counter between two readings of the other. Takes the closest of a few tries, because
// another program may run in between.
HookClock::Moment HookClock::now() {
  constexpr int kTries = 5;
  Moment closest;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int i = 0; i < kTries; ++i) {
    LARGE_INTEGER counter;
    const auto before = static_cast<int64_t>(__rdtsc());
    ::QueryPerformanceCounter(&counter);
    const auto after = static_cast<int64_t>(__rdtsc());
    if (after - before >= least) continue;
    least = after - before;
    closest = {before + least / 2, counter.QuadPart};
  }
  return closest;
}

void HookClock::begin(int64_t ns) {
  const Moment here = now();
  ticks_.ticks = counts_cycles_ ? here.cycles : here.counter;
  ticks_.ns = ns;
  look_again();
}

void HookClock::look_again() {
  if (!counts_cycles_) return;
  const Moment here = now();
  const auto passed = static_cast<double>(here.counter - first_.counter);
  const auto cycles = static_cast<double>(here.cycles - first_.cycles);
  if (passed <= 0 || cycles <= 0) return;
  ticks_.ticks_per_second =
      std::llround(cycles / passed * static_cast<double>(counter_per_second_));
}

}  // namespace seekless
