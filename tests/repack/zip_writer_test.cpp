#include "packer/repack/internal/zip_writer.h"

#include <gtest/gtest.h>

#include "packer/repack/internal/extra_fields.h"
#include "runtime/zip_fields.h"
#include "tests/content/zip_builder.h"

namespace seekless {
namespace {

ZipEntry entry_of(uint64_t size_bytes) {
  ZipEntry entry;
  entry.name = entry.raw_name = "name";
  entry.size_bytes = entry.stored_bytes = size_bytes;
  entry.crc32 = 0x12345678;
  return entry;
}

WrittenEntry written_of(const ZipEntry& entry, uint64_t offset_bytes = 0) {
  return {.offset_bytes = offset_bytes, .stored_bytes = entry.stored_bytes};
}

TEST(ZipWriter, aligns_data_by_a_well_formed_field_from_any_place) {
  const ZipEntry entry = entry_of(9000);
  const std::string time = extra_field(0x5455, "time");
  for (uint64_t at = 0; at < 200; ++at)
    for (const uint32_t align : {2U, 4U, 64U, 4096U, 32768U}) {
      const std::string header = local_header(entry, written_of(entry), time, at, align);
      EXPECT_EQ((at + header.size()) % align, 0U);
      const std::string extra = header.substr(kLocalHeaderBytes + 4);
      EXPECT_EQ(load<uint16_t>(bytes_of(header), 28), extra.size());
      EXPECT_TRUE(kept_extra(extra).is_well_formed);
      EXPECT_EQ(kept_extra(extra).bytes, time);
    }
}

TEST(ZipWriter, aligns_nothing_where_the_field_has_no_room_or_would_not_be_found) {
  const ZipEntry entry = entry_of(9000);
  const std::string full = extra_field(0x5455, std::string(65500, 'x'));
  EXPECT_EQ(local_header(entry, written_of(entry), full, 1, 4096).size(), 34 + full.size());
  const std::string broken("\x55\x54\xff\xff", 4);
  EXPECT_EQ(local_header(entry, written_of(entry), broken, 1, 4096).size(), 38U);
}

TEST(ZipWriter, uses_zip64_from_the_saturated_value_on) {
  for (const uint64_t size : {uint64_t{UINT32_MAX} - 1, uint64_t{UINT32_MAX}}) {
    const ZipEntry entry = entry_of(size);
    const bool is_wide = size == UINT32_MAX;
    const std::string header = local_header(entry, written_of(entry), "", 0, 0);
    EXPECT_EQ(header.size(), is_wide ? 54U : 34U);
    EXPECT_EQ(load<uint32_t>(bytes_of(header), 22), size);
    std::string record;
    append_record(record, entry, written_of(entry, size));
    EXPECT_EQ(record.size(), is_wide ? 50U + 28U : 50U);
    EXPECT_EQ(load<uint16_t>(bytes_of(record), 6), is_wide ? 45 : 0);
  }
}

TEST(ZipWriter, uses_a_zip64_end_only_where_it_is_needed) {
  EXPECT_EQ(end_records({.entry_count = 65535}).size(), 22U);
  EXPECT_EQ(end_records({.entry_count = 65536}).size(), 22U + 76U);
  EXPECT_EQ(end_records({.directory_offset_bytes = UINT32_MAX}).size(), 22U + 76U);
  const std::string end = end_records({.entry_count = 1, .comment = "words"});
  EXPECT_TRUE(end.ends_with("words"));
  EXPECT_EQ(load<uint16_t>(bytes_of(end), 20), 5);
}

TEST(ZipWriter, describes_data_in_the_width_that_they_need) {
  EXPECT_EQ(data_descriptor(entry_of(5), written_of(entry_of(5))).size(), 16U);
  const ZipEntry wide = entry_of(UINT32_MAX);
  EXPECT_EQ(data_descriptor(wide, written_of(wide)).size(), 24U);
}

}  // namespace
}  // namespace seekless
