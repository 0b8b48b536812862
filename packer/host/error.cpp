#include "packer/host/error.h"

#include <system_error>

#include <fmt/format.h>

namespace seekless {

std::string to_message(const Fault& fault) {
  std::string message = fault.file;
  auto append = [&message](std::string_view separator, std::string_view word,
                           const std::string& text) {
    if (text.empty()) return;
    if (!message.empty()) message += separator;
    message += word;
    message += text;
  };
  append(": ", "", fault.place);
  append(": ", "expected ", fault.expected);
  append(fault.expected.empty() ? ": " : ", ", "found ", fault.found);
  append("; ", "", fault.advice);
  return message;
}

std::unexpected<Error> failed(const Fault& fault) {
  return std::unexpected(Error{ErrorKind::failed, to_message(fault)});
}

std::unexpected<Error> wrong_usage(const Fault& fault) {
  return std::unexpected(Error{ErrorKind::usage, to_message(fault)});
}

std::unexpected<Error> damaged(const Fault& fault) {
  return std::unexpected(Error{ErrorKind::damaged, to_message(fault)});
}

std::unexpected<Error> failed_call(const std::string& file, const std::string& action, int os_error,
                                   const std::string& advice) {
  return failed({.file = file,
                 .place = fmt::format("cannot {}", action),
                 .found = std::generic_category().message(os_error),
                 .advice = advice});
}

}  // namespace seekless
