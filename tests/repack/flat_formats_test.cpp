// Tests each format of packer/content/flat_archive.h with archives of tests/fuzz/corpus/flat, one
// for each of its forms. integration/moved_archives.py made those that begin with a format's name,
// after the formats' descriptions.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/content/flat_archive.h"
#include "packer/repack/internal/archive_rewriter.h"
#include "tests/content/test_folder.h"

namespace seekless {
namespace {

constexpr int kMutations = 1000;

std::string bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> given_archives() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(FLAT_CORPUS))
    names.push_back(file.path().filename().string());
  std::ranges::sort(names);
  return names;
}

std::shared_ptr<const MemorySource> in_memory(const std::string& bytes) {
  const auto span = std::as_bytes(std::span(bytes));
  return std::make_shared<MemorySource>("given", std::vector(span.begin(), span.end()));
}

// Returns each entry's name and data, in the directory's order.
std::vector<std::pair<std::string, std::string>> content_of(const ByteSource& source,
                                                            const FlatDirectory& directory) {
  std::vector<std::pair<std::string, std::string>> content;
  for (const FlatEntry& entry : directory.entries) {
    std::string data(entry.size_bytes, '\0');
    EXPECT_TRUE(data.empty() ||
                source.read_at(entry.offset_bytes, std::as_writable_bytes(std::span(data))));
    content.emplace_back(entry.name, data);
  }
  return content;
}

class FlatFormats : public testing::TestWithParam<std::string> {
 protected:
  std::string given() const { return bytes_of_file(FLAT_CORPUS "/" + GetParam()); }

  // Rewrites the archive with its entries from last to first. Returns false if it is left as it is.
  bool reverse(const std::string& bytes) {
    const auto source = in_memory(bytes);
    const auto before = read_flat_directory(*source);
    EXPECT_TRUE(before);
    if (!before || !*before || !(*before)->obstacle.empty()) return false;
    std::vector<uint32_t> order((*before)->entries.size());
    for (uint32_t i = 0; i < order.size(); ++i)
      order[i] = static_cast<uint32_t>(order.size()) - 1 - i;
    const auto rewriter = open_flat_rewriter(source).value();
    const auto report = rewriter->rewrite(order, {}, new_path_, nullptr);
    if (!report || !rewriter->verify(new_path_, *report, nullptr)) return false;
    EXPECT_LE(report->file_bytes, rewriter->expected_bytes(order, {}).value());
    const auto written = open_source(new_path_).value();
    const auto after = read_flat_directory(*written).value().value();
    EXPECT_EQ(content_of(*written, after), content_of(*source, **before));
    return true;
  }

  TestFolder folder_;
  const std::string new_path_ = folder_.path() + "/new";
};

TEST_P(FlatFormats, moves_data_and_keeps_each_entry) {
  if (GetParam() == "pak_odd") GTEST_SKIP() << "once is enough";
  ASSERT_TRUE(reverse(given()));
  EXPECT_NE(bytes_of_file(new_path_), given());
}

TEST_P(FlatFormats, directory_lies_in_front_of_all_data_or_behind_them) {
  if (GetParam() == "pak_odd") return;  // no archive to seekless
  const auto directory = read_flat_directory(*in_memory(given())).value().value();
  if (!directory.is_in_front()) {
    EXPECT_GE(directory.offset_bytes, directory.data_end_bytes);
  }
  if (GetParam().starts_with("rvz")) {
    EXPECT_EQ(directory.is_in_front(), GetParam() != "rvz_tables_behind");
  }
}

TEST_P(FlatFormats, reversed_twice_has_the_order_it_had) {
  if (GetParam() == "pak_odd") GTEST_SKIP() << "once is enough";
  ASSERT_TRUE(reverse(given()));
  const std::string once = bytes_of_file(new_path_);
  ASSERT_TRUE(reverse(once));
  ASSERT_TRUE(reverse(bytes_of_file(new_path_)));
  EXPECT_EQ(bytes_of_file(new_path_), once);
}

TEST_P(FlatFormats, is_refused_at_every_truncation_or_still_whole) {
  const std::string whole = given();
  for (size_t size = 0; size < whole.size(); size += whole.size() < 2000 ? 1 : 7)
    reverse(whole.substr(0, size));
}

// Changes numbers, bits and stretches, mostly outside of the data.
std::string mutated(std::string bytes, std::mt19937& random) {
  const auto below = [&](size_t most) { return most == 0 ? 0 : random() % most; };
  constexpr uint64_t kNumbers[] = {0,
                                   1,
                                   2,
                                   0x7F,
                                   0xFF,
                                   0x7FFF,
                                   0xFFFF,
                                   INT32_MAX,
                                   UINT32_MAX,
                                   UINT64_MAX,
                                   uint64_t{1} << 40,
                                   INT64_MAX};
  for (size_t changes = 1 + below(3); changes-- > 0;) {
    const size_t at = below(bytes.size());
    const size_t width = size_t{1} << below(4);
    const uint64_t number = kNumbers[below(std::size(kNumbers))];
    switch (below(5)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        for (size_t i = 0; i < width && at + i < bytes.size(); ++i)
          bytes[at + i] = static_cast<char>(number >> (8 * i));
        break;
      case 2:
        bytes[at] = static_cast<char>(bytes[at] + 1);
        break;
      case 3:
        bytes.insert(at, bytes.substr(below(bytes.size()), below(40)));
        break;
      default:
        bytes.erase(at, below(40));
    }
    if (bytes.empty()) bytes = "x";
  }
  return bytes;
}

TEST_P(FlatFormats, damage_never_changes_an_entry) {
  std::mt19937 random(static_cast<uint32_t>(std::hash<std::string>()(GetParam())));
  const std::string whole = given();
  int rewritten = 0;
  for (int i = 0; i < kMutations; ++i) rewritten += reverse(mutated(whole, random)) ? 1 : 0;
  RecordProperty("rewritten", rewritten);
}

INSTANTIATE_TEST_SUITE_P(Corpus, FlatFormats, testing::ValuesIn(given_archives()),
                         [](const auto& which) { return which.param; });

}  // namespace
}  // namespace seekless
