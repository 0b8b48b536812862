#include "packer/host/uncaught.h"

#include <cstdlib>
#include <exception>
#include <new>

#include "packer/host/internal/mistake.h"
#include "packer/host/standard_streams.h"

namespace seekless {
namespace {

[[noreturn]] void end_program() noexcept {
  try {
    if (std::current_exception() != nullptr) throw;
    say_mistake({"it ended without an exception"});
  } catch (const std::bad_alloc&) {
    say("seekless: error: out of memory; end other programs, or allow this one more\n");
    std::_Exit(1);
  } catch (const std::exception& exception) {
    say_mistake({exception.what()});
  } catch (...) {
    say_mistake({"an exception of no known kind"});
  }
  std::abort();
}

}  // namespace

void tell_of_uncaught_exceptions() noexcept {
  std::set_terminate(end_program);
}

}  // namespace seekless
