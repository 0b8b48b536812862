#include "packer/content/asset_reader.h"

#include <atomic>
#include <filesystem>
#include <functional>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/content/test_folder.h"
#include "tests/content/zip_builder.h"
#include "tests/host/sizes.h"

namespace seekless {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Result<std::string> drain(AssetStream& stream, size_t piece_bytes) {
  std::string content;
  std::vector<std::byte> piece(piece_bytes);
  for (;;) {
    const auto got = stream.read(piece);
    if (!got) return std::unexpected(got.error());
    if (*got == 0) return content;
    content.append(reinterpret_cast<const char*>(piece.data()), *got);
  }
}

Result<std::string> content_of(ContentReader& reader, const AssetRef& asset,
                               size_t piece_bytes = 64 << 10) {
  const auto stream = reader.open(asset);
  if (!stream) return std::unexpected(stream.error());
  return drain(**stream, piece_bytes);
}

// Makes text that deflates to about a half.
std::string sample(size_t size) {
  std::mt19937 random(7);
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>('a' + random() % 16);
  return text;
}

class ReadAsset : public testing::Test {
 protected:
  // Writes the archive, with `change` made to its bytes, and scans it.
  Content scan(ZipBuilder& zip, const std::function<void(std::string&)>& change = {}) {
    std::string bytes = zip.build();
    if (change) change(bytes);
    folder.write("a.zip", bytes);
    auto content = scan_content({folder.path("a.zip")}, {});
    EXPECT_TRUE(content) << content.error().message;
    return content ? *std::move(content) : Content{};
  }
  std::string fault(ZipBuilder zip, const std::function<void(std::string&)>& change) {
    const Content content = scan(zip, change);
    ContentReader reader(content.sources);
    const auto read = content_of(reader, ref_of(content.assets.at(0)));
    EXPECT_FALSE(read);
    if (read) return "";
    EXPECT_EQ(read.error().kind, ErrorKind::damaged);
    EXPECT_THAT(read.error().message, HasSubstr(folder.path("a.zip")));
    EXPECT_THAT(read.error().message, HasSubstr("entry 'x/a' at byte 0"));
    return read.error().message;
  }

  TestFolder folder;
};

TEST_F(ReadAsset, gives_back_stored_and_deflated_content_of_any_size_in_pieces_of_any_size) {
  ZipBuilder zip;
  for (const size_t size :
       {size_t{0}, size_t{1}, size_t{5000}, size_t{40000}, kMiB, 4 * kMiB, 4 * kMiB + 1, 9 * kMiB})
    for (const uint16_t method : {0, 8})
      zip.items.push_back({.name = std::to_string(size) + (method == 0 ? "s" : "d"),
                           .content = sample(size),
                           .method = method});
  const Content content = scan(zip);
  ContentReader reader(content.sources);
  for (const Asset& asset : content.assets)
    for (const size_t piece : {size_t{1000}, size_t{64} << 10, 16 * kMiB}) {
      const auto read = content_of(reader, ref_of(asset), piece);
      ASSERT_TRUE(read) << read.error().message;
      ASSERT_EQ(*read, zip.items[asset.place.entry].content) << asset.path << " by " << piece;
    }
}

TEST_F(ReadAsset, has_checked_the_content_when_the_last_byte_is_out) {
  for (const uint16_t method : {0, 8})
    for (const size_t size : {size_t{100}, 5 * kMiB}) {
      ZipBuilder zip{.items = {{.name = "a", .content = sample(size), .method = method}}};
      const Content content = scan(zip, [&zip](std::string& bytes) {
        bytes[zip.header_offsets[0] + 14] ^= 1;  // CRC in the local header
        bytes[zip.record_offsets[0] + 16] ^= 1;  // the CRC in the directory
      });
      ContentReader reader(content.sources);
      auto stream = reader.open(ref_of(content.assets[0]));
      ASSERT_TRUE(stream) << stream.error().message;
      std::vector<std::byte> all(size);
      const auto got = (*stream)->read(all);
      ASSERT_FALSE(got);
      EXPECT_THAT(got.error().message, HasSubstr("CRC-32"));
    }
}

TEST_F(ReadAsset, reads_behind_local_headers_of_other_length_than_the_directory_tells) {
  ZipBuilder zip{
      .items = {{.name = "a",
                 .content = sample(50000),
                 .local_extra = extra_field(1234, std::string(20000, 'e'))},
                {.name = "b",
                 .content = sample(10),
                 .central_extra = extra_field(10, std::string(32, 'n'))},
                {.name = "c", .content = sample(30000), .method = 8, .with_descriptor = true},
                {.name = "d", .content = sample(300), .with_zip64 = true}}};
  zip.prefix = "prefix";
  const Content content = scan(zip);
  ContentReader reader(content.sources);
  for (size_t i = 0; i < content.assets.size(); ++i) {
    const auto read = content_of(reader, ref_of(content.assets[i]));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, zip.items[i].content);
  }
}

