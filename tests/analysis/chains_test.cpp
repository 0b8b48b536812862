#include "packer/analysis/internal/chains.h"

#include <vector>

#include <gtest/gtest.h>

namespace seekless {
namespace {

class Chains : public testing::Test {
 protected:
  auto keep() {
    return [this](const OpenChains::Open& chain) { ended_.push_back(chain); };
  }
  void read(uint32_t thread, uint64_t offset, uint64_t length, bool is_small = true) {
    open_.add({.offset_bytes = offset, .length_bytes = length, .thread = thread}, is_small, keep());
  }
  std::vector<OpenChains::Open> finish() {
    open_.finish(keep());
    return ended_;
  }

  OpenChains open_;
  std::vector<OpenChains::Open> ended_;
};

TEST_F(Chains, twenty_one_reads_of_16_kib_are_one_of_336) {
  for (uint64_t i = 0; i < 21; ++i) read(1, 1000 + i * 16384, 16384);
  const auto chains = finish();
  ASSERT_EQ(chains.size(), 1U);
  EXPECT_EQ(chains[0].reads, 21U);
  EXPECT_EQ(chains[0].bytes, 336U * 1024);
  EXPECT_EQ(chains[0].offset_bytes, 1000U);
}

TEST_F(Chains, threads_have_their_own) {
  for (uint64_t i = 0; i < 5; ++i) {
    read(1, i * 10, 10);
    read(2, 1000 + i * 10, 10);
  }
  const auto chains = finish();
  ASSERT_EQ(chains.size(), 2U);
  EXPECT_EQ(chains[0].reads, 5U);
  EXPECT_EQ(chains[1].reads, 5U);
}

TEST_F(Chains, one_thread_going_on_behind_another_is_none) {
  read(1, 0, 10);
  read(2, 10, 10);
  EXPECT_TRUE(finish().empty());
}

TEST_F(Chains, end_at_gaps_and_at_long_reads) {
  read(1, 0, 10);
  read(1, 10, 10);
  read(1, 21, 10);
  read(1, 31, 10);
  read(1, 41, 1 << 20, false);
  read(1, 41 + (1 << 20), 10);
  const auto chains = finish();
  ASSERT_EQ(chains.size(), 2U);
  EXPECT_EQ(chains[0].bytes, 20U);
  EXPECT_EQ(chains[1].offset_bytes, 21U);
  EXPECT_EQ(chains[1].reads, 2U);
}

TEST_F(Chains, of_more_threads_than_are_kept_lose_the_one_unused_longest) {
  const auto threads = static_cast<uint32_t>(OpenChains::kMost) + 1;
  read(0, 0, 10);
  read(0, 10, 10);
  for (uint32_t thread = 1; thread < threads; ++thread) read(thread, 1000 * thread, 10);
  ASSERT_EQ(ended_.size(), 1U) << "the chain of thread 0 had to go";
  EXPECT_EQ(ended_[0].reads, 2U);
  read(0, 20, 10);
  EXPECT_EQ(finish().size(), 1U) << "and begins anew";
}

}  // namespace
}  // namespace seekless
