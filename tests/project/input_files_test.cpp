#include "packer/project/internal/input_files.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/content/test_folder.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> paths_of(const InputFiles& found) {
  std::vector<std::string> paths;
  for (const InputFile& file : found.files)
    paths.push_back(std::to_string(file.root) + ":" + std::string(file.path));
  return paths;
}

std::vector<KnownFile> known(const std::vector<InputFile>& files) {
  std::vector<KnownFile> all;
  for (const InputFile& file : files)
    all.push_back({file.path, file.root, SourceKind::file, true, file.stamp});
  return all;
}

std::vector<std::string> changes_of(const std::vector<KnownFile>& before,
                                    const std::vector<InputFile>& now, size_t most = 9) {
  FileChanges changes(now, most);
  for (const KnownFile& file : before) changes.add(file);
  return changes.finish();
}

TEST(InputFiles, finds_all_below_the_roots_but_what_is_excluded) {
  const TestFolder folder;
  folder.write("a/x.png", "1");
  folder.write("a/sub/y.psd", "2");
  folder.write("a/sub.z", "3");
  folder.write("b.zip", "4");
  const auto files = find_input_files({folder.path("a"), folder.path("b.zip")}, {"*.psd"});
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_THAT(paths_of(*files), ElementsAre("0:sub.z", "0:x.png", "1:b.zip"));
  const auto none = find_input_files({folder.path("none")}, {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::usage);
}

TEST(InputFiles, describes_what_changed) {
  const std::vector<InputFile> before = {{0, "a", {10, 1, 1, 1}},
                                         {0, "b", {10, 1, 1, 2}},
                                         {0, "c", {10, 1, 1, 3}},
                                         {1, "a", {10, 1, 1, 4}},
                                         {1, "d", {10, 1, 1, 5}}};
  std::vector<InputFile> now = before;
  EXPECT_THAT(changes_of(known(before), now), IsEmpty());
  now[0].stamp.size_bytes = 12;
  now.erase(now.begin() + 1);
  now[1].stamp.written_ns = 5;
  now[2].stamp.inode = 9;
  now.push_back({1, "e", {1, 1, 1, 6}});
  EXPECT_THAT(changes_of(known(before), now),
              ElementsAre("a: size 10 -> 12", "b: gone", "c: written again",
                          "a: replaced by another file", "e: new"));
  EXPECT_THAT(changes_of(known(before), now, 2), testing::SizeIs(2));
}

TEST(InputFiles, the_first_difference_to_today_is_named) {
  const TestFolder folder;
  for (const char* path : {"r/a", "r/b", "r/c"}) folder.write(path, "x");
  const std::vector<std::string> roots = {folder.path("r")};
  const auto before = find_input_files(roots, {});
  ASSERT_TRUE(before) << before.error().message;
  const auto difference = [&] {
    const auto found = first_difference(before->files, roots, {}).value_or("an error");
    EXPECT_EQ(found, first_difference(known(before->files), roots, {}).value_or("an error"));
    return found.value_or("none");
  };
  EXPECT_EQ(difference(), "none");
  folder.write("r/d", "x");
  EXPECT_EQ(difference(), "d: new");
  folder.write("r/c", "xx");
  EXPECT_EQ(difference(), "c: size 1 -> 2");
  std::filesystem::remove(folder.path("r/c"));
  EXPECT_EQ(difference(), "c: gone");
  folder.write("r/a2", "x");
  EXPECT_EQ(difference(), "a2: new");
  EXPECT_FALSE(first_difference(before->files, {folder.path("none")}, {}));
}

// The file's stamp may hide another write.
TEST(InputFiles, what_was_written_as_it_was_looked_at_counts_as_changed) {
  const std::vector<InputFile> files = {{0, "a", {10, 1, 1, 1}}};
  std::vector<KnownFile> before = known(files);
  before[0].is_settled = false;
  EXPECT_THAT(changes_of(before, files), ElementsAre(HasSubstr("a: written while")));
}

TEST(InputFiles, finds_the_file_of_each_source) {
  const std::vector<std::string> roots = {"/r", "/r/one.zip", "/s"};
  const std::vector<InputFile> files = {
      {0, "a", {}}, {0, "b/c", {}}, {0, "z.zip", {}}, {1, "one.zip", {}}, {2, "a", {}}};
  Content content;
  for (const char* path : {"/r/z.zip", "/r/a", "/r/b/c", "/r/one.zip", "/s/a"})
    content.sources.push_back({.path = content.paths.add(path)});
  std::string appeared;
  const auto matches = match_sources(content, roots, files, appeared);
  ASSERT_TRUE(matches) << appeared;
  EXPECT_THAT(*matches, ElementsAre(2, 0, 1, 3, 4));
  content.sources.push_back({.path = "/s/late"});
  EXPECT_FALSE(match_sources(content, roots, files, appeared));
  EXPECT_EQ(appeared, "/s/late");
}

TEST(InputFiles, patterns_bring_the_files_that_match) {
  const TestFolder folder;
  for (const char* path : {"t/a.trace", "t/b.trace", "t/c.txt", "t/deep/d.trace", "one.pml"})
    folder.write(path, "x");
  const auto expanded = [&](const std::vector<std::string>& patterns) {
    return expand_patterns(patterns, folder.path(), "seekless.json");
  };
  const auto found = expanded({"t/*.trace", "one.pml", "t/a.trace"});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(*found, ElementsAre(folder.path("one.pml"), folder.path("t/a.trace"),
                                  folder.path("t/b.trace")));
  EXPECT_THAT(*expanded({"t/**/*.trace"}), testing::Contains(folder.path("t/deep/d.trace")));
  EXPECT_THAT(*expanded({"*.pml"}), ElementsAre(folder.path("one.pml")));
  EXPECT_THAT(*expanded({folder.path("t/b.*")}), ElementsAre(folder.path("t/b.trace")));
  for (const char* pattern : {"t/*.none", "none/*.trace", "none.pml", "t"}) {
    const auto none = expanded({pattern});
    ASSERT_FALSE(none) << pattern;
    EXPECT_THAT(none.error().message, testing::AllOf(HasSubstr("seekless.json"), HasSubstr(pattern),
                                                     HasSubstr("record")));
  }
}

}  // namespace
}  // namespace seekless
