#include <array>
#include <cstdint>
#include <string_view>

#include <windows.h>

#include "packer/host/faults.h"
#include "packer/host/internal/mistake.h"

namespace seekless {
namespace {

// Keeps the previous filter: that of GCC's runtime, which handles uncaught C++ exceptions and calls
// signals' handlers.
LPTOP_LEVEL_EXCEPTION_FILTER filter_before = nullptr;

class Hex {
 public:
  explicit Hex(uint64_t number) {
    do {
      digits_[--first_] = "0123456789abcdef"[number % 16];
      number /= 16;
    } while (number > 0);
  }
  std::string_view text() const { return {digits_.data() + first_, digits_.size() - first_}; }

 private:
  std::array<char, 16> digits_;
  size_t first_ = 16;
};

// This allocates no memory and uses little stack, because a lack of either may have caused the
// crash. The printed address is that of the linker's map, wherever the program was loaded.
LONG WINAPI tell(EXCEPTION_POINTERS* fault) {
  const LONG answer = filter_before == nullptr ? EXCEPTION_CONTINUE_SEARCH : filter_before(fault);
  if (answer == EXCEPTION_CONTINUE_EXECUTION) return answer;
  const EXCEPTION_RECORD& record = *fault->ExceptionRecord;
  const auto base = reinterpret_cast<uintptr_t>(::GetModuleHandleW(nullptr));
  const Hex kind(record.ExceptionCode);
  const Hex place(reinterpret_cast<uintptr_t>(record.ExceptionAddress) - base);
  say_mistake({"exception 0x", kind.text(), " at 0x", place.text(), " from the program's begin"});
  return answer;
}

}  // namespace

void tell_of_faults() noexcept {
  // Reserves stack for the filter, for the case that the stack is full. This covers the main
  // thread.
  ULONG kept_bytes = 16'384;
  ::SetThreadStackGuarantee(&kept_bytes);
  filter_before = ::SetUnhandledExceptionFilter(tell);
}

}  // namespace seekless
