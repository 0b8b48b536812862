#include "packer/content/zip_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/content/zip_builder.h"

namespace seekless {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Result<ZipDirectory> directory_of(std::string_view bytes) {
  return read_zip_directory(source_of(bytes));
}

std::string fault_of(std::string_view bytes) {
  const auto directory = directory_of(bytes);
  if (directory) return "no fault";
  EXPECT_EQ(directory.error().kind, ErrorKind::damaged);
  return directory.error().message;
}

ZipEntry only_entry(ZipItem item) {
  ZipBuilder zip{.items = {std::move(item)}};
  static std::vector<ZipDirectory> kept;  // the entry's views point into it
  auto directory = directory_of(zip.build());
  EXPECT_TRUE(directory) << directory.error().message;
  if (!directory) return {};
  kept.push_back(*std::move(directory));
  return kept.back().entry(0);
}

TEST(ZipDirectory, gives_every_field_of_an_entry) {
  ZipBuilder zip = two_files();
  zip.items[1].comment = "a comment";
  zip.items[1].central_extra = extra_field(0x5455, "abcde");
  zip.items[1].external_attributes = 0x81A40000;
  zip.comment = "of the archive";
  const auto directory = directory_of(zip.build());
  ASSERT_TRUE(directory) << directory.error().message;
  ASSERT_EQ(directory->entry_count(), 2U);
  EXPECT_EQ(directory->comment(), "of the archive");
  EXPECT_EQ(directory->offset_bytes(), zip.directory_at);
  EXPECT_EQ(directory->end_offset_bytes(), zip.end_at);
  EXPECT_EQ(directory->size_bytes(), zip.end_at - zip.directory_at);
  const ZipEntry entry = directory->entry(1);
  EXPECT_EQ(entry.name, "b/c.txt");
  EXPECT_EQ(entry.raw_name, "b/c.txt");
  EXPECT_EQ(entry.raw_comment, "a comment");
  EXPECT_EQ(entry.raw_extra, extra_field(0x5455, "abcde"));
  EXPECT_EQ(entry.size_bytes, 1000U);
  EXPECT_EQ(entry.stored_bytes, deflate(std::string(1000, 'x')).size());
  EXPECT_EQ(entry.crc32, crc32_of(std::string(1000, 'x')));
  EXPECT_EQ(entry.header_offset_bytes, zip.header_offsets[1]);
  EXPECT_EQ(entry.record_offset_bytes, zip.record_offsets[1]);
  EXPECT_EQ(entry.limit_bytes, zip.directory_at);
  EXPECT_EQ(directory->entry(0).limit_bytes, zip.header_offsets[1]);
  EXPECT_EQ(entry.external_attributes, 0x81A40000U);
  EXPECT_EQ(entry.version_made_by, 0x031E);
  EXPECT_EQ(entry.version_needed, 20);
  EXPECT_EQ(entry.method, zip_method::kDeflated);
  EXPECT_EQ(entry.dos_time, 0x6B43);
  EXPECT_EQ(entry.dos_date, 0x5A21);
  EXPECT_FALSE(entry.is_directory);
  EXPECT_FALSE(entry.is_encrypted());
}

TEST(ZipDirectory, reads_an_empty_archive) {
  const auto directory = directory_of(ZipBuilder{.comment = "nothing"}.build());
  ASSERT_TRUE(directory) << directory.error().message;
  EXPECT_EQ(directory->entry_count(), 0U);
  EXPECT_EQ(directory->comment(), "nothing");
}

TEST(ZipDirectory, reads_zip64) {
  ZipBuilder zip = two_files();
  zip.with_zip64_end = true;
  zip.items[0].with_zip64 = true;
  const auto directory = directory_of(zip.build());
  ASSERT_TRUE(directory) << directory.error().message;
  EXPECT_TRUE(directory->is_zip64());
  EXPECT_EQ(directory->entry(0).size_bytes, 5U);
  EXPECT_EQ(directory->entry(0).stored_bytes, 5U);
  EXPECT_EQ(directory->entry(0).header_offset_bytes, 0U);
}

TEST(ZipDirectory, reads_zip64_behind_a_prefix) {
  ZipBuilder zip = two_files();
  zip.prefix = std::string(777, '#');
  zip.with_zip64_end = true;
  const auto directory = directory_of(zip.build());
  ASSERT_TRUE(directory) << directory.error().message;
  EXPECT_EQ(directory->shift_bytes(), 777U);
  EXPECT_EQ(directory->entry(1).header_offset_bytes, zip.header_offsets[1]);
}

TEST(ZipDirectory, shifts_offsets_by_a_prefix_that_they_dont_count) {
  for (const bool counted : {false, true}) {
    ZipBuilder zip = two_files();
    zip.prefix = "#!/bin/sh\nexec unzip\n";
    zip.offsets_count_prefix = counted;
    const auto directory = directory_of(zip.build());
    ASSERT_TRUE(directory) << directory.error().message;
    EXPECT_EQ(directory->shift_bytes(), counted ? 0U : zip.prefix.size());
    EXPECT_EQ(directory->entry(0).header_offset_bytes, zip.prefix.size());
  }
}

TEST(ZipDirectory, finds_the_directory_where_the_end_record_says_if_something_lies_between) {
  ZipBuilder zip = two_files();
  zip.before_end = std::string(20, 'z');
  const auto directory = directory_of(zip.build());
  ASSERT_TRUE(directory) << directory.error().message;
  EXPECT_EQ(directory->entry_count(), 2U);
}

TEST(ZipDirectory, is_not_fooled_by_end_records_in_the_comment) {
  const std::string empty = ZipBuilder{}.build();
  std::string exact = "PK\5\6";  // claims the comment's last bytes as its own comment
  put(exact, 0x7777777777777777, 8);
  put(exact, 0x1111111111111111, 8);
  exact[4] = exact[5] = exact[6] = exact[7] = '\0';
  exact.resize(20);
  put(exact, 3, 2);
  for (const std::string& comment : {std::string("PK\5\6"), std::string("text PK\5\6 text"),
                                     "x" + empty, empty + "y", exact + "end"}) {
    ZipBuilder zip = two_files();
    zip.comment = comment;
    const auto directory = directory_of(zip.build());
    ASSERT_TRUE(directory) << directory.error().message;
    EXPECT_EQ(directory->entry_count(), 2U);
    EXPECT_EQ(directory->comment(), comment);
  }
}

TEST(ZipDirectory, reads_the_longest_comment) {
  ZipBuilder zip = two_files();
  zip.comment = std::string(65535, 'c');
  EXPECT_TRUE(directory_of(zip.build()));
}

TEST(ZipDirectory, passes_over_trailing_bytes_up_to_the_limit_of_a_comment) {
  ZipBuilder zip = two_files();
  zip.trailing = std::string(65535, '\0');
  const auto directory = directory_of(zip.build());
  ASSERT_TRUE(directory) << directory.error().message;
  EXPECT_EQ(directory->trailing_bytes(), 65535U);
  ZipBuilder longer = two_files();
  longer.trailing = std::string(65536, '\0');
  EXPECT_THAT(fault_of(longer.build()), HasSubstr("expected the end record of a zip archive"));
}

TEST(ZipDirectory, refuses_an_archive_whose_end_is_that_of_an_archive_inside_it) {
  const std::string inner = two_files().build();
  ZipBuilder zip{.items = {{.name = "inner.zip", .content = inner}, {.name = "b"}}};
  const std::string bytes = zip.build();
  for (const uint64_t cut : {zip.header_offsets[1], zip.header_offsets[1] + 3, zip.end_at})
    EXPECT_THAT(fault_of(bytes.substr(0, cut)), HasSubstr("that of another that starts at byte"));
}

TEST(ZipDirectory, lists_what_cant_be_unpacked) {
  const ZipEntry encrypted = only_entry({.name = "a", .flags = zip_flag::kEncrypted});
  const auto refused =
      check_readable("x.zip", place_of(encrypted), encrypted.method, encrypted.is_encrypted());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("x.zip: entry 'a' at byte 0"), HasSubstr("found an encrypted one")));
  const ZipEntry lzma = only_entry({.name = "b", .method = 14});
  const auto unknown = check_readable("x.zip", place_of(lzma), lzma.method, lzma.is_encrypted());
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("found LZMA"));
}

