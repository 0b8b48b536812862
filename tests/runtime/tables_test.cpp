#include "runtime/tables.h"

#include <new>
#include <vector>

#include <gtest/gtest.h>

#include "packer/pack/internal/tables.h"

namespace seekless::runtime {
namespace {

__extension__ using Wide = unsigned __int128;

TEST(Tables, home_slot_is_the_high_half_of_the_product) {
  for (const uint64_t hash :
       {uint64_t{0}, uint64_t{1} << 63, UINT64_MAX, uint64_t{0x123456789abcdef0}})
    for (const uint32_t count : {1U, 7U, 1000U, UINT32_MAX}) {
      const auto product = static_cast<Wide>(hash) * count;
      EXPECT_EQ(format::home_slot(hash, count), static_cast<uint32_t>(product >> 64));
      EXPECT_LT(format::home_slot(hash, count), count);
    }
}

TEST(Tables, search_wraps_around_the_end_and_stops_at_an_empty_slot) {
  const std::vector<uint64_t> hashes = {UINT64_MAX, UINT64_MAX - 1, UINT64_MAX - 2};
  const std::vector<format::Slot> slots = build_slots(hashes).value();
  const auto hash_of = [&](uint32_t index) { return hashes[index]; };
  for (uint32_t i = 0; i < hashes.size(); ++i)
    EXPECT_EQ(find_in_slots(std::span(slots), hashes[i], hash_of), i);
  EXPECT_EQ(find_in_slots(std::span(slots), UINT64_MAX - 3, hash_of), format::kEmptySlot);
  EXPECT_NE(slots.front().index, format::kEmptySlot) << "the test should have wrapped";
}

TEST(Tables, equal_tags_are_told_apart_by_the_whole_hash) {
  const std::vector<uint64_t> hashes = {0x1'0000'0007, 0x2'0000'0007, 0x3'0000'0007};
  const std::vector<format::Slot> slots = build_slots(hashes).value();
  const auto hash_of = [&](uint32_t index) { return hashes[index]; };
  for (uint32_t i = 0; i < hashes.size(); ++i)
    EXPECT_EQ(find_in_slots(std::span(slots), hashes[i], hash_of), i);
  EXPECT_EQ(find_in_slots(std::span(slots), 0x4'0000'0007, hash_of), format::kEmptySlot);
}

TEST(Tables, more_bytes_than_can_be_counted_are_lacking_memory) {
  EXPECT_THROW(TableMemory(UINT64_MAX), std::bad_alloc);
}

TEST(Tables, section_holds_exactly_its_records_padded) {
  format::Section section = {.size_bytes = 128, .record_count = 5};
  EXPECT_TRUE(holds_its_records<format::Asset>(section));  // 120 bytes
  section.record_count = 6;
  EXPECT_FALSE(holds_its_records<format::Asset>(section));
  section.record_count = 2;
  EXPECT_FALSE(holds_its_records<format::Asset>(section));
  section = {.size_bytes = 0, .record_count = 0};
  EXPECT_TRUE(holds_its_records<format::Asset>(section));
  section.record_count = UINT64_MAX;
  EXPECT_FALSE(holds_its_records<format::Asset>(section));
}

TEST(Tables, slots_hold_as_many_assets_as_there_are) {
  std::vector<format::Slot> slots = {{0, 0}, {format::kEmptySlot, 0}, {1, 0}};
  EXPECT_TRUE(valid_slots(slots, 2));
  EXPECT_FALSE(valid_slots(slots, 1));
  EXPECT_FALSE(valid_slots(slots, 3));
  slots[1].index = 0;
  EXPECT_FALSE(valid_slots(slots, 3)) << "no empty slot ends a search";
  EXPECT_FALSE(valid_slots({}, 0));
}

TEST(Tables, no_row_of_slots_is_too_long_wherever_it_lies) {
  constexpr uint32_t kRow = format::kLongestRow;
  for (const size_t count : {size_t{5000}, size_t{5121}, size_t{5631}})
    for (size_t start = 0; start < count; start += start < 4990 ? 97 : 1)
      for (const uint32_t length : {kRow, kRow + 1}) {
        std::vector<format::Slot> slots(count, {format::kEmptySlot, 0});
        for (uint32_t i = 0; i < length; ++i) slots[(start + i) % count] = {i, 0};
        ASSERT_EQ(valid_slots(slots, length), length == kRow) << count << ' ' << start;
      }
}

TEST(Tables, memory_is_aligned_to_pages_even_if_empty) {
  for (const size_t size : {0, 1, 4096, 5000, 9 << 20}) {
    const TableMemory memory(size);
    EXPECT_EQ(memory.bytes().size(), size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.bytes().data()) % format::kPageBytes, 0U);
  }
}

}  // namespace
}  // namespace seekless::runtime
