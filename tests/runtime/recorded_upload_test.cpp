#include <cerrno>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/fleet/upload.h"
#include "tests/pack/set_maker.h"
#include "tests/runtime/test_context.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Two packs. The numbers of the second pack's assets count from the end of the first.
struct TwoPacks : SetMaker {
  TwoPacks() {
    const uint32_t menu = add_scenario("menu");
    const uint32_t map = add_scenario("map/one");
    add_pack("common");
    add("both", "0", {menu, map});
    add("shared", "1", {menu, map});
    add_pack("map-one", PackKind::sub);
    add("first", "2", {map});
    add("large", noise(200'000, 1), {map});
    add("both", "0", {map});  // a copy, whose number is that of its first place
    write();
  }
};

skl_upload_options options_of(const char* scenario = nullptr, uint64_t most_bytes = 0) {
  skl_upload_options options = {};
  options.struct_bytes = sizeof(options);
  options.day = 20'000;
  options.most_bytes = most_bytes;
  options.ring_bytes =
      // Enough for all that a test reads, because on a busy machine nothing may be written
      // meanwhile.
      4 << 20;
  options.scenario = scenario;
  for (uint8_t i = 0; i < 16; ++i) options.client[i] = static_cast<uint8_t>(i + 1);
  return options;
}

class UploadFile {
 public:
  std::string path() const { return folder_.path("day.up"); }

  void start(const Context& context, skl_mount_id mount, const skl_upload_options& options) const {
    Failure failure;
    ASSERT_EQ(skl_recorder_start_uploads(context, mount, path().c_str(), &options, &failure),
              SKL_OK)
        << failure.message;
  }
  Upload stop(const Context& context) const {
    Failure failure;
    uint64_t lost = 0;
    EXPECT_EQ(skl_recorder_stop(context, &lost, &failure), SKL_OK) << failure.message;
    EXPECT_EQ(lost, 0U);
    return read(bytes_of_file(path()));
  }
  static Upload read(const std::string& bytes) {
    const auto upload = read_upload(std::as_bytes(std::span(bytes)), "day.up");
    EXPECT_TRUE(upload) << upload.error().message;
    return upload.value_or(Upload());
  }

 private:
  TestFolder folder_;
};

TEST(RecordedUpload, holds_what_each_scenario_reads_first_by_number) {
  const TwoPacks game;
  const Context context;
  const skl_mount_id id = context.mount(game.folder(), {.at = "base"});
  const UploadFile recording;
  recording.start(context, id, options_of());
  context.read("base/shared");  // read in no scenario
  ASSERT_EQ(skl_recorder_mark(context, "map/one"), SKL_OK);
  for (const char* name : {"base/large", "base/both", "base/large", "base/first"})
    context.read(name);
  ASSERT_EQ(skl_recorder_mark(context, "no such scenario"), SKL_OK);
  context.read("base/shared");
  ASSERT_EQ(skl_recorder_mark(context, "menu"), SKL_OK);
  ASSERT_EQ(skl_recorder_mark(context, "menu"), SKL_OK);
  context.read("base/both");
  ASSERT_EQ(skl_recorder_mark(context, nullptr), SKL_OK);
  context.read("base/shared");
  const Upload upload = recording.stop(context);
  EXPECT_EQ(upload.catalog.asset_count, 5U);
  EXPECT_EQ(upload.catalog.scenario_count, 2U);
  EXPECT_EQ(upload.day, 20'000U);
  EXPECT_EQ(upload.client[15], std::byte{16});
  EXPECT_EQ(upload.broken_runs, 0U);
  EXPECT_THAT(upload.runs, ElementsAre(FleetRun{1, {3, 0, 2}}, FleetRun{0, {0}}));
}

TEST(RecordedUpload, is_of_the_set_that_was_asked_for_and_names_nothing) {
  const TwoPacks game;
  const Context context;
  context.mount(game.folder(), {.at = "other"});
  const skl_mount_id id = context.mount(game.folder());
  const UploadFile recording;
  recording.start(context, id, options_of("map/one"));
  context.read("other/first");
  context.read("large");
  const Upload upload = recording.stop(context);
  EXPECT_THAT(upload.runs, ElementsAre(FleetRun{1, {3}}));
  const std::string bytes = bytes_of_file(recording.path());
  for (const char* name : {"large", "first", "map", "menu", "skl", "/"})
    EXPECT_THAT(bytes, testing::Not(HasSubstr(name)));
}

// 3,000 assets that are read in the order they lie, except for a tenth.
class ManyAssets : public SetMaker {
 public:
  static constexpr uint32_t kAssets = 3000;

  ManyAssets() {
    const uint32_t map = add_scenario("map");
    add_pack("common");
    for (uint32_t i = 0; i < kAssets; ++i)
      add(fmt::format("a{:04}", i), fmt::format("{}", i), {map});
    write();
  }

  // Reads all of them in one run.
  static void read(const Context& context) {
    ASSERT_EQ(skl_recorder_mark(context, "map"), SKL_OK);
    for (uint32_t i = 0; i < kAssets; ++i)
      context.read(fmt::format("a{:04}", i % 10 == 9 ? (i * 7 + 6) % kAssets : i));
    ASSERT_EQ(skl_recorder_mark(context, nullptr), SKL_OK);
  }
};

TEST(RecordedUpload, takes_less_than_two_bytes_an_open) {
  const ManyAssets game;
  const Context context;
  const UploadFile recording;
  recording.start(context, context.mount(game.folder()), options_of());
  ManyAssets::read(context);
  const Upload upload = recording.stop(context);
  ASSERT_EQ(upload.runs.size(), 1U);
  const size_t opens = upload.runs[0].assets.size();
  EXPECT_EQ(opens, ManyAssets::kAssets);
  EXPECT_LT(bytes_of_file(recording.path()).size(), 2 * opens);
}

TEST(RecordedUpload, can_be_read_wherever_it_is_cut_off) {
  const ManyAssets game;
  const Context context;
  const UploadFile recording;
  recording.start(context, context.mount(game.folder()), options_of());
  for (int run = 0; run < 3; ++run) ManyAssets::read(context);
  const Upload whole = recording.stop(context);
  ASSERT_EQ(whole.runs.size(), 3U);
  const std::string bytes = bytes_of_file(recording.path());
  for (size_t length = 64; length < bytes.size(); length += 13) {
    const Upload cut = UploadFile::read(bytes.substr(0, length));
    EXPECT_EQ(cut.broken_runs, 0U);
    ASSERT_LE(cut.runs.size(), 3U);
    EXPECT_TRUE(std::equal(cut.runs.begin(), cut.runs.end(), whole.runs.begin())) << length;
    EXPECT_GE((cut.runs.size() + 1) * bytes.size(), 3 * (length - 64)) << "a block is lost at most";
  }
}

TEST(RecordedUpload, keeps_to_the_bytes_that_it_may_write) {
  const ManyAssets game;
  const Context context;
  const skl_mount_id id = context.mount(game.folder());
  for (const uint64_t most : {uint64_t{200}, uint64_t{5000}, uint64_t{12'000}}) {
    const UploadFile recording;
    recording.start(context, id, options_of(nullptr, most));
    for (int run = 0; run < 4; ++run) ManyAssets::read(context);
    const Upload upload = recording.stop(context);
    EXPECT_LE(bytes_of_file(recording.path()).size(), most);
    EXPECT_FALSE(upload.is_cut_off);
    EXPECT_EQ(upload.broken_runs, 0U);
    EXPECT_EQ(upload.runs.empty(), most == 200);
  }
}

TEST(RecordedUpload, tells_of_the_drive_what_the_context_does) {
  const TwoPacks game;
  const Context context;
  const UploadFile recording;
  recording.start(context, context.mount(game.folder()), options_of());
  skl_sweep* sweep = nullptr;
  ASSERT_EQ(skl_sweep_open(context, "map/one", &sweep, nullptr), SKL_OK);
  skl_lease lease;
  while (skl_sweep_wait(sweep, UINT32_MAX, &lease, nullptr) == SKL_OK) skl_lease_release(&lease);
  skl_sweep_close(sweep);
  skl_stats stats = {};
  stats.struct_bytes = sizeof(stats);
  skl_stats_get(context, &stats);
  const Upload upload = recording.stop(context);
  ASSERT_EQ(upload.drives.size(), 1U);
  EXPECT_EQ(upload.drives[0].reads, stats.reads);
  EXPECT_EQ(upload.drives[0].read_bytes, stats.read_bytes);
  EXPECT_EQ(static_cast<int>(upload.drives[0].media), static_cast<int>(stats.media));
}

TEST(RecordedUpload, outlives_the_mount_and_ends_with_the_context) {
  const TwoPacks game;
  const UploadFile recording;
  {
    const Context context;
    const skl_mount_id id = context.mount(game.folder());
    recording.start(context, id, options_of("menu"));
    context.read("shared");
    ASSERT_EQ(skl_unmount(context, id, nullptr), SKL_OK);
  }
  EXPECT_THAT(UploadFile::read(bytes_of_file(recording.path())).runs,
              ElementsAre(FleetRun{0, {1}}));
}

TEST(RecordedUpload, is_refused_without_a_set_a_client_or_sane_limits) {
  const TwoPacks game;
  const Context context;
  const skl_mount_id id = context.mount(game.folder());
  const skl_mount_id pack = context.mount(game.folder() + "/common.skl", {.at = "pack"});
  const skl_mount_id gone = context.mount(game.folder(), {.at = "gone"});
  ASSERT_EQ(skl_unmount(context, gone, nullptr), SKL_OK);
  const UploadFile recording;
  const std::string path = recording.path();
  Failure failure;
  const auto refused = [&](skl_mount_id mount, const skl_upload_options& options,
                           const std::string& to) {
    return skl_recorder_start_uploads(context, mount, to.c_str(), &options, &failure);
  };
  EXPECT_EQ(refused(pack, options_of(), path), SKL_INVALID);
  EXPECT_THAT(failure.message, HasSubstr("pack set"));
  EXPECT_EQ(refused(gone, options_of(), path), SKL_STALE);
  EXPECT_EQ(refused(99, options_of(), path), SKL_INVALID);
  skl_upload_options nobody = options_of();
  std::fill(std::begin(nobody.client), std::end(nobody.client), uint8_t{0});
  EXPECT_EQ(refused(id, nobody, path), SKL_INVALID);
  EXPECT_THAT(failure.message, HasSubstr("random"));
  EXPECT_EQ(refused(id, options_of(nullptr, uint64_t{17} << 20), path), SKL_INVALID);
  EXPECT_EQ(refused(id, options_of("a\nb"), path), SKL_INVALID);
  EXPECT_EQ(refused(id, {}, path), SKL_INVALID);
  EXPECT_EQ(skl_recorder_start_uploads(context, id, path.c_str(), nullptr, &failure), SKL_INVALID);
  EXPECT_FALSE(std::filesystem::exists(path)) << "nothing is written before it is asked for";
  EXPECT_EQ(refused(id, options_of(), "/no/such/folder/x"), SKL_NOT_FOUND);
  recording.start(context, id, options_of());
  EXPECT_EQ(refused(id, options_of(), path), SKL_INVALID);
  EXPECT_EQ(skl_recorder_start(context, path.c_str(), nullptr, &failure), SKL_INVALID);
  recording.stop(context);
}

TEST(RecordedUpload, tells_of_a_full_disk) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "needs /dev/full";
  const TwoPacks game;
  const Context context;
  const skl_mount_id id = context.mount(game.folder());
  const skl_upload_options options = options_of("menu");
  Failure failure;
  EXPECT_EQ(skl_recorder_start_uploads(context, id, "/dev/full", &options, &failure), SKL_IO);
  EXPECT_EQ(failure.os_error, ENOSPC);
  EXPECT_EQ(context.read("shared"), "1");
}

}  // namespace
}  // namespace seekless
