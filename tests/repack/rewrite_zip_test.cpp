#include "packer/repack/rewrite_zip.h"

#include <memory>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/content/asset_stream.h"
#include "packer/repack/internal/verify_zip.h"
#include "tests/content/test_folder.h"
#include "tests/content/zip_builder.h"
#include "tests/repack/counting_source.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Rewritten {
  RewriteReport report;
  std::shared_ptr<const ByteSource> source;
  ZipDirectory directory;

  std::string content(size_t index) const {
    auto data = read_local_header(source, directory.entry(index));
    const auto stream = make_entry_stream(data.value());
    std::string text(directory.entry(index).size_bytes, '\0');
    for (size_t at = 0; at < text.size();)
      at += stream->read(std::as_writable_bytes(std::span(text)).subspan(at)).value();
    return text;
  }
  uint64_t data_offset(size_t index) const {
    return read_local_header(source, directory.entry(index))->offset_bytes;
  }
};

class RewriteZip : public testing::Test {
 protected:
  Result<Rewritten> rewrite(const std::string& bytes, std::vector<uint32_t> read_entries,
                            const RewriteOptions& options = {}) {
    const std::string path = folder_.write("old.zip", bytes);
    const std::shared_ptr<const ByteSource> source = open_source(path).value();
    const auto directory = read_zip_directory(*source);
    if (!directory) return std::unexpected(directory.error());
    const auto old = survey_archive(source, *directory);
    if (!old) return std::unexpected(old.error());
    const std::string new_path = folder_.path("new.zip");
    auto report = rewrite_zip(source, *directory, *old, read_entries, options, new_path);
    if (!report) return std::unexpected(report.error());
    const auto reader = SecondReader::open(path, *directory);
    if (!reader) return std::unexpected(reader.error());
    if (auto same =
            verify_zip({source, *directory, *old, *reader, report->hashes}, new_path, *report);
        !same)
      return std::unexpected(same.error());
    std::shared_ptr<const ByteSource> fresh = open_source(new_path).value();
    auto fresh_directory = read_zip_directory(*fresh);
    if (!fresh_directory) return std::unexpected(fresh_directory.error());
    return Rewritten{*std::move(report), std::move(fresh), *std::move(fresh_directory)};
  }

  TestFolder folder_;
};

ZipBuilder three_items() {
  return {.items = {{.name = "a", .content = std::string(5000, 'a')},
                    {.name = "b", .content = std::string(9000, 'b'), .method = 8},
                    {.name = "c", .content = "short"}}};
}

TEST_F(RewriteZip, puts_what_is_read_first_and_keeps_the_directory) {
  const auto done = rewrite(three_items().build(), {2, 1});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_LT(done->data_offset(2), done->data_offset(1));
  EXPECT_LT(done->data_offset(1), done->data_offset(0));
  EXPECT_EQ(done->directory.entry(0).name, "a");
  EXPECT_EQ(done->content(1), std::string(9000, 'b'));
  EXPECT_EQ(done->directory.entry(1).method, zip_method::kStored);
  EXPECT_EQ(done->report.unpacked_entries, 1U);
  EXPECT_EQ(done->data_offset(1) % 4096, 0U);
  EXPECT_EQ(done->report.aligned_entries, 1U);
}

TEST_F(RewriteZip, sorts_the_directory_if_asked) {
  const auto done = rewrite(three_items().build(), {2, 1}, {.sort_directory = true});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(done->report.directory_order, ElementsAre(2, 1, 0));
  EXPECT_EQ(done->directory.entry(0).name, "c");
}

TEST_F(RewriteZip, never_changes_which_of_equal_names_wins) {
  ZipBuilder builder = three_items();
  builder.items.push_back({.name = "A", .content = "last"});
  const auto done = rewrite(builder.build(), {3, 2}, {.sort_directory = true});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(done->report.directory_order, ElementsAre(0, 2, 3, 1));
}

TEST_F(RewriteZip, keeps_compression_if_asked) {
  const auto done = rewrite(three_items().build(), {1}, {.compression = Compression::keep});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->directory.entry(1).method, zip_method::kDeflated);
  EXPECT_EQ(done->content(1), std::string(9000, 'b'));
}

TEST_F(RewriteZip, deflates_by_rule_what_gets_shorter) {
  const auto done = rewrite(three_items().build(), {1}, {.rules = {{"*", Compression::deflate}}});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->directory.entry(0).method, zip_method::kDeflated);
  EXPECT_EQ(done->directory.entry(2).method, zip_method::kStored);
  EXPECT_EQ(done->content(0), std::string(5000, 'a'));
}

TEST_F(RewriteZip, keeps_prefixes_whether_they_are_counted_or_not) {
  for (const bool is_counted : {true, false}) {
    ZipBuilder builder = three_items();
    builder.prefix = std::string(777, 'p');
    builder.offsets_count_prefix = is_counted;
    builder.comment = "words";
    const auto done = rewrite(builder.build(), {1});
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(done->directory.shift_bytes(), is_counted ? 0U : 777U);
    EXPECT_EQ(done->directory.comment(), "words");
    std::string prefix(777, '\0');
    ASSERT_TRUE(done->source->read_at(0, std::as_writable_bytes(std::span(prefix))));
    EXPECT_EQ(prefix, builder.prefix);
  }
}

