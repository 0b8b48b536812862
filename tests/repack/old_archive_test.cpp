#include "packer/repack/internal/old_archive.h"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/content/zip_builder.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Result<OldArchive> survey(const std::string& bytes) {
  const auto source = std::make_shared<MemorySource>(source_of(bytes));
  const auto directory = read_zip_directory(*source);
  if (!directory) return std::unexpected(directory.error());
  return survey_archive(source, *directory);
}

ZipBuilder two_items() {
  return {.items = {{.name = "a", .content = "first"},
                    {.name = "b", .content = "second", .local_extra = extra_field(0x5455, "t")}}};
}

TEST(OldArchive, knows_where_data_lie) {
  ZipBuilder builder = two_items();
  builder.prefix = "prefix";
  const auto old = survey(builder.build());
  ASSERT_TRUE(old);
  EXPECT_THAT(old->obstacle, IsEmpty());
  EXPECT_EQ(old->prefix_bytes, 6U);
  EXPECT_THAT(old->by_place, ElementsAre(0, 1));
  EXPECT_EQ(old->data_offset_bytes, builder.data_offsets);
  EXPECT_THAT(old->local_extra_bytes, ElementsAre(0, 5));
}

TEST(OldArchive, understands_descriptors_and_padding) {
  ZipBuilder builder = two_items();
  builder.items[0].with_descriptor = true;
  EXPECT_THAT(survey(builder.build())->obstacle, IsEmpty());
}

TEST(OldArchive, is_left_alone_if_not_every_byte_is_understood) {
  ZipBuilder builder = two_items();
  builder.trailing = "more";
  EXPECT_THAT(survey(builder.build())->obstacle, HasSubstr("after its end"));
  builder = two_items();
  builder.before_end = "PK\5\5";
  EXPECT_FALSE(survey(builder.build()).value_or(OldArchive{.obstacle = "x"}).obstacle.empty());
  EXPECT_THAT(survey(ZipBuilder{}.build())->obstacle, HasSubstr("no entries"));
  builder = two_items();
  builder.items[1].flags = 1U << 6 | 1U;
  EXPECT_THAT(survey(builder.build())->obstacle, HasSubstr("encrypted"));
}

TEST(OldArchive, is_left_alone_if_a_signature_covers_it) {
  ZipBuilder builder = two_items();
  std::string bytes = builder.build();
  const std::string block = std::string(40, 's') + "APK Sig Block 42";
  bytes.insert(builder.directory_at, block);
  std::string offset;
  put(offset, builder.directory_at + block.size(), 4);
  bytes.replace(builder.end_at + block.size() + 16, 4, offset);
  EXPECT_THAT(survey(bytes)->obstacle, HasSubstr("a signature over all of its bytes"));
}

TEST(OldArchive, is_left_alone_if_its_directory_lies_in_front) {
  EXPECT_THAT(survey(with_directory_in_front(two_items()))->obstacle, HasSubstr("in front"));
}

TEST(OldArchive, knows_what_stays_at_the_front) {
  const auto first_entries = [](std::vector<std::string> names) {
    ZipBuilder builder;
    for (std::string& name : names) builder.items.push_back({.name = std::move(name)});
    return survey(builder.build())->first_entries;
  };
  EXPECT_EQ(first_entries({"mimetype", "a"}), 1U);
  EXPECT_EQ(first_entries({"META-INF/", "META-INF/MANIFEST.MF", "a", "META-INF/b"}), 2U);
  EXPECT_EQ(first_entries({"meta-inf/manifest.mf", "a"}), 1U);
  EXPECT_EQ(first_entries({"[Content_Types].xml", "_rels/.rels"}), 1U);
  EXPECT_EQ(first_entries({"a", "mimetype"}), 0U);
  EXPECT_EQ(first_entries({"mimetypes", "META-INFO/a"}), 0U);
}

TEST(OldArchive, that_contradicts_its_directory_is_damaged) {
  ZipBuilder builder = two_items();
  std::string bytes = builder.build();
  bytes[builder.header_offsets[1] + 30] = 'c';
  const auto old = survey(bytes);
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().kind, ErrorKind::damaged);
}

}  // namespace
}  // namespace seekless
