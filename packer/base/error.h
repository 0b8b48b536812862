// Describes errors of the packer: a kind, which decides the exit code, and one line for a person
// that names the file, the place, what was expected, what was found and what to do.
#pragma once

#include <exception>
#include <expected>
#include <string>
#include <utility>

namespace seekless {

enum class ErrorKind {
  failed,   // the work couldn't be done: exit code 1
  usage,    // wrong usage: exit code 2
  damaged,  // an input is invalid: exit code 3
};

struct Error {
  ErrorKind kind = ErrorKind::failed;
  std::string message;
};

template <typename T>
using Result = std::expected<T, Error>;

// Accepts only a result without a value, with any type of error.
template <typename AnyError>
std::expected<void, AnyError> without_value(std::expected<void, AnyError> result) {
  return result;
}

#define SKL_JOINED(a, b) a##b
#define SKL_NAMED(name, line) SKL_JOINED(name, line)
// A line contains at most one result, so the line number makes the name unique.
#define SKL_RESULT SKL_NAMED(result_of_line_, __LINE__)

// Returns an error to the caller, in a function that returns a Result:
//   SKL_TRY(const auto size, size_of(path));  gives `size` the value, or returns the error
//   SKL_TRY_DO(remove_file(path));            for a result without a value
//   SKL_TRY_DROP(cursor.take(4));             for a value that nobody needs; it ends at once
// A lock or a fence must live on, so it needs SKL_TRY: SKL_TRY_DO refuses a result with a value.
#define SKL_TRY(declaration, ...)                                         \
  auto SKL_RESULT = (__VA_ARGS__);                                        \
  if (!SKL_RESULT) return std::unexpected(std::move(SKL_RESULT).error()); \
  declaration = *std::move(SKL_RESULT)

#define SKL_TRY_DO(...)                                                        \
  if (auto SKL_RESULT = ::seekless::without_value((__VA_ARGS__)); !SKL_RESULT) \
  return std::unexpected(std::move(SKL_RESULT).error())

#define SKL_TRY_DROP(...) \
  if (const auto SKL_RESULT = (__VA_ARGS__); !SKL_RESULT) return std::unexpected(SKL_RESULT.error())

// Holds the parts of a message; empty ones are left out.
struct Fault {
  std::string file = {};      // as the user wrote it
  std::string place = {};     // e.g. "line 12", "entry 'a/b' at byte 1234"
  std::string expected = {};  // e.g. "a number of at most 64"
  std::string found = {};     // e.g. "'many'"
  std::string advice = {};    // e.g. "pack the content again"
};

// Returns "FILE: PLACE: expected EXPECTED, found FOUND; ADVICE".
std::string to_message(const Fault& fault);

std::unexpected<Error> failed(const Fault& fault);
std::unexpected<Error> wrong_usage(const Fault& fault);
std::unexpected<Error> damaged(const Fault& fault);

// Turns an exception into an error, for places that it must not leave, such as a thread.
Error to_error(const std::exception& exception);

}  // namespace seekless
