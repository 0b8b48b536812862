#include "packer/host/os_error.h"

#include <cerrno>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(OsError, says_the_call_and_the_systems_reason) {
  const Error error = failed_call("a", "open", ENOENT, "look").error();
  EXPECT_EQ(error.kind, ErrorKind::failed);
  EXPECT_THAT(error.message, StartsWith("a: cannot open: found No such file"));
}

// The advice names no option of a command, because many commands have none for threads.
TEST(OsError, what_is_short_has_an_advice_that_holds_for_every_command) {
  EXPECT_THAT(advice_for_os_error(EAGAIN), AllOf(HasSubstr("ulimit -u"), HasSubstr("ulimit -v")));
  EXPECT_THAT(advice_for_os_error(ENOMEM), HasSubstr("ulimit -v"));
  for (const int os_error : {EAGAIN, ENOMEM, EMFILE, ENFILE, EBUSY, EIO})
    EXPECT_THAT(advice_for_os_error(os_error), Not(HasSubstr("--"))) << os_error;
}

}  // namespace
}  // namespace seekless
