#include "runtime/error.h"

#include <new>
#include <system_error>

namespace seekless::runtime {
namespace {

Error say(const NoThread& exception) {
  const int os_error = exception.os_error();
  return {SKL_IO,
          std::string(exception.what()) + ": " + std::generic_category().message(os_error) +
              "; allow this process more threads or more memory",
          os_error};
}

}  // namespace

Error error_of_exception() noexcept {
  try {
    try {
      throw;
    } catch (const NoThread& exception) {
      return say(exception);
    } catch (const std::bad_alloc&) {
      // Below.
    } catch (const std::exception& exception) {
      return {SKL_IO, exception.what()};
    }
  } catch (...) {
    // There was no memory for the words.
  }
  return {SKL_OUT_OF_MEMORY, "out of memory"};
}

}  // namespace seekless::runtime
