// Tests both ways to read many ranges at once, with the same claims.
#include "runtime/io_engine.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/io_engines.h"

namespace seekless::runtime {
namespace {

// A file without a descriptor, whose reads do what a test says.
class ToldFile final : public File {
 public:
  using Read = std::function<Result<void>(uint64_t, std::span<std::byte>)>;
  explicit ToldFile(Read read) : read_(std::move(read)) {}
  const std::string& name() const override { return name_; }
  uint64_t size_bytes() const override { return 1 << 20; }
  Result<void> read_at(uint64_t offset, std::span<std::byte> into) const override {
    return read_(offset, into);
  }
  void will_need(uint64_t, uint64_t) const override {}

 private:
  std::string name_ = "told";
  Read read_;
};

class IoEngines : public IoEngineTest {};

TEST_P(IoEngines, reads_a_range_into_pieces) {
  const std::string content = noise(100000, 1);
  const auto file = file_of(content);
  Bytes a(10), b(70000), c(1);
  const std::array<std::span<std::byte>, 3> pieces = {a, b, c};
  IoRead read = {.file = file.get(), .offset_bytes = 77, .pieces = pieces};
  engine->submit(read);
  ASSERT_EQ(reap_one(), &read);
  ASSERT_FALSE(read.failure);
  EXPECT_TRUE(text_of(a) + text_of(b) + text_of(c) == content.substr(77, 70011));
}

TEST_P(IoEngines, reads_into_more_pieces_than_one_call_takes) {
  const std::string content = noise(5000, 2);
  const auto file = file_of(content);
  Bytes bytes(5000);
  std::vector<std::span<std::byte>> pieces;
  for (size_t at = 0; at < bytes.size(); at += 5) pieces.push_back(std::span(bytes).subspan(at, 5));
  IoRead read = {.file = file.get(), .pieces = pieces};
  engine->submit(read);
  ASSERT_EQ(reap_one(), &read);
  ASSERT_FALSE(read.failure);
  EXPECT_TRUE(text_of(bytes) == content);
}

TEST_P(IoEngines, the_end_of_the_file_is_damage_and_named) {
  const auto file = file_of("short");
  Bytes bytes(10);
  const std::array<std::span<std::byte>, 1> pieces = {bytes};
  IoRead read = {.file = file.get(), .offset_bytes = 2, .pieces = pieces};
  engine->submit(read);
  ASSERT_EQ(reap_one(), &read);
  ASSERT_TRUE(read.failure);
  EXPECT_EQ(read.failure->result, SKL_DAMAGED);
  EXPECT_EQ(read.failure->offset_bytes, 5U);
  EXPECT_THAT(read.failure->message, testing::HasSubstr("expected 7 more bytes, found the end"));
}

TEST_P(IoEngines, a_file_cut_while_it_is_open_is_damage) {
  const auto file = file_of(noise(10000, 3));
  std::filesystem::resize_file(file->name(), 100);
  Bytes bytes(10000);
  const std::array<std::span<std::byte>, 1> pieces = {bytes};
  IoRead read = {.file = file.get(), .pieces = pieces};
  engine->submit(read);
  ASSERT_EQ(reap_one(), &read);
  ASSERT_TRUE(read.failure);
  EXPECT_EQ(read.failure->result, SKL_DAMAGED);
}

TEST_P(IoEngines, a_file_without_a_descriptor_is_read_by_its_own_functions) {
  const ToldFile told([](uint64_t offset, std::span<std::byte> into) -> Result<void> {
    if (offset >= 1000) return std::unexpected(Error{SKL_IO, "told: bad sector", EIO, offset});
    std::ranges::fill(into, static_cast<std::byte>(offset));
    return {};
  });
  Bytes a(3), b(3);
  const std::array<std::span<std::byte>, 1> into_a = {a};
  const std::array<std::span<std::byte>, 1> into_b = {b};
  IoRead good = {.file = &told, .offset_bytes = 'g', .pieces = into_a};
  IoRead bad = {.file = &told, .offset_bytes = 1000, .pieces = into_b};
  engine->submit(good);
  engine->submit(bad);
  const std::set<IoRead*> done = {reap_one(), reap_one()};
  EXPECT_EQ(done, (std::set<IoRead*>{&good, &bad}));
  EXPECT_FALSE(good.failure);
  EXPECT_EQ(text_of(a), "ggg");
  ASSERT_TRUE(bad.failure);
  EXPECT_EQ(bad.failure->os_error, EIO);
}

TEST_P(IoEngines, many_in_flight_all_come_once) {
  constexpr size_t kReads = 300;
  const std::string content = noise(kReads * 100, 4);
  const auto file = file_of(content);
  std::vector<Bytes> into(kReads, Bytes(100));
  std::vector<std::span<std::byte>> pieces(into.begin(), into.end());
  std::vector<IoRead> reads(kReads);
  for (size_t i = 0; i < kReads; ++i) {
    reads[i] = {.file = file.get(),
                .offset_bytes = (i * 7 % kReads) * 100,
                .pieces = std::span(pieces).subspan(i, 1)};
    engine->submit(reads[i]);
  }
  std::multiset<IoRead*> done;
  for (size_t i = 0; i < kReads; ++i) done.insert(reap_one());
  for (size_t i = 0; i < kReads; ++i) {
    EXPECT_EQ(done.count(&reads[i]), 1U);
    EXPECT_FALSE(reads[i].failure);
    EXPECT_TRUE(text_of(into[i]) == content.substr(i * 7 % kReads * 100, 100)) << i;
  }
  IoRead* none = nullptr;
  EXPECT_EQ(engine->reap(std::span(&none, 1), 1), 0U);
}

TEST_P(IoEngines, a_read_may_be_submitted_again) {
  const auto file = file_of("abc");
  Bytes bytes(3);
  const std::array<std::span<std::byte>, 1> pieces = {bytes};
  IoRead read = {.file = file.get(), .offset_bytes = 1, .pieces = pieces};
  engine->submit(read);
  ASSERT_EQ(reap_one(), &read);
  ASSERT_TRUE(read.failure);
  read.offset_bytes = 0;
  engine->submit(read);
  ASSERT_EQ(reap_one(), &read);
  EXPECT_FALSE(read.failure);
  EXPECT_EQ(text_of(bytes), "abc");
}

TEST_P(IoEngines, wake_ends_a_wait_even_if_it_comes_first) {
  IoRead* none = nullptr;
  engine->wake();
  EXPECT_EQ(engine->reap(std::span(&none, 1), IoEngine::kForEver), 0U);
  {
    const std::jthread other([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      engine->wake();
    });
    EXPECT_EQ(engine->reap(std::span(&none, 1), IoEngine::kForEver), 0U);
  }
}

TEST_P(IoEngines, a_wait_ends_after_its_time) {
  IoRead* none = nullptr;
  EXPECT_EQ(engine->reap(std::span(&none, 1), 5), 0U);
  EXPECT_EQ(engine->reap(std::span(&none, 1), 0), 0U);
}

TEST_P(IoEngines, nothing_is_written_after_it_is_gone) {
  const std::string content = noise(1 << 20, 6);
  const auto file = file_of(content);
  for (int round = 0; round < 10; ++round) {
    std::vector<Bytes> into(20, Bytes(content.size()));
    std::vector<std::span<std::byte>> pieces(into.begin(), into.end());
    std::vector<IoRead> reads(into.size());
    for (size_t i = 0; i < reads.size(); ++i) {
      reads[i] = {.file = file.get(), .pieces = std::span(pieces).subspan(i, 1)};
      engine->submit(reads[i]);
    }
    engine.reset();
    into.clear();  // sanitizers find any write from now on
    engine = make(4);
  }
}

INSTANTIATE_TEST_SUITE_P(Io, IoEngines, testing::Values("threads", "system"),
                         [](const auto& of) { return std::string(of.param); });

TEST(SystemFile, lies_on_a_device_at_a_place) {
  TestFolder folder;
  const auto io = make_system_file_io();
  const auto a = *io->open(folder.write("a", noise(100000, 1)));
  const auto b = *io->open(folder.write("b", noise(100000, 2)));
  EXPECT_EQ(a->place().device, b->place().device);
  EXPECT_NE(a->place().start_bytes, b->place().start_bytes);
  EXPECT_EQ(a->place().start_bytes, a->place().start_bytes);
}

}  // namespace
}  // namespace seekless::runtime
