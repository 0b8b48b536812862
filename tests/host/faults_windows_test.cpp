#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "packer/host/faults.h"

namespace seekless {
namespace {

void read_from_nowhere() {
  tell_of_faults();
  // The handler that GoogleTest puts around tests would report it as a failure.
  std::jthread([] { *reinterpret_cast<volatile int*>(16); }).join();
}

TEST(FaultsDeathTest, are_told_of) {
  EXPECT_DEATH(read_from_nowhere(), "error: a mistake of its own: exception 0xc0000005 at 0x");
}

TEST(Faults, are_no_exceptions_that_are_caught) {
  tell_of_faults();
  EXPECT_THROW(throw std::logic_error("caught"), std::logic_error);
}

}  // namespace
}  // namespace seekless