TEST(ZipDirectory, refuses_split_archives) {
  ZipBuilder zip = two_files();
  zip.disk = 1;
  EXPECT_THAT(fault_of(zip.build()), HasSubstr("part 2 of a split archive"));
  ZipBuilder entry = two_files();
  entry.items[0].disk = 3;
  EXPECT_THAT(fault_of(entry.build()), HasSubstr("in another part of a split one"));
}

TEST(ZipDirectory, refuses_a_directory_outside_the_file) {
  ZipBuilder zip = two_files();
  zip.directory_offset = 0x7FFFFFFF;
  EXPECT_THAT(fault_of(zip.build()), HasSubstr("byte 2147483647 claimed"));
  ZipBuilder size = two_files();
  size.directory_size = 0x7FFFFFFF;
  EXPECT_THAT(fault_of(size.build()), HasSubstr("found one of 2147483647 bytes"));
}

TEST(ZipDirectory, refuses_a_wrong_signature_in_the_directory) {
  for (const size_t record : {0, 1}) {
    ZipBuilder zip = two_files();
    std::string bytes = zip.build();
    bytes[zip.record_offsets[record]] = 'X';
    EXPECT_THAT(fault_of(bytes),
                HasSubstr(record == 0 ? "no record of one there" : "found 0x02014b58"));
  }
}

