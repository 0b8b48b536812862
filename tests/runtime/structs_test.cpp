// Tests structs of callers that were compiled with an older or a newer header, or that don't state
// their size.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/content/test_folder.h"
#include "tests/runtime/test_context.h"

namespace seekless {
namespace {

using testing::HasSubstr;

static_assert(offsetof(skl_error, struct_bytes) == 0);
static_assert(offsetof(skl_allocator, struct_bytes) == 0);
static_assert(offsetof(skl_canary, struct_bytes) == 0);
static_assert(offsetof(skl_context_options, struct_bytes) == 0);
static_assert(offsetof(skl_mount_options, struct_bytes) == 0);
static_assert(offsetof(skl_progress, struct_bytes) == 0);
static_assert(offsetof(skl_queue_options, struct_bytes) == 0);
static_assert(offsetof(skl_request, struct_bytes) == 0);
static_assert(offsetof(skl_completion, struct_bytes) == 0);
static_assert(offsetof(skl_stats, struct_bytes) == 0);
static_assert(offsetof(skl_recorder_options, struct_bytes) == 0);
static_assert(offsetof(skl_upload_options, struct_bytes) == 0);

// A struct as a later version may have it, with more at the end.
template <typename Struct>
struct Newer {
  Struct known;
  uint64_t more = 0x5a5a5a5a5a5a5a5a;
  Newer() : known() { known.struct_bytes = sizeof(Newer); }
};

TEST(Structs, an_error_without_a_size_gets_its_message) {
  const Context context;
  skl_error error = {};
  EXPECT_EQ(skl_mount(context, "/no/such/folder", nullptr, nullptr, &error), SKL_NOT_FOUND);
  EXPECT_EQ(error.result, SKL_NOT_FOUND);
  EXPECT_THAT(error.message, HasSubstr("/no/such/folder"));
  EXPECT_EQ(error.struct_bytes, 0U);
}

TEST(Structs, an_error_of_any_size_is_filled_as_far_as_there_is_room) {
  const Context context;
  for (uint32_t bytes = 1; bytes <= sizeof(skl_error); ++bytes) {
    Newer<skl_error> error;
    std::memset(static_cast<void*>(&error.known), 'x', sizeof(error.known));
    error.known.struct_bytes = bytes;
    EXPECT_EQ(skl_mount(context, "/no/such/folder", nullptr, nullptr, &error.known), SKL_NOT_FOUND);
    const char* const all = reinterpret_cast<const char*>(&error);
    for (size_t i = std::max<size_t>(bytes, 4); i < sizeof(skl_error); ++i)
      ASSERT_EQ(all[i], 'x') << "byte " << i << " of a struct of " << bytes;
  }
}

TEST(Structs, options_without_a_size_are_told) {
  const Context context;
  skl_error error = {};
  skl_context* other = nullptr;
  skl_queue* queue = nullptr;
  const skl_context_options of_context = {};
  const skl_mount_options of_mount = {};
  const skl_queue_options of_queue = {};
  const skl_recorder_options of_recorder = {};
  const skl_upload_options of_upload = {};
  const auto told = [&](skl_result result) {
    EXPECT_EQ(result, SKL_INVALID);
    EXPECT_STREQ(error.message, "options: struct_bytes: expected their size, found 0");
    error = {};
  };
  told(skl_context_create(&of_context, &other, &error));
  told(skl_mount(context, "/", &of_mount, nullptr, &error));
  told(skl_queue_create(context, &of_queue, &queue, &error));
  told(skl_recorder_start(context, "/no/such", &of_recorder, &error));
  told(skl_recorder_start_uploads(context, 1, "/no/such", &of_upload, &error));
}

TEST(Structs, an_allocator_without_a_size_is_told_and_a_longer_one_is_taken) {
  const skl_allocator nothing = {};
  skl_context_options options = {};
  options.struct_bytes = sizeof(options);
  options.allocator = &nothing;
  skl_context* context = nullptr;
  skl_error error = {};
  EXPECT_EQ(skl_context_create(&options, &context, &error), SKL_INVALID);
  EXPECT_STREQ(error.message, "allocator: struct_bytes: expected its size, found 0");
  const Newer<skl_allocator> newer;
  options.allocator = &newer.known;
  ASSERT_EQ(skl_context_create(&options, &context, &error), SKL_OK) << error.message;
  skl_context_destroy(context);
}

TEST(Structs, progress_and_stats_are_filled_as_far_as_there_is_room) {
  const Context context;
  Newer<skl_stats> stats;
  skl_stats_get(context, &stats.known);
  EXPECT_EQ(stats.known.struct_bytes, sizeof(stats));
  EXPECT_EQ(stats.known.budget_bytes, uint64_t{16} << 20);
  EXPECT_EQ(stats.more, 0x5a5a5a5a5a5a5a5a);
  skl_stats without = {};
  skl_stats_get(context, &without);
  EXPECT_EQ(without.budget_bytes, uint64_t{16} << 20);
}

class StructsInRows : public testing::Test {
 protected:
  StructsInRows() {
    folder.write("a", "aaaa");
    context.mount(folder.path());
    EXPECT_EQ(skl_queue_create(context, nullptr, &queue, nullptr), SKL_OK);
  }
  ~StructsInRows() override { skl_queue_destroy(queue); }

