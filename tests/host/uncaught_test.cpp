#include "packer/host/uncaught.h"

#include <exception>
#include <new>
#include <stdexcept>

#include <gtest/gtest.h>

namespace seekless {
namespace {

template <typename Thrown>
void end_by(const Thrown& thrown) {
  tell_of_uncaught_exceptions();
  try {
    throw thrown;
  } catch (...) {
    std::terminate();  // like the top of a thread
  }
}

TEST(UncaughtDeathTest, says_that_memory_ran_out_and_is_no_crash) {
  EXPECT_EXIT(end_by(std::bad_alloc()), testing::ExitedWithCode(1), "error: out of memory");
}

TEST(UncaughtDeathTest, says_what_nobody_has_caught) {
  EXPECT_DEATH(end_by(std::logic_error("a cart before a horse")),
               "error: a mistake of its own: a cart before a horse; please report it");
  EXPECT_DEATH(end_by(5), "error: a mistake of its own: an exception of no known kind");
}

TEST(UncaughtDeathTest, says_so_where_there_was_no_exception) {
  EXPECT_DEATH((tell_of_uncaught_exceptions(), std::terminate()),
               "error: a mistake of its own: it ended without an exception");
}

}  // namespace
}  // namespace seekless
