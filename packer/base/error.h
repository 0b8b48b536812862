// How the packer says that something went wrong: a kind, which decides the exit code, and one line
// for a person that names the file, the place, what was expected, what was found and what to do.
#pragma once

#include <exception>
#include <expected>
#include <string>

namespace seekless {

enum class ErrorKind {
  failed,   // the work couldn't be done: exit code 1
  usage,    // asked for wrongly: exit code 2
  damaged,  // an input isn't what it claims to be: exit code 3
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
  std::string place = {};     // "line 12", "entry 'a/b' at byte 1234"
  std::string expected = {};  // "a number of at most 64"
  std::string found = {};     // "'many'"
  std::string advice = {};    // "pack the content again"
};

// "FILE: PLACE: expected EXPECTED, found FOUND; ADVICE"
std::string to_message(const Fault& fault);

std::unexpected<Error> failed(const Fault& fault);
std::unexpected<Error> wrong_usage(const Fault& fault);
std::unexpected<Error> damaged(const Fault& fault);

// What an exception says: for where one must not go any further, such as out of a thread.
Error to_error(const std::exception& exception);

}  // namespace seekless
