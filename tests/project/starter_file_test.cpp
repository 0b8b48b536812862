#include "packer/project/starter_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/project/build_file.h"
#include "tests/project/on_drive.h"

namespace seekless {
namespace {

using testing::ElementsAre;

std::vector<StampedFile> files_of(const std::vector<std::string>& paths) {
  std::vector<StampedFile> files;
  for (const std::string& path : paths) files.push_back({path, {100, 0, 0, 0}});
  return files;
}

StarterFile made(const std::vector<std::string>& paths) {
  const auto starter = make_starter_file(files_of(paths), "game");
  EXPECT_TRUE(starter) << starter.error().message;
  return starter.value_or(StarterFile{});
}

TEST(StarterFile, finds_content_and_recordings) {
  const StarterFile starter = made({"content/a", "content/b/c", "notes.txt", "traces/x.1.trace",
                                    "traces/x.2.trace", "traces/y.jsonl.lz4"});
  EXPECT_EQ(starter.content, "content");
  EXPECT_EQ(starter.files, 2U);
  EXPECT_EQ(starter.bytes, 200U);
  EXPECT_EQ(starter.recordings, 3U);
  EXPECT_THAT(starter.traces, ElementsAre("traces/*.jsonl.lz4", "traces/*.trace"));
}

TEST(StarterFile, takes_all_when_the_folder_called_so_is_a_small_part) {
  const StarterFile starter = made({"assets/a", "music/a", "maps/a", "maps/b"});
  EXPECT_EQ(starter.content, ".");
  EXPECT_EQ(starter.files, 4U);
}

TEST(StarterFile, is_a_build_file_whatever_is_found) {
  for (const std::vector<std::string>& paths :
       std::vector<std::vector<std::string>>{{"a"},
                                             {"data/a"},
                                             {"a", "t/\"odd\\ name\".trace", "u.pml"},
                                             {"assets/a", "assets/b.trace"}}) {
    const StarterFile starter = made(paths);
    const auto file = parse_build_file(starter.text, "/game/seekless.json");
    ASSERT_TRUE(file) << file.error().message << starter.text;
    EXPECT_EQ(file->traces.size(), starter.traces.size());
    EXPECT_EQ(file->lock, on_drive("/game/layout.lock"));
  }
}

TEST(StarterFile, of_content_beside_it_leaves_out_what_builds_write) {
  const StarterFile starter = made({"a", "packs/old.skl", ".seekless/state", "layout.lock"});
  EXPECT_EQ(starter.content, ".");
  EXPECT_EQ(starter.files, 1U);
}

TEST(StarterFile, without_content_there_is_none) {
  EXPECT_FALSE(make_starter_file({}, "game"));
  EXPECT_FALSE(make_starter_file(files_of({"a.trace"}), "game"));
}

}  // namespace
}  // namespace seekless
