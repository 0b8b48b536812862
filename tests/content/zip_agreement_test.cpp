// The packer and the reader have a parser of zips each: here they get the same files, and must
// agree on what is a zip, on its entries, and on where their bytes lie.
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "packer/content/zip_directory.h"
#include "runtime/zip_directory.h"
#include "tests/content/zip_builder.h"

namespace seekless {
namespace {

class Bytes final : public runtime::File {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}
  const std::string& name() const override { return name_; }
  uint64_t size_bytes() const override { return bytes_.size(); }
  runtime::Result<void> read_at(uint64_t offset_bytes, std::span<std::byte> into) const override {
    if (offset_bytes > bytes_.size() || into.size() > bytes_.size() - offset_bytes)
      return runtime::damaged("the end", offset_bytes);
    if (into.empty()) return {};
    std::memcpy(into.data(), bytes_.data() + offset_bytes, into.size());
    return {};
  }
  void will_need(uint64_t, uint64_t) const override {}

 private:
  std::string_view bytes_;
  std::string name_ = "a.zip";
};

ZipBuilder two_files() {
  return {.items = {{.name = "a.txt", .content = "first"},
                    {.name = "b/c.txt", .content = std::string(1000, 'x'), .method = 8}}};
}

// What both find: a line for each entry, or "damaged".
std::string seen_by_packer(std::string_view bytes) {
  const auto source = source_of(bytes);
  const auto directory = read_zip_directory(source);
  if (!directory) return "damaged";
  std::string seen;
  for (size_t i = 0; i < directory->entry_count(); ++i) {
    const ZipEntry entry = directory->entry(i);
    seen += std::string(entry.name) + " " + std::to_string(entry.header_offset_bytes) + " " +
            std::to_string(entry.stored_bytes) + "\n";
  }
  return seen;
}

std::string seen_by_reader(std::string_view bytes) {
  const Bytes file(bytes);
  const auto directory = runtime::read_zip_directory(file, {});
  if (!directory) return "damaged";
  std::string seen;
  for (const runtime::ZipEntry& entry : directory->entries) {
    EXPECT_TRUE(runtime::find_zip_data(file, *directory, entry)) << entry.path;
    seen += entry.path + " " + std::to_string(entry.header_offset_bytes) + " " +
            std::to_string(entry.stored_bytes) + "\n";
  }
  return seen;
}

void expect_agreement(std::string_view bytes, bool is_sound, const char* what) {
  EXPECT_EQ(seen_by_packer(bytes), seen_by_reader(bytes)) << what;
  EXPECT_EQ(seen_by_reader(bytes) != "damaged", is_sound) << what;
  if (!is_sound) return;
  const auto is_one = looks_like_zip(source_of(bytes));
  ASSERT_TRUE(is_one);
  EXPECT_EQ(*is_one, runtime::is_zip(Bytes(bytes))) << what;
}

TEST(ZipAgreement, bytes_before_the_zip_and_after_it) {
  for (const bool counted : {false, true})
    for (const bool wide : {false, true})
      for (const char* trailing : {"", "\n", "some bytes of a download"}) {
        ZipBuilder zip = two_files();
        zip.prefix = "MZ, the program that unpacks it";
        zip.offsets_count_prefix = counted;
        zip.with_zip64_end = wide;
        zip.trailing = trailing;
        const std::string bytes = zip.build();
        expect_agreement(bytes, true, trailing);
        EXPECT_NE(seen_by_reader(bytes), "");
      }
}

TEST(ZipAgreement, comments_that_look_like_an_end) {
  ZipBuilder empty;
  const std::string end = empty.build();
  ZipBuilder zip = two_files();
  zip.comment = "before " + end;
  expect_agreement(zip.build(), true, "an empty end at the end of the comment");
  zip.comment = end + " after";
  expect_agreement(zip.build(), true, "an empty end within the comment");
  zip.comment = std::string(65535, 'c');
  expect_agreement(zip.build(), true, "the longest comment");
}

TEST(ZipAgreement, what_is_cut_short) {
  const std::string whole = two_files().build();
  for (size_t length = 0; length < whole.size(); ++length)
    EXPECT_EQ(seen_by_packer(whole.substr(0, length)), seen_by_reader(whole.substr(0, length)))
        << length << " of " << whole.size() << " bytes";
}

TEST(ZipAgreement, one_zip_after_another) {
  const std::string first = two_files().build();
  ZipBuilder second = {.items = {{.name = "d.txt", .content = "another"}}};
  expect_agreement(first + second.build(), false, "two, the offsets of the second its own");
  ZipBuilder inner = two_files();
  ZipBuilder outer = {.items = {{.name = "inner.zip", .content = inner.build()}}};
  expect_agreement(outer.build(), true, "a zip in a zip");
  expect_agreement(outer.build() + "tail", true, "a zip in a zip, and bytes after it");
}

TEST(ZipAgreement, an_empty_zip) {
  ZipBuilder empty;
  expect_agreement(empty.build(), true, "empty");
  empty.prefix = "bytes";
  EXPECT_FALSE(runtime::is_zip(Bytes(empty.build())));
}

TEST(ZipAgreement, figures_that_are_wrong) {
  for (const uint32_t wrong : {0U, 1U, 1000U, UINT32_MAX - 1}) {
    ZipBuilder zip = two_files();
    zip.directory_size = wrong;
    EXPECT_EQ(seen_by_packer(zip.build()), seen_by_reader(zip.build())) << "size " << wrong;
    zip = two_files();
    zip.directory_offset = wrong;
    EXPECT_EQ(seen_by_packer(zip.build()), seen_by_reader(zip.build())) << "offset " << wrong;
    zip = two_files();
    zip.count = static_cast<uint16_t>(wrong);
    EXPECT_EQ(seen_by_packer(zip.build()), seen_by_reader(zip.build())) << "count " << wrong;
  }
}

TEST(ZipAgreement, a_pack_that_ends_with_a_zip_is_a_pack) {
  EXPECT_FALSE(runtime::is_zip(Bytes("\x89SKL\r\n\x1a\n pack " + two_files().build())));
}

}  // namespace
}  // namespace seekless
