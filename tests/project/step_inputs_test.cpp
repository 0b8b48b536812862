#include "packer/project/step_inputs.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/content/test_folder.h"

namespace seekless {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kFile = R"({
  "content": ["content", "extra.zip"], "exclude": ["*.psd", "packs/**"], "traces": ["traces/*.txt", "more/**/*.txt", "one.txt"],
  "outputs": {"packs": {"folder": "content/packs"}}, "lock": "layout.lock"
})";

class StepInputs : public testing::Test {
 protected:
  StepInputs() {
    for (const char* name :
         {"content/a b", "content/deep/c", "content/source.psd", "content/packs/menu.skl",
          "extra.zip", "traces/menu.1.txt", "traces/notes.md", "more/x/y/rush.1.txt", "one.txt",
          "layout.lock", ".seekless/state", "other/file"})
      folder_.write(name, "x");
    std::filesystem::create_directories(folder_.path("content/empty/below"));
    folder_.write("seekless.json", kFile);
  }

  // Returns paths relative to the folder.
  std::vector<std::string> inputs() const {
    const auto file = read_build_file(folder_.path());
    EXPECT_TRUE(file) << file.error().message;
    const auto found = step_inputs(*file);
    EXPECT_TRUE(found) << found.error().message;
    std::vector<std::string> relative;
    for (const std::string& path : *found) {
      EXPECT_THAT(path, StartsWith(folder_.path() + "/"));
      relative.push_back(path.substr(folder_.path().size() + 1));
    }
    return relative;
  }

  TestFolder folder_;
};

TEST_F(StepInputs, are_all_that_a_build_reads_and_where_it_looks) {
  EXPECT_THAT(inputs(), testing::ElementsAre(
                            "content", "content/a b", "content/deep", "content/deep/c",
                            "content/empty", "content/empty/below", "extra.zip", "layout.lock",
                            "more", "more/x", "more/x/y", "more/x/y/rush.1.txt", "one.txt",
                            "seekless.json", "traces", "traces/menu.1.txt"));
}

TEST_F(StepInputs, are_no_outputs_and_nothing_that_is_left_out) {
  for (const char* name : {"content/packs", "content/packs/menu.skl", "content/source.psd",
                           ".seekless/state", "traces/notes.md", "other/file"})
    EXPECT_THAT(inputs(), Not(Contains(name)));
}

TEST_F(StepInputs, do_without_a_lock_that_is_not_there_yet) {
  std::filesystem::remove(folder_.path("layout.lock"));
  EXPECT_THAT(inputs(), Not(Contains("layout.lock")));
}

TEST_F(StepInputs, need_the_content) {
  std::filesystem::remove_all(folder_.path("content"));
  const auto file = read_build_file(folder_.path());
  ASSERT_TRUE(file);
  const auto found = step_inputs(*file);
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("content"));
}

}  // namespace
}  // namespace seekless
