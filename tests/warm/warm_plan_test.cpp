#include "packer/warm/warm_plan.h"

#include <filesystem>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/content/test_folder.h"

namespace seekless {
namespace {

using testing::ElementsAre;

TEST(WarmPlan, reads_a_file_of_several_names_once_and_leaves_out_missing_ones) {
  const TestFolder folder;
  const std::string name = folder.write("a", std::string(9000, 'x'));
  const std::string link = folder.path() + "/link";
  std::filesystem::create_symlink(name, link);
  Wanted wanted;
  wanted.add(link, 0, 100);
  wanted.add("/no/such", 5, 10);
  wanted.add(name, 50, 8950);
  const WarmPlan plan = plan_warm(std::move(wanted), get_drive("wd-black-1tb").value());
  EXPECT_EQ(plan.files.files.size(), 2U);
  EXPECT_THAT(plan.files.missing, ElementsAre("/no/such"));
  ASSERT_EQ(plan.reads.size(), 1U);
  EXPECT_EQ(plan.reads[0].file, 0U);
  EXPECT_EQ(plan.reads[0].offset_bytes, 0U);
  EXPECT_EQ(plan.reads[0].length_bytes, 9000U);
}

}  // namespace
}  // namespace seekless
