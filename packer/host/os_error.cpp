#include "packer/host/os_error.h"

#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "packer/host/fence.h"

namespace seekless {

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

}  // namespace seekless
