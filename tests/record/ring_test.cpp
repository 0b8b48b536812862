#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "packer/record/internal/ring_reader.h"

namespace seekless {
namespace {

class Ring : public testing::Test {
 protected:
  RingHeader& header() { return *reinterpret_cast<RingHeader*>(memory_.get()); }
  RecordSlot& slot(uint32_t number) {
    return reinterpret_cast<RecordSlot*>(memory_->bytes.data() +
                                         kRingHeaderBytes)[number % kRingSlots];
  }

  // Does the same as hook/ring_writer.cpp, which is only for Windows.
  uint32_t reserve(uint32_t slots) {
    const uint32_t first = header().head.fetch_add(slots, std::memory_order_relaxed);
    while (first + slots - header().tail.load(std::memory_order_acquire) > kRingSlots)
      std::this_thread::yield();
    return first;
  }
  void fill(uint32_t first, uint64_t handle, const std::u16string& text = {}) {
    const size_t slots = (text.size() + kSlotCharacters - 1) / kSlotCharacters;
    for (size_t i = 0; i < slots; ++i) {
      auto* part = reinterpret_cast<TextSlot*>(&slot(static_cast<uint32_t>(first + 1 + i)));
      text.copy(part->characters.data(), kSlotCharacters, i * kSlotCharacters);
    }
    RecordSlot& into = slot(first);
    into.kind = RecordKind::read;
    into.text_slots = static_cast<uint16_t>(slots);
    into.handle = handle;
    into.length = text.size();
    into.turn.store(first + 1, std::memory_order_release);
  }
  void put(uint64_t handle, const std::u16string& text = {}) {
    const size_t slots = (text.size() + kSlotCharacters - 1) / kSlotCharacters;
    fill(reserve(static_cast<uint32_t>(1 + slots)), handle, text);
  }

  struct alignas(4096) Memory {
    std::array<std::byte, kRingBytes> bytes;
  };
  std::unique_ptr<Memory> memory_ = std::make_unique<Memory>();
};

TEST_F(Ring, gives_records_in_the_order_of_their_places) {
  RingReader reader(memory_.get());
  EXPECT_FALSE(reader.take());
  put(1);
  put(2, u"a text");
  put(3, std::u16string(1000, u'x'));
  put(4);
  EXPECT_EQ(reader.take()->handle, 1U);
  EXPECT_EQ(reader.take()->text, u"a text");
  EXPECT_EQ(reader.take()->text, std::u16string(1000, u'x'));
  EXPECT_EQ(reader.take()->handle, 4U);
  EXPECT_FALSE(reader.take());
  EXPECT_EQ(header().tail, header().head);
}

TEST_F(Ring, waits_for_a_record_that_is_being_written) {
  RingReader reader(memory_.get());
  const uint32_t first = reserve(1);
  put(2);
  EXPECT_FALSE(reader.take());
  fill(first, 1);
  EXPECT_EQ(reader.take()->handle, 1U);
  EXPECT_EQ(reader.take()->handle, 2U);
  EXPECT_EQ(reader.lost(), 0U);
}

TEST_F(Ring, of_a_process_that_was_killed_gives_what_is_whole) {
  RingReader reader(memory_.get());
  put(1);
  reserve(3);
  put(2);
  reserve(1);
  EXPECT_EQ(reader.take()->handle, 1U);
  EXPECT_FALSE(reader.take());
  reader.writer_has_ended();
  EXPECT_EQ(reader.take()->handle, 2U);
  EXPECT_FALSE(reader.take());
  EXPECT_EQ(reader.lost(), 2U);
}

TEST_F(Ring, loses_nothing_of_four_threads_that_fill_it_many_times) {
  constexpr uint64_t kThreads = 4, kEach = 150'000;
  RingReader reader(memory_.get());
  std::vector<std::jthread> threads;
  for (uint64_t t = 0; t < kThreads; ++t)
    threads.emplace_back([this, t] {
      for (uint64_t i = 0; i < kEach; ++i)
        put(t << 32 | i, i % 100 == 0 ? std::u16string(i % 77, u'y') : u"");
    });
  std::vector<uint64_t> next(kThreads, 0);
  for (uint64_t taken = 0; taken < kThreads * kEach;) {
    const auto record = reader.take();
    if (!record) continue;
    ++taken;
    const uint64_t of = record->handle >> 32;
    ASSERT_LT(of, kThreads);
    ASSERT_EQ(record->handle & 0xffffffff, next[of]++);
  }
  EXPECT_FALSE(reader.take());
  EXPECT_EQ(reader.lost(), 0U);
}

TEST_F(Ring, nonsense_ends) {
  RingReader reader(memory_.get());
  for (uint32_t i = 0; i < kRingSlots; ++i) {
    RecordSlot& into = slot(i);
    into.turn = i + 1;
    into.text_slots = 0xffff;
    into.length = UINT64_MAX;
  }
  header().head = kRingSlots;
  size_t taken = 0;
  while (const auto record = reader.take()) {
    ++taken;
    ASSERT_LE(record->text.size(), size_t{0xffff} * kSlotCharacters);
  }
  EXPECT_LE(taken, kRingSlots / 0xffff + 1);
  header().head = UINT32_MAX;
  EXPECT_FALSE(reader.take());
  reader.writer_has_ended();
  EXPECT_FALSE(reader.take());
  EXPECT_FALSE(reader.take());
}

}  // namespace
}  // namespace seekless