TEST(ZipDirectory, refuses_counts_that_dont_fit) {
  for (const uint16_t count : {0, 1, 3}) {
    ZipBuilder zip = two_files();
    zip.count = count;
    EXPECT_THAT(fault_of(zip.build()), HasSubstr("entries"));
  }
}

TEST(ZipDirectory, reads_more_entries_than_the_old_count_can_tell) {
  ZipBuilder zip;
  for (int i = 0; i < 65537; ++i) zip.items.push_back({.name = "f" + std::to_string(i)});
  const auto wrapped = directory_of(zip.build());
  ASSERT_TRUE(wrapped) << wrapped.error().message;
  EXPECT_EQ(wrapped->entry_count(), 65537U);
  EXPECT_EQ(wrapped->entry(65536).name, "f65536");
}

TEST(ZipDirectory, refuses_entries_that_overlap) {
  ZipBuilder same = two_files();
  same.items[1] = same.items[0];
  same.items[1].offset = 0;
  EXPECT_THAT(fault_of(same.build()), HasSubstr("over that entry"));
  // One entry's data contain the other entry.
  ZipBuilder inside = two_files();
  inside.items[0].stored = inside.items[0].size = 40;
  EXPECT_THAT(fault_of(inside.build()),
              AllOf(HasSubstr("entry 'a.txt' at byte 0"), HasSubstr("data up to byte 75")));
}

TEST(ZipDirectory, refuses_entries_over_the_directory_or_beyond) {
  for (const uint32_t offset : {50U, 0x7FFFFFFFU}) {
    ZipBuilder zip{.items = {{.name = "a", .content = "first", .offset = offset}}};
    EXPECT_THAT(fault_of(zip.build()), HasSubstr("entry 'a'"));
  }
  ZipBuilder data{.items = {{.name = "a", .content = "first", .stored = 6, .size = 6}}};
  EXPECT_THAT(fault_of(data.build()), HasSubstr("found a header of 31 and data of 6"));
}

TEST(ZipDirectory, refuses_impossible_sizes) {
  ZipBuilder stored{.items = {{.name = "a", .content = "first", .size = 6}}};
  EXPECT_THAT(fault_of(stored.build()), HasSubstr("expected 5 bytes, as they are stored"));
  ZipBuilder bomb{.items = {{.name = "a", .content = "first", .method = 8, .size = 1032 * 100}}};
  EXPECT_THAT(fault_of(bomb.build()), HasSubstr("the most that deflate can do"));
  ZipBuilder most{.items = {{.name = "a", .content = std::string(1 << 20, '\0'), .method = 8}}};
  EXPECT_TRUE(directory_of(most.build()));
}

