// Describes errors of the packer: a kind, which decides the exit code, and one line for a person
// that names the file, the place, what was expected, what was found and what to do.
#pragma once

#include <exception>
#include <expected>
#include <string>

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

// The parts of a message; empty ones are left out.
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

// Turns an exception into an error, where it must not go any further, such as out of a thread.
Error to_error(const std::exception& exception);

}  // namespace seekless