TEST_F(ReadAsset, refuses_local_headers_that_contradict_the_directory) {
  const ZipBuilder zip{.items = {{.name = "x/a", .content = "some text", .method = 8},
                                 {.name = "z", .content = "more"}}};
  const auto flip = [](size_t at) { return [at](std::string& bytes) { bytes[at] ^= 8; }; };
  EXPECT_THAT(fault(zip, flip(0)), HasSubstr("signature"));
  EXPECT_THAT(fault(zip, flip(8)), HasSubstr("expected deflated, found stored"));
  EXPECT_THAT(fault(zip, flip(14)), HasSubstr("expected CRC-32"));
  EXPECT_THAT(fault(zip, flip(18)), HasSubstr("expected sizes"));
  EXPECT_THAT(fault(zip, flip(22)), HasSubstr("expected sizes"));
  EXPECT_THAT(fault(zip, flip(26)), HasSubstr("another name"));
  EXPECT_THAT(fault(zip, flip(28)), HasSubstr("run into what follows"));
  EXPECT_THAT(fault(zip, flip(30)), HasSubstr("another name"));
}

TEST_F(ReadAsset, names_what_is_wrong_with_deflated_data) {
  // Entries above 4 MiB take another path through the code.
  for (const size_t size : {size_t{1000}, 5 * kMiB}) {
    const std::string text = sample(size);
    ZipBuilder zip{.items = {{.name = "x/a", .content = text, .method = 8}}};
    const auto claim = [size](uint64_t other) {
      return [size, other](std::string& bytes) {
        for (const size_t at : {size_t{22}, bytes.rfind("PK\1\2") + 24}) {
          std::string field;
          put(field, size + other, 4);
          bytes.replace(at, 4, field);
        }
      };
    };
    EXPECT_THAT(fault(zip, claim(1)), HasSubstr(std::to_string(size + 1)));
    EXPECT_THAT(fault(zip, claim(UINT64_MAX)), HasSubstr("more bytes"));
    EXPECT_THAT(fault(zip, [](std::string& bytes) { bytes[33] = '\xFF'; }),
                HasSubstr("broken stream"));
    EXPECT_THAT(fault(zip, [](std::string& bytes) { bytes[bytes.size() / 2] ^= 0x10; }),
                HasSubstr("expected"));
  }
}

TEST_F(ReadAsset, refuses_deflated_data_that_go_on_after_the_archive_ends_them) {
  const std::string packed = deflate(sample(5 * kMiB));
  ZipBuilder zip{.items = {{.name = "x/a", .content = packed.substr(0, packed.size() / 2)}}};
  EXPECT_THAT(fault(zip,
                    [](std::string& bytes) {
                      const size_t record = bytes.rfind("PK\1\2");
                      bytes[8] = bytes[record + 10] = 8;
                      std::string size;
                      put(size, 5 * kMiB, 4);
                      bytes.replace(22, 4, size).replace(record + 24, 4, size);
                    }),
              HasSubstr("cut short"));
}

TEST_F(ReadAsset, refuses_encrypted_and_unknown_methods_when_they_are_asked_for) {
  for (const ZipItem& item :
       {ZipItem{.name = "a", .flags = 1}, ZipItem{.name = "a", .method = 93}}) {
    folder.write("a.zip", ZipBuilder{.items = {item}}.build());
    const auto content = scan_content({folder.path()}, {.require_readable = false});
    ASSERT_TRUE(content);
    ContentReader reader(content->sources);
    const auto stream = reader.open(ref_of(content->assets[0]));
    ASSERT_FALSE(stream);
    EXPECT_THAT(stream.error().message,
                testing::AnyOf(HasSubstr("encrypted"), HasSubstr("Zstandard")));
  }
}

