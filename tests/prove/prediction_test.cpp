// Checks when a prediction gives a time that no disk can beat.
#include "packer/prove/prediction.h"

#include <gtest/gtest.h>

namespace seekless {
namespace {

constexpr uint64_t kFileBytes = 100'000'000;

double least_s(bool has_measured_rate) {
  const DriveProfile drive = *find_profile("wd-black-1tb");
  const ProvenFiles files = {
      .paths = {"a"},
      .places = {{.path = "a",
                  .size_bytes = kFileBytes,
                  .extents = {{.offset_bytes = 0, .place_bytes = 0, .length_bytes = kFileBytes}}}}};
  const std::vector<Event> events = {
      {.path = 0, .kind = EventKind::open},
      {.length_bytes = kFileBytes, .path = 0, .kind = EventKind::read}};
  const auto reads = predict_reads(
      events, files, {.profile = drive, .read_ahead = {}, .has_measured_rate = has_measured_rate});
  EXPECT_TRUE(reads) << reads.error().message;
  return reads ? reads->predicted.side.least_s : -1;
}

// A real disk may be faster than a profile that somebody named.
TEST(PredictReads, KnowsTheLeastTimeOnlyOfAMeasuredRate) {
  EXPECT_GT(least_s(true), 0.3);
  EXPECT_EQ(least_s(false), 0);
}

}  // namespace
}  // namespace seekless
