// Tests that everything written to an upload can be read, and that only what is cut off or forged
// is left out.
#include "packer/fleet/upload.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include <gmock/gmock.h>

#include "runtime/upload_format.h"

namespace seekless {
namespace {

const FleetCatalog kCatalog = {0x1234'5678'9abc'def0, 50'000, 3};
constexpr ClientToken kClient = {std::byte{7}, std::byte{9}};

FleetRun run_of(uint32_t scenario, uint32_t first, uint32_t count) {
  FleetRun run = {.scenario = scenario, .assets = std::vector<uint32_t>(count)};
  std::iota(run.assets.begin(), run.assets.end(), first);
  return run;
}

std::vector<std::byte> upload_of(std::span<const FleetRun> runs) {
  UploadWriter writer(kCatalog, kClient, 20'000);
  for (const FleetRun& run : runs) writer.add_run(run);
  return writer.bytes();
}

TEST(Upload, holds_what_was_written) {
  FleetRun backwards = run_of(2, 100, 5'000);
  std::ranges::reverse(backwards.assets);
  const FleetRun runs[] = {run_of(0, 0, 3), backwards, run_of(1, 49'990, 10)};
  const FleetDrive drive = {FleetMedia::rotational, 12'000, 500, 90, uint64_t{3} << 30};
  UploadWriter writer(kCatalog, kClient, 20'000);
  for (const FleetRun& run : runs) writer.add_run(run);
  writer.add_drive(drive);
  const auto upload = read_upload(writer.bytes(), "up");
  ASSERT_TRUE(upload) << upload.error().message;
  EXPECT_EQ(upload->catalog, kCatalog);
  EXPECT_EQ(upload->client, kClient);
  EXPECT_EQ(upload->day, 20'000);
  EXPECT_THAT(upload->runs, testing::ElementsAreArray(runs));
  EXPECT_THAT(upload->drives, testing::ElementsAre(drive));
  EXPECT_EQ(upload->broken_runs, 0);
  EXPECT_FALSE(upload->is_cut_off);
}

// Loads follow the layout, except for a tenth of the reads, which are anywhere.
TEST(Upload, takes_at_most_two_bytes_an_open) {
  std::mt19937 random(1);
  std::vector<FleetRun> runs;
  size_t opens = 0;
  for (uint32_t i = 0; i < 10; ++i) {
    FleetRun run = run_of(i % 3, 4'000 * (i % 5), 1'000);
    for (uint32_t j = 0; j < 100; ++j)
      run.assets[random() % 1'000] = 25'000 + j * 200 + static_cast<uint32_t>(random() % 200);
    opens += run.assets.size();
    runs.push_back(run);
  }
  EXPECT_LE(upload_of(runs).size(), 2 * opens);
}

TEST(Upload, cut_off_anywhere_keeps_what_came_before) {
  const FleetRun runs[] = {run_of(0, 0, 40), run_of(1, 200, 40)};
  const auto bytes = upload_of(runs);
  const size_t first = upload_of(std::span(runs).first(1)).size();
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto upload = read_upload(std::span(bytes).first(size), "up");
    if (size < sizeof(fleet::Header)) {
      ASSERT_FALSE(upload);
      EXPECT_EQ(upload.error().kind, ErrorKind::damaged);
      continue;
    }
    ASSERT_TRUE(upload);
    EXPECT_EQ(upload->is_cut_off, size != sizeof(fleet::Header) && size != first);
    EXPECT_EQ(upload->runs.size(), size >= first ? 1 : 0);
  }
}

TEST(Upload, a_flipped_bit_loses_no_more_than_what_follows) {
  const FleetRun runs[] = {run_of(0, 0, 40), run_of(1, 200, 40)};
  const auto bytes = upload_of(runs);
  for (size_t at = 0; at < bytes.size(); ++at) {
    auto damaged = bytes;
    damaged[at] ^= std::byte{0x10};
    const auto upload = read_upload(damaged, "up");
    if (!upload) {
      EXPECT_LT(at, sizeof(fleet::Header));
      continue;
    }
    EXPECT_TRUE(upload->is_cut_off) << at;
    EXPECT_LE(upload->runs.size(), 1) << at;
    for (size_t i = 0; i < upload->runs.size(); ++i) EXPECT_EQ(upload->runs[i], runs[i]);
  }
}

TEST(Upload, runs_that_cannot_be_are_left_out_alone) {
  FleetRun twice = run_of(0, 5, 3);
  twice.assets.push_back(6);
  const FleetRun runs[] = {run_of(1, 0, 2), twice, run_of(9, 0, 2), run_of(0, 49'999, 2),
                           run_of(2, 8, 2)};
  const auto upload = read_upload(upload_of(runs), "up");
  ASSERT_TRUE(upload);
  EXPECT_THAT(upload->runs, testing::ElementsAre(runs[0], runs[4]));
  EXPECT_EQ(upload->broken_runs, 3);
}

TEST(Upload, rejects_another_version) {
  auto bytes = upload_of({});
  fleet::Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.version = 2;
  header.checksum = fleet::checksum_of(header);
  std::memcpy(bytes.data(), &header, sizeof header);
  const auto upload = read_upload(bytes, "up");
  ASSERT_FALSE(upload);
  EXPECT_THAT(upload.error().message, testing::HasSubstr("version 2"));
}

}  // namespace
}  // namespace seekless
