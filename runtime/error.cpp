#include "runtime/error.h"

#include <new>
#include <system_error>

namespace seekless::runtime {
namespace {

Error say(const NoThread& exception) {
  const int os_error = exception.os_error();
  return {SKL_IO,
          join({exception.what(), ": ", std::generic_category().message(os_error),
                "; allow this process more threads or more memory"}),
          os_error};
}

}  // namespace

std::unexpected<Error> make_error(skl_result result, Parts message, int os_error,
                                  uint64_t offset_bytes) {
  return std::unexpected(Error{result, join(message), os_error, offset_bytes});
}

std::unexpected<Error> damaged(Parts message, uint64_t offset_bytes) {
  return make_error(SKL_DAMAGED, message, 0, offset_bytes);
}

Error error_of_exception() noexcept {
  try {
    try {
      throw;
    } catch (const NoThread& exception) {
      return say(exception);
    } catch (const std::bad_alloc&) {
      // Falls through to the return below.
    } catch (const std::exception& exception) {
      return {SKL_IO, exception.what()};
    }
  } catch (...) {
    // There was no memory for the message.
  }
  return {SKL_OUT_OF_MEMORY, "out of memory"};
}

}  // namespace seekless::runtime
