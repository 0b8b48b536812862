// The packer and the reader use one parser of zips, and each adds its own rules. Here both get the
// same files, and must agree on whether they are zips, on their entries, and on their content.
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "packer/content/asset_stream.h"
#include "packer/content/zip_directory.h"
#include "runtime/zip_directory.h"
#include "runtime/zip_fields.h"
#include "runtime/zip_mount.h"
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
      return runtime::damaged({"the end"}, offset_bytes);
    if (into.empty()) return {};
    std::memcpy(into.data(), bytes_.data() + offset_bytes, into.size());
    return {};
  }
  void will_need(uint64_t, uint64_t) const override {}

 private:
  std::string_view bytes_;
  std::string name_ = "a.zip";
};

// Both functions return a line for each entry with its path and content, or "damaged".
std::string seen_by_packer(std::string_view bytes) {
  const auto source = std::make_shared<MemorySource>(source_of(bytes));
  const auto directory = read_zip_directory(*source);
  if (!directory) return "damaged";
  std::string seen;
  for (size_t i = 0; i < directory->entry_count(); ++i) {
    const ZipEntry entry = directory->entry(i);
    auto data = read_local_header(source, entry);
    if (!data) return "damaged";
    std::vector<std::byte> content(entry.size_bytes + 1);
    const auto got = make_entry_stream(*std::move(data))->read(content);
    if (!got || *got != entry.size_bytes) return "damaged";
    seen += entry.name + " " + std::string(text_of(content).substr(0, *got)) + "\n";
  }
  return seen;
}

skl_result inflate(void*, const void* source, size_t source_bytes, void* destination,
                   size_t destination_bytes) {
  libdeflate_decompressor* of = libdeflate_alloc_decompressor();
  const auto result = libdeflate_deflate_decompress(of, source, source_bytes, destination,
                                                    destination_bytes, nullptr);
  libdeflate_free_decompressor(of);
  return result == LIBDEFLATE_SUCCESS ? SKL_OK : SKL_DAMAGED;
}

std::string seen_by_reader(std::string_view bytes) {
  const auto mount = runtime::open_zip_mount(std::make_unique<Bytes>(bytes), false,
                                             runtime::Inflate{inflate, nullptr}, {});
  if (!mount) return "damaged";
  std::string seen;
  for (uint32_t i = 0; i < (*mount)->asset_count(); ++i) {
    const auto place = (*mount)->place(i);
    if (!place) return "damaged";
    std::vector<std::byte> content(place->size_bytes);
    if (!(*mount)->read(*place, 0, content)) return "damaged";
    seen += *(*mount)->path(i) + " " + std::string(text_of(content)) + "\n";
  }
  return seen;
}

bool is_zip_to_reader(std::string_view bytes) {
  return *runtime::is_zip(Bytes(bytes));
}

void expect_agreement(std::string_view bytes, bool is_sound, const char* what) {
  EXPECT_EQ(seen_by_packer(bytes), seen_by_reader(bytes)) << what;
  EXPECT_EQ(seen_by_reader(bytes) != "damaged", is_sound) << what;
  if (!is_sound) return;
  const auto is_one = looks_like_zip(source_of(bytes));
  ASSERT_TRUE(is_one);
  EXPECT_EQ(*is_one, is_zip_to_reader(bytes)) << what;
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

TEST(ZipAgreement, a_directory_in_front) {
  const std::string bytes = with_directory_in_front(two_files());
  expect_agreement(bytes, true, "in front");
  EXPECT_EQ(seen_by_reader(bytes), seen_by_reader(two_files().build()));
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_EQ(seen_by_packer(bytes.substr(0, length)), seen_by_reader(bytes.substr(0, length)))
        << length << " of " << bytes.size() << " bytes";
}

TEST(ZipAgreement, a_directory_in_front_of_entries_that_lie_over_it) {
  ZipBuilder zip = two_files();
  std::string bytes = with_directory_in_front(zip);
  const size_t record = bytes.find("PK\1\2", 8);  // the second one
  ASSERT_NE(record, bytes.npos);
  for (const uint32_t place : {0U, 4U, 30U, UINT32_MAX - 1}) {
    std::string offset;
    put(offset, place, 4);
    bytes.replace(record + 42, 4, offset);
    EXPECT_EQ(seen_by_packer(bytes), "damaged") << place;
    EXPECT_EQ(seen_by_reader(bytes), "damaged") << place;
  }
}

// SecureZIP encrypts the directory (APPNOTE.TXT 7.3.4): zip64's end record has version 2.
TEST(ZipAgreement, a_directory_that_is_encrypted) {
  ZipBuilder zip = two_files();
  zip.with_zip64_end = true;
  std::string bytes = zip.build();
  const size_t record = bytes.find("PK\6\6");
  ASSERT_NE(record, bytes.npos);
  const std::string more(28, '\0');
  bytes.insert(record + 56, more);
  bytes[record + 4] = static_cast<char>(44 + more.size());
  bytes[record + 14] = 62;
  expect_agreement(bytes, false, "an encrypted directory");
  const auto directory = read_zip_directory(source_of(bytes));
  ASSERT_FALSE(directory);
  EXPECT_NE(directory.error().message.find("an encrypted one"), std::string::npos)
      << directory.error().message;
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
  EXPECT_FALSE(is_zip_to_reader(empty.build()));
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

TEST(ZipAgreement, entries_in_other_parts_and_sizes_without_their_zip64_field) {
  ZipBuilder split = two_files();
  split.items[0].disk = 3;
  expect_agreement(split.build(), false, "an entry in another part");
  ZipBuilder wide = two_files();
  wide.items[0].size = UINT32_MAX;
  expect_agreement(wide.build(), false, "a size that needs zip64");
  wide.items[0].central_extra = extra_field(1, "1234567");
  expect_agreement(wide.build(), false, "a zip64 field that is too short");
}

// The 16 bits of the end record say 0, so those of zip64 don't count.
TEST(ZipAgreement, a_part_that_only_zip64_gives) {
  ZipBuilder zip = two_files();
  zip.with_zip64_end = true;
  std::string bytes = zip.build();
  const size_t record = bytes.find("PK\6\6");
  ASSERT_NE(record, bytes.npos);
  bytes[record + 16] = 1;
  expect_agreement(bytes, true, "part 1 by zip64");
}

TEST(ZipAgreement, a_damaged_zip_is_still_one) {
  ZipBuilder zip = two_files();
  std::string bytes = "MZ" + zip.build();
  bytes[2 + zip.record_offsets[0]] = 'X';
  for (const std::string& damaged : {bytes, std::string("PK\7\10PK\3\4 of a split one")}) {
    EXPECT_EQ(seen_by_packer(damaged), "damaged");
    EXPECT_EQ(seen_by_reader(damaged), "damaged");
    EXPECT_TRUE(*looks_like_zip(source_of(damaged)));
    EXPECT_TRUE(is_zip_to_reader(damaged));
  }
}

TEST(ZipAgreement, a_pack_that_ends_with_a_zip_is_a_pack) {
  const std::string pack = "\x89SKL\r\n\x1a\n pack " + two_files().build();
  EXPECT_FALSE(is_zip_to_reader(pack));
  EXPECT_FALSE(*looks_like_zip(source_of(pack)));
}

}  // namespace
}  // namespace seekless
