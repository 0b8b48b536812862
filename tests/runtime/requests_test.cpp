// Tests what requests offer besides submitting and polling: completions by a function and by a
// system handle, changed priorities, memory for uploads.
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#endif

#include "tests/pack/set_maker.h"
#include "tests/runtime/test_context.h"

namespace seekless {
namespace {

using testing::HasSubstr;

struct UploadedAssets : SetMaker {
  explicit UploadedAssets(format::Codec codec = format::Codec::raw) {
    add_pack("p");
    for (uint64_t i = 0; i < 30; ++i)
      add("a" + std::to_string(i), noise(i * 1000 % 9000 + 1, 10 + i));
    add("large", noise(3 * kBlock + 9, 7)).alignment_bytes = 4096;
    add("text", std::string(20'000, 'x'));
    write({.codec = codec});
  }
};

skl_queue* make_queue(skl_context* context, skl_queue_options options = {}) {
  options.struct_bytes = sizeof(options);
  skl_queue* queue = nullptr;
  EXPECT_EQ(skl_queue_create(context, &options, &queue, nullptr), SKL_OK);
  return queue;
}

skl_completion wait_for_one(skl_queue* queue) {
  skl_completion done = {};
  size_t count = 0;
  EXPECT_EQ(skl_queue_wait(queue, 20'000, &done, 1, &count), SKL_OK);
  EXPECT_EQ(count, 1U);
  return done;
}

// ---- Completions by a function
// ---------------------------------------------------------------

struct Called {
  static void on_completion(void* user, const skl_completion* completion) {
    auto& self = *static_cast<Called*>(user);
    if (completion->lease.block != nullptr) skl_lease_release(&completion->lease);
    {
      const std::lock_guard lock(self.mutex);
      ++self.times[completion->tag];
      ++self.results[completion->result];
    }
    if (self.again > 0) {
      --self.again;
      self.submit(self.next_tag++);
    }
    ++self.count;
  }
  void submit(uint64_t tag) {
    skl_request request = whole(asset, nullptr);
    request.tag = tag;
    EXPECT_EQ(skl_queue_submit(queue, &request, 1, nullptr, nullptr), SKL_OK);
  }
  void wait_for(int number) const {
    for (int i = 0; i < 20'000 && count < number; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(count, number);
  }

  std::mutex mutex;
  std::map<uint64_t, int> times;  // for each tag
  std::map<skl_result, int> results;
  std::atomic<int> count = 0;
  std::atomic<int> again = 0;
  std::atomic<uint64_t> next_tag = 1;
  skl_queue* queue = nullptr;
  skl_asset asset = 0;
};

TEST(Requests, a_function_is_called_once_for_each_and_may_submit_the_next) {
  const UploadedAssets assets;
  const Context context;
  context.mount(assets.folder());
  Called called;
  called.asset = context.find("a3");
  called.again = 199;
  called.queue = make_queue(
      context,
      {.capacity = 1, .on_completion = &Called::on_completion, .completion_user = &called});
  called.submit(0);
  called.wait_for(200);
  EXPECT_EQ(called.times.size(), 200U);
  for (const auto& [tag, times] : called.times) EXPECT_EQ(times, 1) << tag;
  skl_completion done = {};
  size_t count = 7;
  EXPECT_EQ(skl_queue_poll(called.queue, &done, 1, &count), SKL_END);
  EXPECT_EQ(count, 0U);
  skl_queue_destroy(called.queue);
}

TEST(Requests, a_function_gets_what_fails_and_what_is_cancelled) {
  const UploadedAssets assets;
  const Context context;
  context.mount(assets.folder());
  Called called;
  called.queue =
      make_queue(context, {.on_completion = &Called::on_completion, .completion_user = &called});
  called.submit(1);  // it is not an asset
  EXPECT_EQ(called.count, 1) << "it is over before submit returns";
  EXPECT_EQ(called.results[SKL_INVALID], 1);
  called.asset = context.find("a5");
  for (uint64_t tag = 2; tag < 500; ++tag) called.submit(tag);
  skl_queue_destroy(called.queue);
  EXPECT_EQ(called.count, 499) << "all are over before destroy returns";
  for (const auto& [tag, times] : called.times) EXPECT_EQ(times, 1) << tag;
  EXPECT_EQ(called.results[SKL_OK] + called.results[SKL_CANCELLED], 498);
}

TEST(Requests, a_function_has_been_called_for_all_when_the_context_is_gone) {
  const UploadedAssets assets;
  Called called;
  {
    const Context context;
    context.mount(assets.folder());
    called.asset = context.find("large");
    called.queue =
        make_queue(context, {.on_completion = &Called::on_completion, .completion_user = &called});
    for (uint64_t tag = 0; tag < 100; ++tag) called.submit(tag);
  }
  EXPECT_EQ(called.count, 100);
  skl_queue_destroy(called.queue);
  EXPECT_EQ(called.count, 100);
}

TEST(Requests, queues_of_callers_with_the_first_header_are_polled) {
  const Context context;
  struct {
    uint32_t struct_bytes;
    uint32_t capacity;
    uint64_t not_ours;
  } const first = {8, 3, UINT64_MAX};
  skl_queue* queue = nullptr;
  ASSERT_EQ(skl_queue_create(context, reinterpret_cast<const skl_queue_options*>(&first), &queue,
                             nullptr),
            SKL_OK);
  const skl_request request = whole(0, nullptr);
  EXPECT_EQ(skl_queue_submit(queue, &request, 1, nullptr, nullptr), SKL_OK);
  EXPECT_EQ(wait_for_one(queue).result, SKL_INVALID);
  skl_queue_destroy(queue);
}

// ---- A handle of the system's
// ----------------------------------------------------------------

bool is_signalled(intptr_t handle, int timeout_ms) {
#ifdef _WIN32
  return ::WaitForSingleObject(reinterpret_cast<HANDLE>(handle), timeout_ms) == WAIT_OBJECT_0;
#else
  pollfd look = {static_cast<int>(handle), POLLIN, 0};
  return ::poll(&look, 1, timeout_ms) == 1;
#endif
}

TEST(Requests, a_handle_is_signalled_until_all_is_polled) {
  const UploadedAssets assets;
  const Context context;
  context.mount(assets.folder());
  skl_queue* const queue = make_queue(context);
  intptr_t handle = 0;
  ASSERT_EQ(skl_queue_event(queue, &handle, nullptr), SKL_OK);
  intptr_t again = 0;
  ASSERT_EQ(skl_queue_event(queue, &again, nullptr), SKL_OK);
  EXPECT_EQ(handle, again);
  skl_completion done = {};
  size_t count = 0;
  EXPECT_EQ(skl_queue_poll(queue, &done, 1, &count), SKL_END);
  EXPECT_FALSE(is_signalled(handle, 0)) << "nothing is there";
  for (int round = 0; round < 50; ++round) {
    for (int i = 0; i < 3; ++i) {
      const skl_request request = whole(context.find("a7"), nullptr);
      ASSERT_EQ(skl_queue_submit(queue, &request, 1, nullptr, nullptr), SKL_OK);
    }
    for (int got = 0; got < 3;) {
      ASSERT_TRUE(is_signalled(handle, 20'000));
      ASSERT_EQ(skl_queue_poll(queue, &done, 1, &count), SKL_OK);
      got += static_cast<int>(count);
      if (count == 1) skl_lease_release(&done.lease);
    }
    EXPECT_EQ(skl_queue_poll(queue, &done, 1, &count), SKL_END);
    EXPECT_FALSE(is_signalled(handle, 0));
  }
  skl_queue_destroy(queue);
  EXPECT_EQ(skl_queue_event(nullptr, &handle, nullptr), SKL_INVALID);
}

TEST(Requests, a_handle_is_signalled_when_memory_is_free_again) {
  const UploadedAssets assets;
  const Context context(2 * uint64_t{kBlock});
  context.mount(assets.folder());
  skl_queue* const queue = make_queue(context);
  intptr_t handle = 0;
  ASSERT_EQ(skl_queue_event(queue, &handle, nullptr), SKL_OK);
  std::vector<skl_lease> held;
  const skl_request request = whole(context.find("a3"), nullptr);
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(skl_queue_submit(queue, &request, 1, nullptr, nullptr), SKL_OK);
  for (int i = 0; i < 2; ++i) held.push_back(wait_for_one(queue).lease);
  skl_completion done = {};
  size_t count = 0;
  EXPECT_EQ(skl_queue_poll(queue, &done, 1, &count), SKL_OK);
  EXPECT_EQ(count, 0U);
  EXPECT_FALSE(is_signalled(handle, 0));
  for (const skl_lease& lease : held) skl_lease_release(&lease);
  for (count = 0; count == 0;) {
    ASSERT_TRUE(is_signalled(handle, 20'000));
    ASSERT_EQ(skl_queue_poll(queue, &done, 1, &count), SKL_OK);
  }
  skl_lease_release(&done.lease);
  skl_queue_destroy(queue);
}

#ifndef _WIN32
TEST(Requests, without_descriptors_there_is_no_handle_and_the_queue_works) {
  const UploadedAssets assets;
  const Context context;
  context.mount(assets.folder());
  EXPECT_EQ(context.read("a1"), assets.contents.at("a1"));
  skl_queue* const queue = make_queue(context);
  char byte = 0;
  const skl_request request = whole(context.find("a0"), &byte);
  ASSERT_EQ(skl_queue_submit(queue, &request, 1, nullptr, nullptr), SKL_OK);
  EXPECT_EQ(wait_for_one(queue).result, SKL_OK);
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none = {0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  intptr_t handle = 0;
  Failure failure;
  const skl_result result = skl_queue_event(queue, &handle, &failure);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(result, SKL_IO);
  EXPECT_EQ(failure.os_error, EMFILE);
  ASSERT_EQ(skl_queue_submit(queue, &request, 1, nullptr, nullptr), SKL_OK);
  EXPECT_EQ(wait_for_one(queue).result, SKL_OK);
  EXPECT_EQ(skl_queue_event(queue, &handle, nullptr), SKL_OK) << "the next call tries again";
  skl_queue_destroy(queue);
}
#endif

// ---- Other priorities
// ------------------------------------------------------------------------

skl_context_options one_at_a_time() {
  skl_context_options options = {};
  options.backend = SKL_BACKEND_PUMP;
  options.media = SKL_MEDIA_SOLID;
  options.threads = 1;
  return options;
}

// Nothing is read before it is pumped, so the order is known.
struct OneAtATime {
  OneAtATime() { context.mount(assets.folder()); }
  ~OneAtATime() { skl_queue_destroy(queue); }
  OneAtATime(const OneAtATime&) = delete;
  OneAtATime& operator=(const OneAtATime&) = delete;

  void submit(const std::string& path, uint64_t tag, int32_t priority, uint32_t deadline_us = 0) {
    skl_request request = whole(context.find(path), nullptr);
    request.tag = tag;
    request.priority = priority;
    request.deadline_us = deadline_us;
    ASSERT_EQ(skl_queue_submit(queue, &request, 1, nullptr, nullptr), SKL_OK);
  }
  skl_completion take() {
    const skl_completion done = wait_for_one(queue);
    if (done.lease.block != nullptr) skl_lease_release(&done.lease);
    return done;
  }

  UploadedAssets assets;
  Context context = Context(one_at_a_time());
  skl_queue* queue = make_queue(context, {.capacity = 65536});
};

TEST(Requests, another_priority_changes_the_order) {
  OneAtATime of;
  of.submit("a1", 1, SKL_PRIORITY_PREFETCH);
  of.submit("large", 2, SKL_PRIORITY_NORMAL);  // INVALID: more than a block
  of.submit("a20", 3, SKL_PRIORITY_STREAM);
  EXPECT_EQ(of.take().tag, 2U);
  EXPECT_EQ(skl_queue_reschedule(of.queue, 1, UINT64_MAX, SKL_PRIORITY_URGENT, 0), 1U);
  EXPECT_EQ(skl_queue_reschedule(of.queue, 2, UINT64_MAX, SKL_PRIORITY_URGENT, 0), 0U);
  const skl_completion first = of.take();
  EXPECT_EQ(first.tag, 1U);
  EXPECT_EQ(first.result, SKL_OK);
  EXPECT_EQ(of.take().tag, 3U);
  EXPECT_EQ(skl_queue_reschedule(nullptr, 0, 0, 0, 0), 0U);
}

TEST(Requests, a_new_deadline_counts_from_the_call) {
  OneAtATime of;
  of.submit("a1", 1, SKL_PRIORITY_NORMAL, 1);
  of.submit("a2", 2, SKL_PRIORITY_NORMAL, 20'000'000);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(skl_queue_reschedule(of.queue, 0, 0, SKL_PRIORITY_NORMAL, 60'000'000), 2U);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(of.take().missed_deadline, 0U);
  of.submit("a3", 3, SKL_PRIORITY_NORMAL);
  EXPECT_EQ(skl_queue_reschedule(of.queue, 3, UINT64_MAX, SKL_PRIORITY_NORMAL, 1), 1U);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_EQ(of.take().missed_deadline, 1U);
}

TEST(Requests, one_of_very_many_is_cancelled_by_its_tag) {
  OneAtATime of;
  constexpr uint64_t kMany = 60'000;
  char byte = 0;
  for (uint64_t tag = 0; tag < kMany; ++tag) {
    skl_request request = whole(of.context.find("a1"), &byte);
    request.length_bytes = 1;
    request.tag = tag;
    ASSERT_EQ(skl_queue_submit(of.queue, &request, 1, nullptr, nullptr), SKL_OK);
  }
  for (uint64_t tag = 0; tag < kMany; tag += 1000)
    EXPECT_EQ(skl_queue_cancel(of.queue, tag, UINT64_MAX), 1U);
  std::map<skl_result, uint64_t> results;
  for (uint64_t i = 0; i < kMany; ++i) {
    const skl_completion done = of.take();
    ++results[done.result];
    EXPECT_EQ(done.result == SKL_CANCELLED, done.tag % 1000 == 0) << done.tag;
  }
  EXPECT_EQ(results[SKL_CANCELLED], kMany / 1000);
  EXPECT_EQ(results[SKL_OK], kMany - kMany / 1000);
}

// ---- Memory for uploads
// ----------------------------------------------------------------------

// A pack that a function reads. It notes where it is told to put the bytes.
struct Noting {
  explicit Noting(const std::string& file) : pack(bytes_of_file(file)) {}
  static int32_t read_at(void* user, uint64_t offset_bytes, void* destination, size_t length) {
    auto& self = *static_cast<Noting*>(user);
    std::memcpy(destination, self.pack.data() + offset_bytes, length);
    const std::lock_guard lock(self.mutex);
    const auto* const at = static_cast<const char*>(destination);
    const bool is_inside = at >= self.into && at + length <= self.into + self.into_bytes;
    (is_inside ? self.straight_bytes : self.other_bytes) += length;
    return 0;
  }
  skl_file file() {
    skl_file file = {sizeof(file)};
    file.size_bytes = pack.size();
    file.read_at = read_at;
    file.user = this;
    return file;
  }

  const std::string pack;
  std::mutex mutex;
  const char* into = nullptr;
  size_t into_bytes = 0;
  size_t straight_bytes = 0;
  size_t other_bytes = 0;
};

TEST(Requests, uncompressed_assets_are_read_straight_into_the_callers_memory) {
  const UploadedAssets assets;
  Noting noting(assets.file("p.skl"));
  const Context context;
  const skl_file file = noting.file();
  ASSERT_EQ(skl_mount_file(context, "p", &file, nullptr, nullptr, nullptr), SKL_OK);
  skl_queue* const queue = make_queue(context);
  const std::string& content = assets.contents.at("large");
  std::vector<char> memory(content.size() + 512);
  char* const upload = memory.data() + (512 - reinterpret_cast<uintptr_t>(memory.data()) % 512);
  char byte = 0;
  // Reads the tables that the first request needs.
  skl_request request = whole(context.find("a0"), &byte);
  ASSERT_EQ(skl_queue_submit(queue, &request, 1, nullptr, nullptr), SKL_OK);
  EXPECT_EQ(wait_for_one(queue).result, SKL_OK);
  noting.into = upload;
  noting.into_bytes = content.size();
  noting.other_bytes = 0;
  request = whole(context.find("large"), upload);
  request.destination_alignment_bytes = 512;
  ASSERT_EQ(skl_queue_submit(queue, &request, 1, nullptr, nullptr), SKL_OK);
  EXPECT_EQ(wait_for_one(queue).result, SKL_OK);
  EXPECT_EQ(std::memcmp(upload, content.data(), content.size()), 0);
  EXPECT_EQ(noting.straight_bytes, content.size()) << "each byte once, to where it stays";
  EXPECT_EQ(noting.other_bytes, 0U) << "and none elsewhere";
  skl_stats stats = {};
  stats.struct_bytes = sizeof(stats);
  skl_stats_get(context, &stats);
  EXPECT_EQ(stats.copied_bytes, 0U);
  skl_queue_destroy(queue);
}

TEST(Requests, parts_of_compressed_assets_are_copied_and_counted) {
  const UploadedAssets assets(format::Codec::lz4);
  const Context context;
  context.mount(assets.folder());
  skl_queue* const queue = make_queue(context);
  std::string into(9, '?');
  skl_request request = whole(context.find("text"), into.data());
  request.length_bytes = 9;
  ASSERT_EQ(skl_queue_submit(queue, &request, 1, nullptr, nullptr), SKL_OK);
  EXPECT_EQ(wait_for_one(queue).result, SKL_OK);
  skl_stats stats = {};
  stats.struct_bytes = sizeof(stats);
  skl_stats_get(context, &stats);
  EXPECT_EQ(stats.copied_bytes, 9U);
  skl_stats_reset(context);
  skl_stats_get(context, &stats);
  EXPECT_EQ(stats.copied_bytes, 0U);
  skl_queue_destroy(queue);
}

TEST(Requests, memory_that_isnt_aligned_as_stated_is_refused) {
  const UploadedAssets assets;
  const Context context;
  context.mount(assets.folder());
  skl_queue* const queue = make_queue(context);
  alignas(4096) static std::array<char, 8192> memory;
  const auto answer = [&](size_t offset, uint32_t alignment) {
    Failure failure;
    skl_request request = whole(context.find("a2"), memory.data() + offset);
    request.destination_alignment_bytes = alignment;
    request.error = &failure;
    EXPECT_EQ(skl_queue_submit(queue, &request, 1, nullptr, nullptr), SKL_OK);
    const skl_result result = wait_for_one(queue).result;
    return result == SKL_OK ? "ok" : std::string(failure.message);
  };
  EXPECT_EQ(answer(0, 4096), "ok");
  EXPECT_EQ(answer(256, 256), "ok");
  EXPECT_THAT(answer(256, 512), HasSubstr("expected a multiple of destination_alignment_bytes"));
  EXPECT_THAT(answer(0, 48), HasSubstr("expected a power of two"));
  skl_queue_destroy(queue);
}

}  // namespace
}  // namespace seekless
