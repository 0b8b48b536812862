#include "packer/foresee/start_recogniser.h"

#include <gtest/gtest.h>

namespace seekless {
namespace {

// Notes `others` reads that no known start has, then core ones until the start is recognised.
// Returns how many core reads that takes; 0 if it never happens.
int core_reads_after(int others) {
  StartRecogniser recogniser;
  for (int i = 0; i < others; ++i) EXPECT_FALSE(recogniser.note(false));
  for (int i = 1; recogniser.is_waiting(); ++i)
    if (recogniser.note(true)) return i;
  return 0;
}

TEST(StartRecogniser, recognises_a_start_once_seven_of_ten_of_at_least_eight_reads_are_core) {
  EXPECT_EQ(core_reads_after(0), 8);
  EXPECT_EQ(core_reads_after(2), 6);
  EXPECT_EQ(core_reads_after(3), 7);
  EXPECT_EQ(core_reads_after(150), 350);
}

TEST(StartRecogniser, gives_up_after_512_reads) {
  EXPECT_EQ(core_reads_after(160), 0);
}

TEST(StartRecogniser, recognises_a_start_only_once) {
  StartRecogniser recogniser;
  for (int i = 1; i < 8; ++i) EXPECT_FALSE(recogniser.note(true));
  EXPECT_TRUE(recogniser.is_waiting());
  EXPECT_TRUE(recogniser.note(true));
  EXPECT_FALSE(recogniser.is_waiting());
  EXPECT_FALSE(recogniser.note(true));
}

}  // namespace
}  // namespace seekless
