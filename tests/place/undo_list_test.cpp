#include "packer/place/undo_list.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "packer/host/files.h"
#include "packer/host/own_folder.h"
#include "tests/content/test_folder.h"

namespace seekless {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class UndoListTest : public testing::Test {
 protected:
  UndoListTest() {
    for (const char* file : {"game/data", "game/more", "elsewhere/data"}) folder_.write(file, "x");
    make_own_folders(state_);
  }

  void forge(const std::string& text) const {
    ASSERT_TRUE(write_own_text(*state_path("place", state_, root_) + ".json", text));
  }
  void forge_list(const std::vector<std::string>& files) const {
    std::string entries;
    for (const std::string& file : files)
      entries += (entries.empty() ? "" : ",") + ("{\"path\":\"" + file + "\",\"place\":1}");
    forge("{\"files\":[" + entries + "]}");
  }
  Result<UndoLists> open() {
    return UndoLists::open(
        state_, {root_}, [this] { return led_to_; },
        [this](std::string_view text) { warnings_.emplace_back(text); });
  }
  std::vector<std::string> paths() {
    std::vector<std::string> found;
    const auto lists = open();
    if (!lists) return {lists.error().message};
    for (const EarlierPlace& file : lists->files()) found.push_back(file.path);
    return found;
  }

  const TestFolder folder_;
  const std::string root_ = canonical_path(folder_.path()) + "/game";
  const std::string elsewhere_ = canonical_path(folder_.path()) + "/elsewhere";
  const std::string state_ = folder_.path("state");
  std::set<std::string> led_to_;
  std::vector<std::string> warnings_;
};

TEST_F(UndoListTest, what_lies_in_the_root_is_known_from_run_to_run) {
  const FileExtents data = {.path = root_ + "/data", .size_bytes = 1, .extents = {{0, 4096, 1}}};
  ASSERT_TRUE(open()->add({data}));
  EXPECT_THAT(paths(), ElementsAre(root_ + "/data"));
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(UndoListTest, what_lies_elsewhere_is_left_alone) {
  fs::create_directory_symlink(elsewhere_, root_ + "/link");
  forge_list(
      {root_ + "/data", elsewhere_ + "/data", root_ + "/../elsewhere/data", root_ + "/link/data"});
  EXPECT_THAT(paths(), ElementsAre(root_ + "/data"));
  EXPECT_EQ(warnings_.size(), 3u);
  EXPECT_THAT(warnings_.front(), HasSubstr("left alone"));
  const std::string left = folder_.write("elsewhere/.seekless-0123456789abcdef.tmp", "x");
  const std::string own = folder_.write("game/.seekless-0123456789abcdef.tmp", "x");
  ASSERT_TRUE(open()->clear_leftovers());
  EXPECT_TRUE(fs::exists(left));
  EXPECT_FALSE(fs::exists(own));
}

TEST_F(UndoListTest, what_a_link_in_the_root_leads_to_is_the_roots) {
  led_to_ = {elsewhere_ + "/data"};
  forge_list({root_ + "/data", elsewhere_ + "/data"});
  EXPECT_THAT(paths(), UnorderedElementsAre(root_ + "/data", elsewhere_ + "/data"));
  // The files stay known while the link is gone.
  led_to_.clear();
  const FileExtents more = {.path = root_ + "/more", .size_bytes = 1, .extents = {{0, 8192, 1}}};
  ASSERT_TRUE(open()->add({more}));
  led_to_ = {elsewhere_ + "/data"};
  EXPECT_EQ(paths().size(), 3u);
}

// Windows has no modes.
#ifndef _WIN32
TEST_F(UndoListTest, what_others_may_have_written_is_not_used) {
  forge_list({root_ + "/data"});
  const std::string list = *state_path("place", state_, root_) + ".json";
  ::chmod(list.c_str(), 0666);
  EXPECT_THAT(open().error().message, HasSubstr("--state"));
  ::chmod(list.c_str(), 0600);
  ::chmod(state_.c_str(), 0777);
  EXPECT_THAT(open().error().message, HasSubstr("--state"));
  ::chmod(state_.c_str(), 0700);
  EXPECT_THAT(paths(), ElementsAre(root_ + "/data"));
  fs::rename(list, list + ".else");
  fs::create_symlink(list + ".else", list);
  EXPECT_THAT(open().error().message, HasSubstr("a link"));
}
#endif

}  // namespace
}  // namespace seekless