  void ask(skl_request& request, size_t tag) {
    request.asset = context.find("a");
    request.offset_bytes = tag;
    request.length_bytes = 1;
    request.destination = into.data() + tag;
    request.tag = tag;
  }
  size_t wait_for_all(size_t count) {
    size_t got = 0;
    for (size_t one = 1; got < count && one > 0; got += one) {
      skl_completion done = {};
      EXPECT_EQ(skl_queue_wait(queue, 20'000, &done, 1, &one), SKL_OK);
      EXPECT_EQ(done.result, SKL_OK);
    }
    return got;
  }

  TestFolder folder;
  Context context;
  skl_queue* queue = nullptr;
  std::array<char, 4> into = {};
  size_t accepted = 0;
  skl_error error = {};
};

TEST_F(StructsInRows, longer_requests_and_completions_lie_as_far_apart_as_they_say) {
  std::array<Newer<skl_request>, 4> requests;
  for (size_t i = 0; i < 4; ++i) ask(requests[i].known, i);
  EXPECT_EQ(skl_queue_submit(queue, &requests[0].known, 4, &accepted, &error), SKL_OK)
      << error.message;
  EXPECT_EQ(accepted, 4U);
  std::array<Newer<skl_completion>, 4> done;
  for (size_t got = 0; got < 4;) {
    size_t count = 0;
    ASSERT_EQ(skl_queue_wait(queue, 20'000, &done[got].known, 4 - got, &count), SKL_OK);
    got += count;
  }
  std::array<int, 4> times = {};
  for (const auto& one : done) {
    ++times[one.known.tag];
    EXPECT_EQ(one.known.result, SKL_OK);
    EXPECT_EQ(one.known.struct_bytes, sizeof(one));
    EXPECT_EQ(one.more, 0x5a5a5a5a5a5a5a5a);
  }
  EXPECT_THAT(times, testing::Each(1));
  EXPECT_EQ(std::string(into.data(), 4), "aaaa");
}

TEST_F(StructsInRows, a_request_of_another_size_is_told_and_those_before_it_are_taken) {
  std::array<skl_request, 4> requests = {};
  for (size_t i = 0; i < 4; ++i) ask(requests[i], i);
  EXPECT_EQ(skl_queue_submit(queue, requests.data(), 4, &accepted, &error), SKL_INVALID);
  EXPECT_EQ(accepted, 0U);
  EXPECT_STREQ(error.message, "requests[0].struct_bytes: expected sizeof(skl_request), found 0");
  for (size_t i = 0; i < 4; ++i) requests[i].struct_bytes = i != 2 ? sizeof(skl_request) : 7;
  EXPECT_EQ(skl_queue_submit(queue, requests.data(), 4, &accepted, &error), SKL_INVALID);
  EXPECT_EQ(accepted, 2U);
  EXPECT_THAT(error.message, HasSubstr("requests[2].struct_bytes: expected "));
  EXPECT_THAT(error.message, HasSubstr(", as in those before it, found 7"));
  EXPECT_EQ(wait_for_all(2), 2U);
  EXPECT_EQ(skl_queue_submit(queue, requests.data(), 0, &accepted, &error), SKL_OK);
}

TEST_F(StructsInRows, completions_that_can_be_none_are_refused) {
  size_t count = 0;
  std::array<skl_completion, 2> done = {};
  EXPECT_EQ(skl_queue_poll(queue, done.data(), 2, &count), SKL_END) << "0 is the first version's";
  for (const uint32_t bytes : {4U, 7U, 0xcccccccc}) {
    done[0].struct_bytes = bytes;
    EXPECT_EQ(skl_queue_poll(queue, done.data(), 2, &count), SKL_INVALID) << bytes;
    EXPECT_EQ(skl_queue_wait(queue, 0, done.data(), 2, &count), SKL_INVALID) << bytes;
  }
  EXPECT_EQ(skl_queue_poll(queue, done.data(), 0, &count), SKL_END) << "none is looked at";
}

}  // namespace
}  // namespace seekless
