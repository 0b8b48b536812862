#include "packer/base/error.h"

#include <new>
#include <system_error>

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

Error to_error(const std::exception& exception) {
  // This text is so short that the string needs no heap memory.
  if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr)
    return {ErrorKind::failed, "out of memory"};
  // std::thread throws this. The system's text doesn't say what is lacking, so this one does.
  const auto* of_system = dynamic_cast<const std::system_error*>(&exception);
  if (of_system != nullptr && of_system->code() == std::errc::resource_unavailable_try_again)
    return {ErrorKind::failed,
            "no memory for another thread, or no more threads allowed for this user"};
  return {ErrorKind::failed, exception.what()};
}

}  // namespace seekless