TEST_F(RewriteZip, refuses_content_that_is_not_what_the_directory_says) {
  ZipBuilder builder = three_items();
  std::string bytes = builder.build();
  bytes[builder.data_offsets[0] + 10] ^= 1;
  const auto stored = rewrite(bytes, {2});
  ASSERT_FALSE(stored);
  EXPECT_THAT(stored.error().message, HasSubstr("CRC-32"));
  EXPECT_EQ(kind_of_path(folder_.path("new.zip")), PathKind::missing);
  bytes = builder.build();
  bytes[builder.data_offsets[1] + 3] ^= 0x55;
  EXPECT_FALSE(rewrite(bytes, {1}));
}

TEST_F(RewriteZip, tells_damage_of_deflated_entries_that_are_copied) {
  ZipBuilder builder = three_items();
  std::string bytes = builder.build();
  bytes[builder.data_offsets[1] + 3] ^= 0x55;
  const auto done = rewrite(bytes, {2});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::damaged);
  EXPECT_THAT(done.error().message, HasSubstr("old.zip: entry 'b'"));
  EXPECT_THAT(done.error().message, HasSubstr("from what is deflated there, found damaged data"));
}

// Their CRC is that of the decrypted content.
TEST_F(RewriteZip, compares_encrypted_entries_as_they_are_stored) {
  for (const uint16_t method : {uint16_t{0}, uint16_t{8}, uint16_t{99}}) {
    ZipBuilder builder = three_items();
    builder.items[0].flags = 1;
    builder.items[0].method = method == 99 ? 0 : method;
    if (method == 99)  // AE-1 with 256 bits, over the stored bytes
      builder.items[0].local_extra = builder.items[0].central_extra =
          extra_field(0x9901, std::string("\1\0AE\3\0\0", 7));
    std::string bytes = builder.build();
    for (const uint64_t crc_at : {builder.header_offsets[0] + 14, builder.record_offsets[0] + 16})
      bytes[crc_at] ^= 0x55;
    if (method == 99)
      for (const uint64_t at : {builder.header_offsets[0] + 8, builder.record_offsets[0] + 10})
        bytes[at] = 99;
    const auto done = rewrite(bytes, {2, 0});
    ASSERT_TRUE(done) << method << done.error().message;
    EXPECT_EQ(done->directory.entry(0).method, method);
    EXPECT_EQ(done->report.unpacked_entries, 0U);
    const uint64_t offset =
        30 + 1 + done->directory.entry(0).header_offset_bytes;  // no extra field, unless aligned
    std::string header(2, '\0');
    ASSERT_TRUE(done->source->read_at(offset - 3, std::as_writable_bytes(std::span(header))));
    std::string data(done->directory.entry(0).stored_bytes, '\0');
    const auto extra =
        static_cast<unsigned char>(header[0]) + 256U * static_cast<unsigned char>(header[1]);
    ASSERT_TRUE(done->source->read_at(offset + extra, std::as_writable_bytes(std::span(data))));
    EXPECT_EQ(data, bytes.substr(builder.data_offsets[0], data.size()));
  }
}

TEST_F(RewriteZip, keeps_what_belongs_in_front) {
  for (const bool is_deflating : {false, true}) {
    ZipBuilder builder = {
        .items = {{.name = "mimetype", .content = "application/epub+zip"},
                  {.name = "META-INF/"},
                  {.name = "META-INF/MANIFEST.MF", .content = std::string(9000, 'm'), .method = 8},
                  {.name = "a", .content = std::string(9000, 'a')},
                  {.name = "META-INF/late", .content = "not in front"},
                  {.name = "b", .content = std::string(9000, 'b')}}};
    RewriteOptions options;
    if (is_deflating) options.rules = {{"*", Compression::deflate}};
    options.alignment.is_for_all = true;
    const auto done = rewrite(builder.build(), {5, 4, 2, 0}, options);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(done->data_offset(0), 38U);
    EXPECT_EQ(done->directory.entry(0).method, zip_method::kStored);
    EXPECT_LT(done->data_offset(0), done->data_offset(1));
    EXPECT_LT(done->data_offset(1), done->data_offset(2));
    EXPECT_LT(done->data_offset(2), done->data_offset(5));
    EXPECT_LT(done->data_offset(5), done->data_offset(4));
    EXPECT_LT(done->data_offset(4), done->data_offset(3));
    EXPECT_EQ(done->directory.entry(2).method, zip_method::kDeflated);
    EXPECT_EQ(done->report.read_entries, 4U);
  }
}

