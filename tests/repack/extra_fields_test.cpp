#include "packer/repack/internal/extra_fields.h"

#include <gtest/gtest.h>

#include "runtime/zip_fields.h"
#include "tests/content/zip_builder.h"

namespace seekless {
namespace {

TEST(ExtraFields, keep_what_says_nothing_of_the_place) {
  const std::string time = extra_field(0x5455, "time");
  const std::string owner = extra_field(0x7875, "owner");
  const KeptExtra kept = kept_extra(time + extra_field(1, "12345678") + owner +
                                    extra_field(kAlignmentField, std::string(9, '\0')));
  EXPECT_EQ(kept.bytes, time + owner);
  EXPECT_TRUE(kept.is_well_formed);
}

TEST(ExtraFields, drop_padding_of_zeros_and_keep_what_is_malformed) {
  const std::string time = extra_field(0x5455, "time");
  EXPECT_EQ(kept_extra(time + std::string(3, '\0')).bytes, time);
  EXPECT_TRUE(kept_extra(time + std::string(3, '\0')).is_well_formed);
  const std::string broken = time + std::string("\x55\x54\xff\xff", 4);
  EXPECT_EQ(kept_extra(broken).bytes, broken);
  EXPECT_FALSE(kept_extra(broken).is_well_formed);
}

TEST(ExtraFields, of_every_length_are_taken_without_harm) {
  const std::string fields = extra_field(0x5455, "time") + extra_field(1, "12345678");
  for (size_t length = 0; length <= fields.size(); ++length)
    EXPECT_LE(kept_extra(fields.substr(0, length)).bytes.size(), length);
}

TEST(ExtraFields, pad_by_a_field_of_the_length_asked_for) {
  for (const size_t length : {size_t{6}, size_t{7}, size_t{4101}}) {
    const std::string field = alignment_field(length, 4096);
    EXPECT_EQ(field.size(), length);
    const auto data = runtime::find_extra_field(field, kAlignmentField);
    ASSERT_TRUE(data.has_value());
    EXPECT_EQ(data->size(), length - 4);
    EXPECT_EQ(load<uint16_t>(*data, 0), 4096);
  }
}

}  // namespace
}  // namespace seekless
