#include "packer/host/out_of_memory.h"

#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "packer/host/standard_streams.h"

namespace seekless {
namespace {

[[noreturn]] void end_program() noexcept {
  try {
    if (std::current_exception() != nullptr) throw;
  } catch (const std::bad_alloc&) {
    constexpr std::string_view kMessage =
        "seekless: error: out of memory; end other programs, or allow this one more\n";
    say(kMessage);
    std::_Exit(1);
  } catch (...) {
  }
  std::abort();
}

}  // namespace

void end_tidily_without_memory() {
  std::set_terminate(end_program);
}

}  // namespace seekless