TEST_F(RewriteZip, keeps_the_alignment_of_stored_entries) {
  for (const uint64_t page_bytes : {4096, 16384}) {
    // zipalign puts everything at multiples of 4, and libraries at pages.
    ZipBuilder builder;
    uint64_t at = 0;
    const auto add = [&](const std::string& name, size_t size, uint64_t align_bytes) {
      const uint64_t begin = at + 30 + name.size() + 6;
      const uint64_t padding = (align_bytes - begin % align_bytes) % align_bytes;
      builder.items.push_back({.name = name,
                               .content = std::string(size, name[0]),
                               .local_extra = extra_field(
                                   0xD935, std::string("\4\0", 2) + std::string(padding, '\0'))});
      at = begin + padding + size;
    };
    add("resources.arsc", 1001, 4);
    add("lib/a.so", 5003, page_bytes);
    add("lib/b.so", 25005, page_bytes);
    add("lib/c.so", 5007, page_bytes);
    add("c.ogg", 333, 4);
    builder.items.push_back({.name = "dex", .content = std::string(777, 'd'), .method = 8});
    const auto done = rewrite(builder.build(), {5, 4, 0}, {.alignment = {.bytes = 1}});
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(done->directory.entry(5).method, zip_method::kStored);
    for (const size_t i : {0, 4, 5}) EXPECT_EQ(done->data_offset(i) % 4, 0U) << i;
    for (const size_t i : {1, 2, 3}) EXPECT_EQ(done->data_offset(i) % page_bytes, 0U) << i;
  }
}

TEST_F(RewriteZip, aligns_nothing_where_nothing_was_aligned) {
  ZipBuilder builder = three_items();
  const auto done = rewrite(builder.build(), {2}, {.alignment = {.bytes = 1}});
  ASSERT_TRUE(done) << done.error().message;
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(done->data_offset(i), done->directory.entry(i).header_offset_bytes + 31) << i;
}

TEST_F(RewriteZip, passes_over_orders_that_name_no_entry_or_one_twice) {
  const auto done = rewrite(three_items().build(), {2, 2, 99});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->directory.entry_count(), 3U);
}

TEST_F(RewriteZip, fetches_entries_in_their_old_order_unless_the_archive_was_fetched_whole) {
  ZipBuilder zip;
  for (int i = 0; i < 30; ++i)
    zip.items.push_back({.name = std::to_string(i), .content = std::string(100'000, 'a')});
  const std::string bytes = zip.build();
  std::vector<uint32_t> backwards(zip.items.size());
  for (uint32_t i = 0; i < backwards.size(); ++i) backwards[i] = 29 - i;
  for (const bool is_fetched : {false, true}) {
    const auto all = std::as_bytes(std::span(bytes));
    const auto source = std::make_shared<CountingSource>(std::vector(all.begin(), all.end()));
    const auto directory = read_zip_directory(*source).value();
    auto old = survey_archive(source, directory).value();
    old.is_fetched = is_fetched;
    source->places.clear();
    source->read_bytes = 0;
    ASSERT_TRUE(rewrite_zip(source, directory, old, backwards, {}, folder_.path("new.zip")));
    if (is_fetched) {
      EXPECT_LT(source->read_bytes, bytes.size() * 3 / 2);
    } else {
      EXPECT_GT(source->read_bytes, bytes.size() * 2);
      EXPECT_THAT(std::span(source->places).first(3), ElementsAre(0, 128 << 10, 256 << 10));
    }
  }
}

TEST_F(RewriteZip, of_a_damaged_new_file_is_not_verified) {
  const std::string bytes = three_items().build();
  const std::string path = folder_.write("old.zip", bytes);
  const std::shared_ptr<const ByteSource> source = open_source(path).value();
  const auto directory = read_zip_directory(*source).value();
  const auto old = survey_archive(source, directory).value();
  const std::string new_path = folder_.path("new.zip");
  const std::vector<uint32_t> read = {1};
  const auto report = rewrite_zip(source, directory, old, read, {}, new_path);
  ASSERT_TRUE(report);
  const auto reader = SecondReader::open(path, directory);
  ASSERT_TRUE(reader);
  const std::string good = read_text(new_path, 1 << 20).value();
  const auto fresh = std::make_shared<MemorySource>(source_of(good));
  const auto fresh_directory = read_zip_directory(*fresh).value();
  for (size_t i = 0; i < fresh_directory.entry_count(); ++i) {
    const ZipEntry entry = fresh_directory.entry(i);
    std::vector<uint64_t> places;
    // Signature, method, CRC, sizes, length of the name, name: in the local header and the record.
    for (const uint64_t field : {0, 8, 14, 18, 22, 26, 30})
      places.push_back(entry.header_offset_bytes + field);
    for (const uint64_t field : {0, 10, 12, 16, 20, 24, 28, 38, 42, 46})
      places.push_back(entry.record_offset_bytes + field);
    const uint64_t data = read_local_header(fresh, entry)->offset_bytes;
    for (uint64_t at = 0; at < entry.stored_bytes; at += 531) places.push_back(data + at);
    for (const uint64_t at : places) {
      std::string bad = good;
      bad[at] ^= 0x20;
      folder_.write("new.zip", bad);
      EXPECT_FALSE(verify_zip({source, directory, old, *reader, report->hashes}, new_path, *report))
          << at;
    }
  }
}

}  // namespace
}  // namespace seekless
