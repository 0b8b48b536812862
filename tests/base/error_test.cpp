#include "packer/base/error.h"

#include <new>
#include <stdexcept>
#include <system_error>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::StartsWith;

TEST(Error, message_names_file_place_expected_found_and_advice) {
  EXPECT_EQ(to_message({.file = "a.json",
                        .place = "line 3",
                        .expected = "a number",
                        .found = "'x'",
                        .advice = "mend it"}),
            "a.json: line 3: expected a number, found 'x'; mend it");
}

TEST(Error, parts_that_are_empty_are_left_out) {
  EXPECT_EQ(to_message({}), "");
  EXPECT_EQ(to_message({.file = "a"}), "a");
  EXPECT_EQ(to_message({.place = "p"}), "p");
  EXPECT_EQ(to_message({.file = "a", .found = "x"}), "a: found x");
  EXPECT_EQ(to_message({.expected = "x"}), "expected x");
  EXPECT_EQ(to_message({.file = "a", .advice = "do"}), "a; do");
}

TEST(Error, each_factory_has_its_kind) {
  EXPECT_EQ(failed({}).error().kind, ErrorKind::failed);
  EXPECT_EQ(wrong_usage({}).error().kind, ErrorKind::usage);
  EXPECT_EQ(damaged({}).error().kind, ErrorKind::damaged);
}

TEST(Error, an_exception_is_told_by_what_is_short) {
  EXPECT_EQ(to_error(std::bad_alloc()).message, "out of memory");
  EXPECT_EQ(to_error(std::runtime_error("odd")).message, "odd");
  const std::system_error no_thread(
      std::make_error_code(std::errc::resource_unavailable_try_again));
  EXPECT_THAT(to_error(no_thread).message, StartsWith("no memory for another thread"));
}

}  // namespace
}  // namespace seekless
