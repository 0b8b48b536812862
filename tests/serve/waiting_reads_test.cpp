#include "packer/serve/internal/waiting_reads.h"

#include <future>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "tests/content/test_folder.h"

namespace seekless {
namespace {

constexpr uint64_t kNoLimitBytes = uint64_t{1} << 40;
constexpr auto kLongestAnswer = std::chrono::seconds(10);

class WaitingReadsBesideSweep : public testing::Test {
 protected:
  WaitingReadsBesideSweep() {
    folder_.write("data", std::string(64 * kSeenPageBytes, 'x'));
    for (uint64_t page = 0; page < 32; ++page) plan_.pages[page_key(0, page)] = {};
    plan_.chunks = {{.file = 0, .offset_bytes = 0, .length_bytes = 32 * kSeenPageBytes}};
  }
  // Returns whether the read's end is to be told.
  static bool made(WaitingReads& reads, std::vector<PageKey> pages) {
    std::promise<bool> told;
    auto answer = told.get_future();
    reads.add(std::move(pages), [&](bool tells_of_end) { told.set_value(tells_of_end); });
    EXPECT_EQ(answer.wait_for(kLongestAnswer), std::future_status::ready);
    return answer.get();
  }

  TestFolder folder_;
  FetchPlan plan_;
};

TEST_F(WaitingReadsBesideSweep, are_made_at_once_without_a_sweep) {
  Sweeper sweeper(folder_.path(), {"data"}, "", kNoLimitBytes);
  ReadsBesideSweep beside(sweeper);
  WaitingReads reads(beside);
  EXPECT_FALSE(made(reads, {page_key(0, 3)}));
  EXPECT_FALSE(made(reads, {}));
}

// The sweep can't open its file until it may, and stays busy.
TEST_F(WaitingReadsBesideSweep, wait_for_what_comes_and_tell_of_the_rest) {
  std::promise<void> may_sweep;
  SweepManners manners;
  manners.holds_files = [&, gone_on = may_sweep.get_future().share()](bool holds) {
    if (holds) gone_on.wait();
  };
  Sweeper sweeper(folder_.path(), {"data"}, "", kNoLimitBytes, {}, {}, manners);
  ReadsBesideSweep beside(sweeper);
  WaitingReads reads(beside);
  sweeper.add(plan_);
  EXPECT_TRUE(made(reads, {page_key(0, 40)})) << "it isn't foreseen";
  beside.ends(std::chrono::nanoseconds(0));
  EXPECT_TRUE(made(reads, {page_key(0, 3)})) << "it has waited for long enough";
  beside.ends(std::chrono::nanoseconds(0));
  may_sweep.set_value();
  while (sweeper.is_busy()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(sweeper.has_brought(page_key(0, 3)));
  EXPECT_FALSE(made(reads, {page_key(0, 40)})) << "nothing is swept any more";
}

}  // namespace
}  // namespace seekless
