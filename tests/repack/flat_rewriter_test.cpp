#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/content/flat_archive.h"
#include "packer/repack/internal/archive_rewriter.h"
#include "packer/repack/internal/fetched_ahead.h"
#include "packer/repack/internal/planned_places.h"
#include "tests/content/test_folder.h"
#include "tests/repack/counting_source.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void put(std::string& bytes, uint64_t value, size_t width) {
  for (size_t i = 0; i < width; ++i) bytes += static_cast<char>(value >> (8 * i));
}

struct Given {
  std::string name;
  std::string data;
};

const std::vector<Given> kGiven = {
    {"a", "aaaa"}, {"b/c", std::string(1000, 'b')}, {"empty", ""}, {"d", "dd"}, {"e", "eeeeee"}};

std::string pak_of(const std::vector<Given>& given) {
  std::string data;
  std::string records;
  for (const Given& entry : given) {
    std::string name = entry.name;
    name.resize(56);
    records += name;
    put(records, 12 + data.size(), 4);
    put(records, entry.data.size(), 4);
    data += entry.data;
  }
  std::string bytes = "PACK";
  put(bytes, 12 + data.size(), 4);
  put(bytes, records.size(), 4);
  return bytes + data + records;
}

// Records whose places count from the first data, and the data, at multiples of `alignment`.
struct PckParts {
  std::string records;
  std::string data;
};

PckParts parts_of(const std::vector<Given>& given, size_t alignment) {
  PckParts parts;
  put(parts.records, given.size(), 4);
  for (const Given& entry : given) {
    parts.data.resize((parts.data.size() + alignment - 1) / alignment * alignment);
    std::string name = "res://" + entry.name;
    name.resize((name.size() + 3) / 4 * 4);
    put(parts.records, name.size(), 4);
    parts.records += name;
    put(parts.records, parts.data.size(), 8);
    put(parts.records, entry.data.size(), 8);
    parts.records += std::string(16, 'm') + std::string(4, '\0');
    parts.data += entry.data;
  }
  return parts;
}

std::string after_program(std::string bytes) {
  const size_t length = bytes.size();
  put(bytes, length, 8);
  return std::string(100, 'P') + bytes + "GDPC";
}

// Makes version 2, with data at multiples of 32, after a program of 100 bytes.
std::string pck_of(const std::vector<Given>& given) {
  const PckParts parts = parts_of(given, 32);
  std::string bytes = "GDPC";
  for (const uint32_t number : {2, 4, 2, 0, 2}) put(bytes, number, 4);
  const size_t front = 100 + bytes.size() + 8 + 64 + parts.records.size();
  const size_t base = (front + 31) / 32 * 32;
  put(bytes, base - 100, 8);
  bytes += std::string(64, '\0') + parts.records;
  bytes.resize(base - 100);
  return after_program(bytes + parts.data);
}

// Makes version 3, with data at multiples of 16 of the archive, and the directory after them.
std::string newer_pck_of(const std::vector<Given>& given, bool is_embedded) {
  constexpr size_t kBase = 112;
  const PckParts parts = parts_of(given, 16);
  std::string bytes = "GDPC";
  for (const uint32_t number : {3, 4, 5, 0, 2}) put(bytes, number, 4);
  put(bytes, kBase, 8);
  put(bytes, (kBase + parts.data.size() + 15) / 16 * 16, 8);
  bytes.resize(kBase);
  bytes += parts.data;
  bytes.resize((bytes.size() + 15) / 16 * 16);
  bytes += parts.records;
  return is_embedded ? after_program(bytes) : bytes;
}

class FlatRewriter : public testing::TestWithParam<std::string> {
 protected:
  FlatRewriter() : path_(folder_.write("old", GetParam())) {
    rewriter_ = open_flat_rewriter(open_source(path_).value()).value();
  }

  Result<RewriteReport> rewrite(std::vector<uint32_t> entries) {
    EXPECT_EQ(rewriter_->prepare(true).value(), "");
    return rewriter_->rewrite(entries, {}, new_path_, nullptr);
  }

  FlatDirectory directory_of(const std::string& path) const {
    return read_flat_directory(*open_source(path).value()).value().value();
  }

