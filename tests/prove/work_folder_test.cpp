// Checks that a killed proof's folder is removed by the next one, and nothing else is.
#include "packer/prove/work_folder.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/host/native_path.h"
#include "tests/content/test_folder.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string kLeft = ".seekless-prove-0123456789abcdef";

// Makes what a killed proof leaves: a copy of a running one's folder.
std::string left_in(const TestFolder& parent) {
  auto made = WorkFolder::make(parent.path(), 0, {"packs/catalog.skl", "archives/a/b.zip"});
  EXPECT_TRUE(made) << made.error().message;
  const std::string left = parent.path(kLeft);
  std::filesystem::copy(path_of_text((*made)->path()), path_of_text(left),
                        std::filesystem::copy_options::recursive);
  parent.write(kLeft + "/packs/catalog.skl", "packs");
  parent.write(kLeft + "/packs/.seekless-new/main.skl", "unfinished");
  parent.write(kLeft + "/archives/a/.seekless-0123456789abcdef.tmp", "unfinished");
  parent.write(kLeft + ".lock", "");
  return left;
}

TEST(WorkFolder, IsRemovedAtItsEnd) {
  const TestFolder parent;
  std::string path;
  {
    auto made = WorkFolder::make(parent.path(), 0, {"archives/a/b.zip"});
    ASSERT_TRUE(made) << made.error().message;
    path = (*made)->path();
    const std::string archive = (*made)->below(WorkFolder::kArchives) + "/a/b.zip";
    parent.write(archive.substr(parent.path().size() + 1), "archive");
    // Another proof leaves it alone.
    EXPECT_THAT(remove_left_work_folders(parent.path()).removed, IsEmpty());
  }
  EXPECT_TRUE(std::filesystem::is_empty(path_of_text(parent.path())));
}

TEST(WorkFolder, OfAKilledProofIsRemovedByTheNext) {
  const TestFolder parent;
  const std::string left = left_in(parent);
  const LeftWorkFolders found = remove_left_work_folders(parent.path());
  EXPECT_THAT(found.removed, ElementsAre(left));
  EXPECT_THAT(found.foreign, IsEmpty());
  EXPECT_TRUE(std::filesystem::is_empty(path_of_text(parent.path())));
}

TEST(WorkFolder, StaysWithAnythingElseInIt) {
  for (const char* name :
       {"/novel.txt", "/packs/novel.skl", "/archives/a/c.zip", "/files/000001"}) {
    const TestFolder parent;
    const std::string left = left_in(parent);
    parent.write(kLeft + name, "mine");
    const LeftWorkFolders found = remove_left_work_folders(parent.path());
    EXPECT_THAT(found.removed, IsEmpty()) << name;
    EXPECT_THAT(found.foreign, ElementsAre(left)) << name;
    EXPECT_TRUE(std::filesystem::exists(path_of_text(left + "/packs/catalog.skl")));
    std::filesystem::remove(path_of_text(left + name));
    EXPECT_THAT(remove_left_work_folders(parent.path()).removed, ElementsAre(left)) << name;
  }
}

TEST(WorkFolder, ThatCannotBeLookedThroughIsTold) {
  const TestFolder parent;
  const std::string left = left_in(parent);
  std::error_code error;
  std::filesystem::create_symlink(path_of_text(parent.path()), path_of_text(left + "/packs/link"),
                                  error);
  if (error) GTEST_SKIP() << "no links here: " << error.message();
  const LeftWorkFolders found = remove_left_work_folders(parent.path());
  EXPECT_THAT(found.removed, IsEmpty());
  EXPECT_THAT(found.stuck, ElementsAre(left));
  EXPECT_TRUE(std::filesystem::exists(path_of_text(left + "/packs/catalog.skl")));
}

TEST(WorkFolder, IsRemovedByTheNextProofOnceItHoldsNothingElse) {
  const TestFolder parent;
  std::string path;
  std::string users;
  {
    auto made = WorkFolder::make(parent.path(), 0, {"packs/catalog.skl"});
    ASSERT_TRUE(made) << made.error().message;
    path = (*made)->path();
    const std::string name = path.substr(parent.path().size() + 1);
    parent.write(name + "/packs/catalog.skl", "packs");
    parent.write(name + "/packs/novel.txt", "mine");
    users = path + "/packs/novel.txt";
    EXPECT_FALSE((*made)->remove());
    EXPECT_FALSE(std::filesystem::exists(path_of_text(path + "/packs/catalog.skl")));
  }
  EXPECT_THAT(remove_left_work_folders(parent.path()).foreign, ElementsAre(path));
  ASSERT_TRUE(std::filesystem::exists(path_of_text(users)));
  std::filesystem::remove(path_of_text(users));
  EXPECT_THAT(remove_left_work_folders(parent.path()).removed, ElementsAre(path));
  EXPECT_TRUE(std::filesystem::is_empty(path_of_text(parent.path())));
}

TEST(WorkFolder, OfAUserStaysWhateverItsName) {
  const TestFolder parent;
  const std::string notes = ".seekless-prove-notes";
  for (const std::string& folder : {kLeft, notes}) {
    parent.write(folder + "/packs/mine.txt", "mine");
    parent.write(folder + ".lock", "");
  }
  const LeftWorkFolders found = remove_left_work_folders(parent.path());
  EXPECT_THAT(found.removed, IsEmpty());
  EXPECT_THAT(found.foreign, ElementsAre(parent.path(kLeft)));
  for (const std::string& folder : {kLeft, notes})
    EXPECT_TRUE(std::filesystem::exists(path_of_text(parent.path(folder + "/packs/mine.txt"))));
}

}  // namespace
}  // namespace seekless
