#include "packer/serve/recorded_reads.h"

#include <array>
#include <cstddef>
#include <future>
#include <span>
#include <thread>

#include <gtest/gtest.h>

#include "tests/content/test_folder.h"

namespace seekless {
namespace {

// Answers a read only once it is allowed to.
class LateReader final : public FileReader {
 public:
  ssize_t read(const FileRead&, std::span<std::byte> into) override {
    is_asked_.set_value();
    may_answer_.get_future().wait();
    return static_cast<ssize_t>(into.size());
  }
  void wait_until_asked() { is_asked_.get_future().wait(); }
  void answer() { may_answer_.set_value(); }

 private:
  std::promise<void> is_asked_;
  std::promise<void> may_answer_;
};

TEST(RecordedReads, drops_a_read_that_is_answered_after_the_end) {
  const TestFolder folder;
  auto recording = Recording::create(folder.path("t.trace"), {});
  ASSERT_TRUE(recording) << recording.error().message;
  ASSERT_TRUE((*recording)->begin({.scenario = "menu"}));
  LateReader late;
  RecordedReads reads("/game", **recording, late);
  const uint32_t file = reads.open("far", {}, 1);
  std::array<std::byte, 5> into;
  std::thread reading([&] { reads.read({.file = file}, into); });
  late.wait_until_asked();
  ASSERT_TRUE((*recording)->finish());
  const uint64_t events = (*recording)->report().events;
  late.answer();
  reading.join();
  reads.open("other", {}, 1);
  EXPECT_EQ((*recording)->report().events, events);
  EXPECT_EQ((*recording)->report().reads, 0U);
  EXPECT_EQ((*recording)->report().paths, 1U);
}

}  // namespace
}  // namespace seekless