  std::string new_bytes() const {
    std::ifstream file(new_path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string data_of(const std::string& path, const FlatEntry& entry) const {
    std::string data(entry.size_bytes, '\0');
    EXPECT_TRUE(open_source(path).value()->read_at(entry.offset_bytes,
                                                   std::as_writable_bytes(std::span(data))));
    return data;
  }

  TestFolder folder_;
  const std::string path_;
  const std::string new_path_ = folder_.path() + "/new";
  std::unique_ptr<ArchiveRewriter> rewriter_;
};

TEST_P(FlatRewriter, moves_data_and_nothing_else) {
  const auto report = rewrite({4, 1});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(rewriter_->verify(new_path_, *report, nullptr));
  const FlatDirectory after = directory_of(new_path_);
  ASSERT_EQ(after.entries.size(), kGiven.size());
  for (size_t i = 0; i < kGiven.size(); ++i) {
    EXPECT_EQ(after.entries[i].name, kGiven[i].name);
    EXPECT_EQ(data_of(new_path_, after.entries[i]), kGiven[i].data);
  }
  EXPECT_LT(after.entries[4].offset_bytes, after.entries[1].offset_bytes);
  EXPECT_LT(after.entries[1].offset_bytes, after.entries[0].offset_bytes);
  EXPECT_LT(after.entries[0].offset_bytes, after.entries[3].offset_bytes);
  EXPECT_LE(report->file_bytes, rewriter_->expected_bytes(std::vector<uint32_t>{4, 1}, {}));
}

TEST_P(FlatRewriter, lays_what_was_planned) {
  const std::vector<uint32_t> order = {3, 1};
  ASSERT_TRUE(rewrite(order));
  ScanOptions scan;
  scan.flat_archives = scan.keep_archives = true;
  const auto content = scan_content({path_}, scan);
  ASSERT_TRUE(content) << content.error().message;
  ASSERT_EQ(content->assets.size(), kGiven.size());
  const MovedContent moved = planned_places(*content, {{order}}, {});
  const FlatDirectory after = directory_of(new_path_);
  for (size_t i = 0; i < kGiven.size(); ++i) {
    if (kGiven[i].data.empty()) continue;
    EXPECT_EQ(moved[0].entries[i].data_offset_bytes, after.entries[i].offset_bytes) << i;
  }
}

TEST_P(FlatRewriter, sees_every_byte_that_differs) {
  const auto report = rewrite({4, 1});
  ASSERT_TRUE(report);
  const auto bytes = new_bytes();
  for (size_t at = 0; at < bytes.size(); ++at) {
    const FlatDirectory after = directory_of(new_path_);
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    folder_.write("new", changed);
    const bool is_gap =
        at >= after.data_begin_bytes && at < after.data_end_bytes &&
        std::ranges::none_of(after.entries, [&](const FlatEntry& entry) {
          return at >= entry.offset_bytes && at - entry.offset_bytes < entry.size_bytes;
        });
    const bool is_place_of_nothing =
        std::ranges::any_of(after.entries, [&](const FlatEntry& entry) {
          return entry.size_bytes == 0 && at >= entry.offset_field.at_bytes &&
                 at < entry.offset_field.at_bytes + entry.offset_field.width_bytes;
        });
    EXPECT_EQ(rewriter_->verify(new_path_, *report, nullptr).has_value(), is_place_of_nothing)
        << at << (is_gap ? ", between data" : "");
    folder_.write("new", bytes);
  }
}

std::string name_of_format(const testing::TestParamInfo<std::string>& which) {
  constexpr const char* kNames[] = {"pak", "pck", "pck_3", "pck_3_behind_a_program"};
  return kNames[which.index];
}

INSTANTIATE_TEST_SUITE_P(Formats, FlatRewriter,
                         testing::Values(pak_of(kGiven), pck_of(kGiven),
                                         newer_pck_of(kGiven, false), newer_pck_of(kGiven, true)),
                         name_of_format);

TEST(FlatArchive, directory_of_version_3_may_lie_anywhere) {
  const PckParts parts = parts_of(kGiven, 1);
  constexpr size_t kDirectory = 40;  // nothing is reserved before it
  std::string bytes = "GDPC";
  for (const uint32_t number : {3, 4, 5, 0, 0}) put(bytes, number, 4);
  put(bytes, kDirectory + parts.records.size(), 8);
  put(bytes, kDirectory, 8);
  TestFolder folder;
  const auto directory = read_flat_directory(
      *open_source(folder.write("a.pck", bytes + parts.records + parts.data)).value());
  ASSERT_TRUE(directory && *directory);
  EXPECT_EQ((*directory)->obstacle, "");
  EXPECT_TRUE((*directory)->is_in_front());
  EXPECT_EQ((*directory)->entries.size(), kGiven.size());
  EXPECT_TRUE((*directory)->moving_fields.empty());
}

TEST(FlatArchive, directory_of_version_3_outside_of_it_is_none) {
  const std::string sound = newer_pck_of(kGiven, false);
  TestFolder folder;
  for (const uint64_t place : {uint64_t{0}, uint64_t{39}, sound.size() + 1, UINT64_MAX}) {
    std::string field;
    put(field, place, 8);
    std::string bytes = sound;
    bytes.replace(32, 8, field);
    const auto directory = read_flat_directory(*open_source(folder.write("a", bytes)).value());
    ASSERT_TRUE(directory && *directory);
    EXPECT_THAT((*directory)->obstacle, HasSubstr("directory begins outside")) << place;
  }
}

TEST(FlatArchive, is_left_where_two_entries_overlap) {
  std::string bytes = pak_of(kGiven);
  const size_t records = bytes.size() - kGiven.size() * 64;
  bytes[records + 56] = 20;  // moves the first entry into the second
  TestFolder folder;
  const auto directory = read_flat_directory(*open_source(folder.write("a.pak", bytes)).value());
  ASSERT_TRUE(directory && *directory);
  EXPECT_THAT((*directory)->obstacle, HasSubstr("in part over another"));
  EXPECT_TRUE((*directory)->entries.empty());
}

TEST(FlatArchive, reads_only_short_entries_in_advance) {
  constexpr size_t kLong = 17U << 20;
  const std::string bytes = pak_of({{"short", std::string(1'000'000, 's')},
                                    {"long", std::string(kLong, 'l')},
                                    {"short too", std::string(1'000'000, 't')}});
  const auto all = std::as_bytes(std::span(bytes));
  const auto source = std::make_shared<CountingSource>(std::vector(all.begin(), all.end()));
  const auto rewriter = open_flat_rewriter(source).value();
  const uint64_t before_bytes = source->read_bytes;
  TestFolder folder;
  ASSERT_TRUE(
      rewriter->rewrite(std::vector<uint32_t>{2, 1, 0}, {}, folder.path() + "/new", nullptr));
  EXPECT_GE(source->read_bytes - before_bytes, kLong + 4'000'000);  // the short ones twice
  EXPECT_LT(source->read_bytes - before_bytes, kLong + 4'100'000);
}

// 'prepare' reads the archive once from front to back, and copying reads it once more.
TEST(FlatArchive, is_read_from_front_to_back_before_it_is_copied) {
  const std::string bytes = pak_of({{"a", std::string(1'000'000, 's')},
                                    {"b", std::string(1'000'000, 'l')},
                                    {"c", std::string(1'000'000, 't')}});
  const auto all = std::as_bytes(std::span(bytes));
  const auto source = std::make_shared<CountingSource>(std::vector(all.begin(), all.end()));
  const auto rewriter = open_flat_rewriter(source).value();
  const uint64_t before_bytes = source->read_bytes;
  source->places.clear();
  ASSERT_EQ(rewriter->prepare(false).value(), "");
  EXPECT_EQ(source->read_bytes - before_bytes, bytes.size());
  EXPECT_TRUE(std::ranges::is_sorted(source->places));
  TestFolder folder;
  ASSERT_TRUE(
      rewriter->rewrite(std::vector<uint32_t>{2, 1, 0}, {}, folder.path() + "/new", nullptr));
  EXPECT_LT(source->read_bytes - before_bytes, 2 * bytes.size() + 10'000);
}

TEST(FetchedPieces, are_read_in_order_group_by_group) {
  constexpr uint64_t kPiece = 400'000;  // far enough from the next that they aren't read as one
  const CountingSource source(std::vector<std::byte>(8 * kPiece));
  std::vector<ArchivePiece> pieces;
  for (const uint64_t number : {5, 1, 3, 7, 2, 6})
    pieces.push_back({number * kPiece, number * kPiece + 1000});
  FetchedPieces fetched(source, pieces, 3000);
  for (size_t i = 0; i < pieces.size(); ++i) {
    ASSERT_TRUE(fetched.before(i));
    EXPECT_EQ(source.reads, i < 3 ? 3 : 6);
  }
  EXPECT_THAT(source.places,
              ElementsAre(1 * kPiece, 3 * kPiece, 5 * kPiece, 2 * kPiece, 6 * kPiece, 7 * kPiece));
}

TEST(FetchedPieces, are_none_if_the_whole_archive_is_fetched) {
  const CountingSource source(std::vector<std::byte>(1000));
  EXPECT_FALSE(fetch_whole(source, 999).value());
  EXPECT_EQ(source.reads, 0);
  EXPECT_TRUE(fetch_whole(source, 1000).value());
  EXPECT_EQ(source.read_bytes, 1000);
}

TEST(FlatArchive, looking_at_it_reads_no_gaps) {
  std::vector<Given> given;
  for (size_t i = 0; i < 300; ++i) given.push_back({std::to_string(i), std::string(1001, 'x')});
  const std::string bytes = pck_of(given);
  const auto all = std::as_bytes(std::span(bytes));
  const CountingSource source(std::vector(all.begin(), all.end()));
  const auto directory = read_flat_directory(source);
  ASSERT_TRUE(directory && *directory);
  EXPECT_EQ((*directory)->gaps.size(), 299);
  EXPECT_LT(source.reads, 20);
  const size_t before = source.reads;
  EXPECT_EQ(obstacle_between_data(source, **directory).value(), "");
  EXPECT_EQ(source.reads - before, 299);
}

TEST(FlatArchive, other_files_are_none) {
  TestFolder folder;
  for (const std::string& bytes :
       {std::string(), std::string("PACK"), std::string("PACK\0\0\0\2\0\0\0\3 git's", 18),
        std::string(100, 'x'), std::string(100, 'x') + "GDPC"}) {
    const auto directory = read_flat_directory(*open_source(folder.write("a", bytes)).value());
    ASSERT_TRUE(directory);
    EXPECT_FALSE(*directory);
  }
}

}  // namespace
}  // namespace seekless
