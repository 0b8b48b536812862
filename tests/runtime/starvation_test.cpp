// Tests that all other requests are answered in the times that the header gives, even if urgent
// requests are always outstanding on solid media.
#include <array>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/content/test_folder.h"
#include "tests/host/sizes.h"
#include "tests/runtime/test_context.h"

namespace seekless {
namespace {

constexpr uint64_t kFileMib = 16;
// This is enough that some wait whenever the reader looks, even if this thread is late.
constexpr size_t kOutstanding = 256;
constexpr uint64_t kUrgentTag = 1;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class Starvation : public testing::TestWithParam<skl_backend> {
 protected:
  Starvation() {
    folder.write("urgent", std::string(kFileMib * kMiB, 'u'));
    folder.write("waiting", std::string(kMiB, 'w'));
  }

  void submit(skl_asset asset, uint64_t offset_bytes, uint64_t length_bytes, void* into,
              int32_t priority, uint64_t tag) const {
    skl_request request = {};
    request.struct_bytes = sizeof(request);
    request.asset = asset;
    request.offset_bytes = offset_bytes;
    request.length_bytes = length_bytes;
    request.destination = into;
    request.priority = priority;
    request.tag = tag;
    EXPECT_EQ(skl_queue_submit(queue, &request, 1, nullptr, nullptr), SKL_OK);
  }

  void submit_urgent(skl_asset asset) {
    const uint64_t at = urgent++ % kFileMib * kMiB;
    submit(asset, at, kMiB, urgent_bytes.data() + at, SKL_PRIORITY_URGENT, kUrgentTag);
  }

  TestFolder folder;
  skl_queue* queue = nullptr;
  std::vector<char> urgent_bytes = std::vector<char>(kFileMib * kMiB);
  std::array<char, 4096> waiting_bytes = {};
  uint64_t urgent = 0;
};

TEST_P(Starvation, urgent_requests_without_end_leave_time_for_all_others) {
  skl_context_options options = {};
  options.media = SKL_MEDIA_SOLID;
  options.backend = GetParam();
  const Context context(options);
  context.mount(folder.path());
  const skl_asset flood = context.find("urgent");
  const skl_asset waiting = context.find("waiting");
  ASSERT_EQ(skl_queue_create(context, nullptr, &queue, nullptr), SKL_OK);
  for (size_t i = 0; i < kOutstanding; ++i) submit_urgent(flood);
  const auto start = std::chrono::steady_clock::now();
  for (const int priority : {SKL_PRIORITY_NORMAL, SKL_PRIORITY_STREAM, SKL_PRIORITY_PREFETCH})
    submit(waiting, 0, 4096, waiting_bytes.data(), priority,
           1000 + static_cast<uint64_t>(-priority));
  std::map<uint64_t, double> after_seconds;  // for each tag
  while (after_seconds.size() < 3 && seconds_since(start) < 20) {
    std::array<skl_completion, 64> done = {};
    size_t count = 0;
    ASSERT_EQ(skl_queue_wait(queue, 10'000, done.data(), done.size(), &count), SKL_OK);
    for (size_t i = 0; i < count; ++i) {
      EXPECT_EQ(done[i].result, SKL_OK);
      if (done[i].tag == kUrgentTag)
        submit_urgent(flood);
      else
        after_seconds[done[i].tag] = seconds_since(start);
    }
  }
  ASSERT_EQ(after_seconds.size(), 3U) << "not answered in 20 s, while " << urgent << " urgent were";
  // A round over everything that waits takes some 0.2 s, and may take ten times as long on a busy
  // machine.
  EXPECT_LT(after_seconds.at(1000), 3);
  EXPECT_LT(after_seconds.at(1050), 5);
  EXPECT_LT(after_seconds.at(1100), 15);
  std::string times;
  for (const auto& [tag, seconds] : after_seconds)
    times += std::to_string(tag - 1000) + ": " + std::to_string(seconds) + " s; ";
  RecordProperty("answered", times);
  skl_queue_destroy(queue);
}

INSTANTIATE_TEST_SUITE_P(Backends, Starvation,
                         testing::Values(SKL_BACKEND_THREADS, SKL_BACKEND_DETECT),
                         [](const auto& parameter) {
                           return parameter.param == SKL_BACKEND_THREADS ? "threads" : "detected";
                         });

}  // namespace
}  // namespace seekless
