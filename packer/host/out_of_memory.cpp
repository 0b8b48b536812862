#include "packer/host/out_of_memory.h"

#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "packer/host/standard_streams.h"

namespace seekless {
namespace {

using namespace std::string_view_literals;

// In parts, since there may be no memory to put them together.
void say_mistake(std::string_view what) noexcept {
  for (const std::string_view part :
       {"seekless: error: a mistake of its own: "sv, what, "; please report it\n"sv})
    say(part);
}

[[noreturn]] void end_program() noexcept {
  try {
    if (std::current_exception() != nullptr) throw;
    say_mistake("it ended without an exception");
  } catch (const std::bad_alloc&) {
    constexpr std::string_view kMessage =
        "seekless: error: out of memory; end other programs, or allow this one more\n";
    say(kMessage);
    std::_Exit(1);
  } catch (const std::exception& exception) {
    say_mistake(exception.what());
  } catch (...) {
    say_mistake("an exception of no known kind");
  }
  std::abort();
}

}  // namespace

void end_tidily_without_memory() {
  std::set_terminate(end_program);
}

}  // namespace seekless