TEST_F(ReadAsset, reads_loose_files) {
  folder.write("dir/big", sample(3 * kMiB));
  folder.write("empty", "");
  const auto content = scan_content({folder.path()}, {});
  ASSERT_TRUE(content);
  ContentReader reader(content->sources);
  EXPECT_EQ(*content_of(reader, ref_of(content->assets[0])), sample(3 * kMiB));
  EXPECT_EQ(*content_of(reader, ref_of(content->assets[1])), "");
}

TEST_F(ReadAsset, notices_that_a_loose_file_changed_its_size) {
  folder.write("a", "12345");
  const auto content = scan_content({folder.path()}, {});
  ASSERT_TRUE(content);
  ContentReader reader(content->sources);
  for (const char* other : {"", "1234", "123456"}) {
    folder.write("a", other);
    const auto read = content_of(reader, ref_of(content->assets[0]));
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().kind, ErrorKind::failed);
    EXPECT_THAT(read.error().message, AllOf(HasSubstr(folder.path("a")), HasSubstr("plan again")));
  }
  std::filesystem::remove(folder.path("a"));
  EXPECT_THAT(content_of(reader, ref_of(content->assets[0])).error().message,
              HasSubstr("cannot open"));
}

TEST_F(ReadAsset, notices_that_an_archive_isnt_the_one_that_was_planned) {
  ZipBuilder zip{.items = {{.name = "a", .content = "1"}, {.name = "b/c", .content = "2"}}};
  const Content content = scan(zip);
  const AssetRef good = ref_of(content.assets[1]);
  const auto refused = [&content](AssetRef asset) {
    ContentReader reader(content.sources);
    const auto stream = reader.open(asset);
    EXPECT_FALSE(stream);
    if (stream) return std::string();
    EXPECT_THAT(stream.error().message, HasSubstr("asset '" + std::string(asset.path) + "'"));
    return stream.error().message;
  };
  AssetRef asset = good;
  asset.size_bytes = 2;
  EXPECT_THAT(refused(asset),
              AllOf(HasSubstr("expected 2 bytes, found 1"), HasSubstr("plan again")));
  asset = good;
  asset.crc32 ^= 1;
  EXPECT_THAT(refused(asset), HasSubstr("CRC-32"));
  asset = good;
  asset.entry = 0;
  EXPECT_THAT(refused(asset), HasSubstr("found 'a' there"));
  asset = good;
  asset.path = "xb/c";
  EXPECT_THAT(refused(asset), HasSubstr("found 'b/c' there"));
  asset = good;
  asset.entry = 2;
  EXPECT_THAT(refused(asset), HasSubstr("found 2 entries"));
  asset = good;
  asset.entry = kWholeSource;
  EXPECT_THAT(refused(asset), HasSubstr("expected a file of its own, found an archive"));
  asset = good;
  asset.source = 1;
  EXPECT_THAT(refused(asset), HasSubstr("expected one of 1 sources"));
  asset = good;
  asset.path = "folder/b/c";  // the archive lies in a folder
  ContentReader reader(content.sources);
  EXPECT_TRUE(reader.open(asset));
  folder.write("a.zip", ZipBuilder{.items = {{.name = "other"}}}.build());
  ContentReader later(content.sources);
  EXPECT_THAT(later.open(good).error().message, HasSubstr("plan again"));
}

TEST_F(ReadAsset, keeps_few_archives_open_and_reads_many_from_many_threads) {
  for (int i = 0; i < 20; ++i) {
    ZipBuilder zip;
    for (int k = 0; k < 20; ++k)
      zip.items.push_back({.name = std::to_string(i) + "/" + std::to_string(k),
                           .content = sample(static_cast<size_t>(1000 + i * 20 + k)),
                           .method = static_cast<uint16_t>(k % 2 * 8)});
    folder.write(std::to_string(i) + ".zip", zip.build());
  }
  const auto content = scan_content({folder.path()}, {});
  ASSERT_TRUE(content);
  ASSERT_EQ(content->assets.size(), 400U);
  ContentReader reader(content->sources, 2);
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> threads;
    for (size_t t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (size_t i = 0; i < 400; ++i) {
          const Asset& asset = content->assets[(i * 7 + t * 100) % 400];
          const auto read = content_of(reader, ref_of(asset));
          if (read && *read == sample(asset.place.size_bytes)) ++good;
        }
      });
  }
  EXPECT_EQ(good, 1600);
}

}  // namespace
}  // namespace seekless
