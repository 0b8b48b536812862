// Tests that archives with a byte missing or changed give an error, or exactly the sound archive's
// content.
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "packer/content/asset_stream.h"
#include "packer/content/zip_directory.h"
#include "tests/content/zip_builder.h"

namespace seekless {
namespace {

using Files = std::map<std::string, std::string>;

Result<std::string> content_of(std::shared_ptr<const ByteSource> source, const ZipEntry& entry) {
  if (auto readable =
          check_readable(source->name(), place_of(entry), entry.method, entry.is_encrypted());
      !readable)
    return std::unexpected(readable.error());
  auto data = read_local_header(std::move(source), entry);
  if (!data) return std::unexpected(data.error());
  const auto stream = make_entry_stream(*std::move(data));
  std::string content;
  std::byte piece[100];
  for (;;) {
    const auto got = stream->read(piece);
    if (!got) return std::unexpected(got.error());
    if (*got == 0) return content;
    content.append(reinterpret_cast<const char*>(piece), *got);
  }
}

// Returns all files of the archive, or the first error.
Result<Files> unpack(std::string_view bytes) {
  const auto source = std::make_shared<MemorySource>(source_of(bytes));
  const auto directory = read_zip_directory(*source);
  if (!directory) return std::unexpected(directory.error());
  Files files;
  for (size_t i = 0; i < directory->entry_count(); ++i) {
    const ZipEntry entry = directory->entry(i);
    if (entry.is_directory) continue;
    auto content = content_of(source, entry);
    if (!content) return std::unexpected(content.error());
    files[entry.name] = *std::move(content);
  }
  return files;
}

std::vector<std::string> samples() {
  const std::vector<ZipItem> items = {
      {.name = "stored.txt", .content = "some stored text"},
      {.name = "dir/"},
      {.name = "dir/deflated", .content = std::string(300, 'd') + "end", .method = 8},
      {.name = "descriptor", .content = "0123456789", .method = 8, .with_descriptor = true},
      {.name = "extra",
       .content = "x",
       .local_extra = extra_field(9, "local"),
       .central_extra = extra_field(9, "central"),
       .comment = "comment"}};
  ZipBuilder plain{.items = items};
  ZipBuilder wide{.items = items};
  wide.comment = "PK\5\6 a comment";
  wide.with_zip64_end = true;
  for (ZipItem& item : wide.items) item.with_zip64 = !item.with_descriptor;
  ZipBuilder shifted{.items = items};
  shifted.prefix = "MZ prefix";
  return {plain.build(), wide.build(), shifted.build(), ZipBuilder{}.build()};
}

TEST(ZipRobustness, every_truncation_is_an_error) {
  for (const std::string& zip : samples()) {
    ASSERT_TRUE(unpack(zip)) << unpack(zip).error().message;
    for (size_t size = 0; size < zip.size(); ++size) {
      const auto files = unpack(std::string_view(zip).substr(0, size));
      ASSERT_FALSE(files) << size << " of " << zip.size();
      ASSERT_EQ(files.error().kind, ErrorKind::damaged);
    }
  }
}

// Returns the byte with each bit flipped, with no bit set, and with all bits set.
std::vector<char> changes_of(char byte) {
  std::vector<char> changes = {'\0', '\xff'};
  for (int bit = 0; bit < 8; ++bit) changes.push_back(static_cast<char>(byte ^ (1 << bit)));
  return changes;
}

TEST(ZipRobustness, every_changed_byte_is_an_error_or_changes_nothing) {
  for (const std::string& zip : samples()) {
    const Files sound = *unpack(zip);
    size_t errors = 0;
    for (size_t at = 0; at < zip.size(); ++at)
      for (const char value : changes_of(zip[at])) {
        std::string changed = zip;
        changed[at] = value;
        const auto files = unpack(changed);
        errors += files ? 0 : 1;
        if (files) {
          ASSERT_EQ(*files, sound) << "byte " << at << " is " << +value;
        }
      }
    EXPECT_GT(errors, zip.size());
  }
}

TEST(ZipRobustness, every_byte_left_out_or_doubled_is_an_error_or_changes_nothing) {
  for (const std::string& zip : samples()) {
    const Files sound = *unpack(zip);
    for (size_t at = 0; at < zip.size(); ++at) {
      std::string shorter = zip;
      shorter.erase(at, 1);
      std::string longer = zip;
      longer.insert(at, 1, zip[at]);
      for (const std::string& changed : {shorter, longer})
        if (const auto files = unpack(changed)) {
          ASSERT_EQ(*files, sound) << "byte " << at;
        }
    }
  }
}

}  // namespace
}  // namespace seekless
