// The error that the runtime's parts return; the C boundary turns it into a skl_error.
#pragma once

#include <cstdint>
#include <exception>
#include <expected>
#include <optional>
#include <string>

#include "runtime/include/seekless.h"
#include "runtime/message.h"

namespace seekless::runtime {

inline constexpr uint64_t kNoOffset = UINT64_MAX;

struct Error {
  skl_result result = SKL_IO;
  std::string message;
  int os_error = 0;
  uint64_t offset_bytes = kNoOffset;
};

template <typename T>
using Result = std::expected<T, Error>;

std::unexpected<Error> make_error(skl_result result, Parts message, int os_error = 0,
                                  uint64_t offset_bytes = kNoOffset);
// Makes an error with the result SKL_DAMAGED.
std::unexpected<Error> damaged(Parts message, uint64_t offset_bytes = kNoOffset);

// Thrown when the system refuses to start a thread.
class NoThread final : public std::exception {
 public:
  explicit NoThread(int os_error) : os_error_(os_error) {}
  int os_error() const { return os_error_; }
  const char* what() const noexcept override { return "cannot start a thread"; }

 private:
  int os_error_;
};

// Call this in a `catch`. Returns the exception as an error. Needs no memory to report bad_alloc.
Error error_of_exception() noexcept;

// Runs `work`, which may fail or throw, on a thread without an exception handler. `work` returns a
// Result<...>.
template <typename Work>
std::optional<Error> failure_of(Work work) noexcept {
  try {
    if (auto done = work(); !done) return std::move(done.error());
    return std::nullopt;
  } catch (...) {
    return error_of_exception();
  }
}

}  // namespace seekless::runtime
