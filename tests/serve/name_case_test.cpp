#include "packer/serve/internal/name_case.h"

#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <gtest/gtest.h>

#include "packer/host/descriptor.h"
#include "tests/content/test_folder.h"

namespace seekless {
namespace {

namespace fs = std::filesystem;

// A second link to a file stands for another spelling of its name.
class NameCaseTest : public testing::Test {
 protected:
  NameCase tried(const std::string& name) const {
    struct stat status = {};
    EXPECT_EQ(::lstat((folder_ / name).c_str(), &status), 0);
    return name_case_tried(opened_.get(), name, status);
  }
  void write(const std::string& name) const { std::ofstream(folder_ / name) << name; }

  const TestFolder test_folder_;
  const fs::path folder_ = test_folder_.path();
  const Descriptor opened_{::open(folder_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
};

TEST_F(NameCaseTest, a_name_that_is_found_by_another_spelling_says_that_case_does_not_matter) {
  write("Save.1");
  EXPECT_EQ(tried("Save.1"), NameCase::tells);
  fs::create_hard_link(folder_ / "Save.1", folder_ / "sAVE.1");
  EXPECT_EQ(tried("Save.1"), NameCase::ignores);
}

TEST_F(NameCaseTest, another_file_by_the_other_spelling_says_that_it_matters) {
  write("a");
  write("A");
  EXPECT_EQ(tried("a"), NameCase::tells);
}

TEST_F(NameCaseTest, a_name_without_letters_or_that_has_gone_says_nothing) {
  write("01-2");
  EXPECT_EQ(tried("01-2"), NameCase::unknown);
  write("gone");
  struct stat status = {};
  ASSERT_EQ(::lstat((folder_ / "gone").c_str(), &status), 0);
  fs::remove(folder_ / "gone");
  EXPECT_EQ(name_case_tried(opened_.get(), "gone", status), NameCase::unknown);
}

TEST_F(NameCaseTest, a_usual_folder_is_not_said_to_ignore_case) {
  EXPECT_NE(name_case_told(opened_.get()), NameCase::ignores);
  EXPECT_EQ(name_case_told(-1), NameCase::unknown);
}

}  // namespace
}  // namespace seekless
