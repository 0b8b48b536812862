#include "packer/host/error.h"

#include <cerrno>
#include <new>
#include <system_error>

#include <fmt/format.h>

#include "packer/host/fence.h"
#include "packer/host/os_error.h"

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

std::string advice_for_os_error(int os_error) {
  switch (os_error) {
    case EMFILE:
      return "this process may open no more files at once: allow more (ulimit -n)";
    case ENFILE:
      return "the machine may open no more files at once: close other programs, or raise "
             "fs.file-max";
    case ENOMEM:
      return "there is no memory left: close other programs, or allow this one more "
             "(ulimit -v)";
    case EAGAIN:
      return "the system gives no more threads: allow more processes (ulimit -u) or more memory "
             "(ulimit -v)";
    case EBUSY:
      return "another program uses it, such as the game: end that, and run this again";
    case EIO:
      return "the disk or its cable fails, or a network is gone: see the system's log";
    default:
      return "";
  }
}

std::unexpected<Error> failed_call(const std::string& file, const std::string& action, int os_error,
                                   const std::string& advice) {
  if (os_error == ELOOP)
    if (const std::string link = link_on_way(file); !link.empty())
      return failed({.file = link,
                     .expected = "a plain file or folder",
                     .found = "a symbolic link",
                     .advice = "nothing is written through links; remove it"});
  return failed({.file = file,
                 .place = fmt::format("cannot {}", action),
                 .found = std::generic_category().message(os_error),
                 .advice = advice.empty() ? advice_for_os_error(os_error) : advice});
}

Error to_error(const std::exception& exception) {
  // Short enough for a string that needs no memory.
  if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr)
    return {ErrorKind::failed, "out of memory"};
  // What std::thread throws; the system's own words don't name what is short.
  const auto* of_system = dynamic_cast<const std::system_error*>(&exception);
  if (of_system != nullptr && of_system->code() == std::errc::resource_unavailable_try_again)
    return {ErrorKind::failed, "no memory for another thread, or as many as the user may have"};
  return {ErrorKind::failed, exception.what()};
}

}  // namespace seekless