TEST(ZipDirectory, refuses_a_zip64_field_that_is_too_short) {
  ZipBuilder zip{.items = {{.name = "a",
                            .central_extra = extra_field(1, "12345678"),
                            .stored = UINT32_MAX,
                            .size = UINT32_MAX}}};
  EXPECT_THAT(fault_of(zip.build()), HasSubstr("expected a zip64 extra field with"));
}

TEST(ZipDirectory, refuses_a_record_that_runs_over_the_directorys_end) {
  ZipBuilder zip = two_files();
  std::string bytes = zip.build();
  bytes[zip.record_offsets[1] + 32] = 1;  // length of the comment
  EXPECT_THAT(fault_of(bytes), HasSubstr("found 53 to the directory's end"));
}

// A huge source. The parser may not read in proportion to its claim, which is 1 TB here.
class HugeSource final : public ByteSource {
 public:
  explicit HugeSource(std::string end) : end_(std::move(end)) {}
  const std::string& name() const override { return name_; }
  uint64_t size_bytes() const override { return (1ULL << 40) + end_.size(); }
  Result<void> read_at(uint64_t offset_bytes, std::span<std::byte> into) const override {
    read_bytes_ += into.size();
    for (size_t i = 0; i < into.size(); ++i) {
      const uint64_t at = offset_bytes + i;
      into[i] = at >= (1ULL << 40) ? static_cast<std::byte>(end_[at - (1ULL << 40)])
                : at < 4           ? static_cast<std::byte>("PK\1\2"[at])
                                   : std::byte{0};
    }
    return {};
  }
  mutable uint64_t read_bytes_ = 0;

 private:
  std::string name_ = "huge.zip";
  std::string end_;
};

TEST(ZipDirectory, takes_memory_for_what_is_there_and_not_for_what_is_claimed) {
  std::string end = "PK\6\6";
  put(end, 44, 8);
  put(end, 45, 4);
  put(end, 0, 8);
  put(end, 1ULL << 34, 8);
  put(end, 1ULL << 34, 8);
  put(end, 1ULL << 40, 8);
  put(end, 0, 8);
  end += "PK\6\7";
  put(end, 0, 4);
  put(end, 1ULL << 40, 8);
  put(end, 1, 4);
  end += "PK\5\6";
  put(end, 0, 4);
  put(end, UINT64_MAX, 8);
  put(end, UINT32_MAX, 4);
  put(end, 0, 2);
  const HugeSource source(end);
  const auto directory = read_zip_directory(source);
  ASSERT_FALSE(directory);
  EXPECT_LT(source.read_bytes_, 3U << 20);
}

TEST(LooksLikeZip, goes_by_content) {
  const auto looks = [](std::string_view bytes) {
    return *looks_like_zip(source_of(bytes, "x.y"));
  };
  ZipBuilder zip = two_files();
  const std::string bytes = zip.build();
  EXPECT_TRUE(looks(bytes));
  EXPECT_TRUE(looks(ZipBuilder{}.build()));
  EXPECT_TRUE(looks("MZ self-extractor " + bytes));
  EXPECT_TRUE(looks("MZ self-extractor " + bytes + "trailing"));
  EXPECT_TRUE(looks(bytes.substr(0, 50)));  // damaged
  std::string broken = "MZ" + bytes;
  broken[2 + zip.record_offsets[0]] = 'X';
  EXPECT_TRUE(looks(broken));
  EXPECT_FALSE(looks(""));
  EXPECT_FALSE(looks("PK"));
  EXPECT_FALSE(looks("some text with PK in it"));
  EXPECT_FALSE(looks("text PK\3\4 text PK\5\6 and more text after it, long enough for a record"));
  EXPECT_FALSE(looks("text" + ZipBuilder{}.build()));
}

}  // namespace
}  // namespace seekless
