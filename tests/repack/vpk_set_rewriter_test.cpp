#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/host/files.h"
#include "packer/repack/internal/archive_rewriter.h"
#include "tests/content/test_folder.h"
#include "tests/content/vpk_builder.h"

namespace seekless {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class VpkSetRewriterTest : public testing::Test {
 protected:
  VpkSetRewriterTest() {
    folder_.write("x_dir.vpk", built_directory_1({{"a", 0, 0, 4}, {"b", 0, 4, 4}}));
    folder_.write("x_000.vpk", "datadata");
  }

  std::unique_ptr<ArchiveRewriter> rewriter() const {
    const std::string path = folder_.path("x_dir.vpk");
    auto opened = open_vpk_set_rewriter(*open_source(path), path, {});
    EXPECT_TRUE(opened) << opened.error().message;
    return *std::move(opened);
  }

  TestFolder folder_;
};

TEST_F(VpkSetRewriterTest, numbers_of_entries_that_are_gone_are_passed_over) {
  const std::vector<uint32_t> numbers = {0, 2, 1'000'000};
  const std::vector<uint32_t> known = {0};
  EXPECT_EQ(rewriter()->expected_bytes(numbers, {}).value(),
            rewriter()->expected_bytes(known, {}).value());
}

TEST_F(VpkSetRewriterTest, a_part_that_is_gone_is_an_obstacle_before_the_first_write) {
  EXPECT_THAT(*rewriter()->prepare(true), IsEmpty());
  std::filesystem::remove(folder_.path("x_000.vpk"));
  EXPECT_THAT(*rewriter()->prepare(true), HasSubstr("x_000.vpk"));
}

TEST_F(VpkSetRewriterTest, checksums_that_were_not_all_read_are_not_made_anew) {
  const std::string sums = built_sum(1, 0, 1 << 20) + built_sum(0, 0, 1 << 20);
  folder_.write("x_dir.vpk", built_directory_2({{"a", 0, 0, 4}}, sums));
  EXPECT_THAT(*rewriter()->prepare(true), HasSubstr("in order"));
}

}  // namespace
}  // namespace seekless
