#include "packer/serve/internal/node_table.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>

#include "tests/content/test_folder.h"

namespace seekless {
namespace {

namespace fs = std::filesystem;

class NodeTableTest : public testing::Test {
 protected:
  NodeTableTest() {
    fs::create_directories(folder_ / "sub");
    std::ofstream(folder_ / "file") << "one";
    std::ofstream(folder_ / "sub" / "other") << "three";
    table_.emplace(
        std::make_shared<Descriptor>(::open(folder_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)));
  }

  Node& look_up(Node& parent, const std::string& name) {
    struct stat status = {};
    EXPECT_EQ(::fstatat(parent.held->get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW), 0);
    return **table_->look_up(parent, name, status);
  }
  uint64_t size_of(const Node& node) {
    const auto status = status_of(table_->place_of(node));
    return status ? static_cast<uint64_t>(status->st_size) : 1000 + status.error();
  }

  const TestFolder test_folder_;
  const fs::path folder_ = test_folder_.path();
  std::optional<NodeTable> table_;
};

TEST_F(NodeTableTest, names_of_one_file_are_one_node_and_folders_are_held_open) {
  fs::create_hard_link(folder_ / "file", folder_ / "twin");
  Node& file = look_up(table_->root(), "file");
  Node& sub = look_up(table_->root(), "sub");
  EXPECT_EQ(&look_up(table_->root(), "twin"), &file);
  EXPECT_EQ(file.lookups, 2u);
  EXPECT_EQ(file.held, nullptr);
  EXPECT_NE(sub.held, nullptr);
  EXPECT_EQ(table_->path_of(look_up(sub, "other")), "sub/other");
  EXPECT_EQ(table_->path_of(table_->root()), "");
}

TEST_F(NodeTableTest, a_number_that_is_given_again_to_a_pipe_is_no_longer_the_files) {
  const NodePlace place = table_->place_of(look_up(table_->root(), "file"));
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  struct stat pipe = {};
  ASSERT_EQ(::lstat((folder_ / "pipe").c_str(), &pipe), 0);
  EXPECT_EQ(place.type, static_cast<mode_t>(S_IFREG));
  EXPECT_TRUE(reach(place).has_value());
  const NodePlace reused = {place.folder, "pipe", key_of(pipe), place.type};
  EXPECT_EQ(status_of(reused).error(), ESTALE);
  EXPECT_EQ(reach(reused).error(), ESTALE);
}

TEST_F(NodeTableTest, what_the_kernel_was_told_of_a_file_is_known) {
  Node& file = look_up(table_->root(), "file");
  EXPECT_TRUE(table_->is_told(file, file.told));
  std::ofstream(folder_ / "file", std::ios::app) << "more";
  const ChangeStamp now = stamp_of(*status_of(table_->place_of(file)));
  EXPECT_FALSE(table_->is_told(file, now));
  table_->note_told(file, now);
  EXPECT_TRUE(table_->is_told(file, now));
}

TEST_F(NodeTableTest, a_file_follows_its_folder_and_its_own_new_name) {
  Node& sub = look_up(table_->root(), "sub");
  Node& other = look_up(sub, "other");
  fs::rename(folder_ / "sub", folder_ / "moved");
  table_->rename(table_->root(), "sub", table_->root(), "moved");
  EXPECT_EQ(table_->path_of(other), "moved/other");
  EXPECT_EQ(size_of(other), 5u);
  fs::rename(folder_ / "moved" / "other", folder_ / "up");
  table_->rename(sub, "other", table_->root(), "up");
  EXPECT_EQ(table_->path_of(other), "up");
  EXPECT_EQ(size_of(other), 5u);
}

TEST_F(NodeTableTest, a_file_that_lost_its_name_is_still_reached) {
  Node& file = look_up(table_->root(), "file");
  table_->keep_without_name(table_->root(), "file");
  fs::remove(folder_ / "file");
  std::ofstream(folder_ / "file") << "another";
  EXPECT_EQ(size_of(file), 3u);
  EXPECT_NE(&look_up(table_->root(), "file"), &file);
}

// A second link to the file stands for its other spelling.
TEST_F(NodeTableTest, where_case_does_not_matter_a_file_that_lost_its_name_by_another_is_reached) {
  fs::create_hard_link(folder_ / "file", folder_ / "FILE");
  for (const NameCase names : {NameCase::tells, NameCase::ignores}) {
    Node& file = look_up(table_->root(), "file");
    table_->root().names = names;
    table_->keep_without_name(table_->root(), "FILE");
    EXPECT_EQ(file.is_nameless, names == NameCase::ignores);
  }
  fs::remove(folder_ / "FILE");
  fs::rename(folder_ / "file", folder_ / "new");
  table_->rename(table_->root(), "FILE", table_->root(), "new");
  EXPECT_EQ(table_->path_of(look_up(table_->root(), "new")), "new");
}

TEST_F(NodeTableTest, names_are_kept_where_their_case_matters_and_nowhere_else) {
  Node& file = look_up(table_->root(), "file");
  const auto status = status_of(table_->place_of(file));
  EXPECT_TRUE(table_->may_be_kept(table_->root(), "file", &*status));
  Node& sub = look_up(table_->root(), "sub");
  EXPECT_TRUE(table_->may_be_kept(sub));  // like the folder that contains it
  table_->root().names = NameCase::ignores;
  EXPECT_FALSE(table_->may_be_kept(table_->root(), "file", &*status));
  EXPECT_FALSE(table_->may_be_kept(table_->root()));
  sub.names = NameCase::unknown;
  EXPECT_FALSE(table_->may_be_kept(sub));
}

TEST_F(NodeTableTest, a_name_that_others_gave_to_another_file_is_stale) {
  Node& file = look_up(table_->root(), "file");
  std::ofstream(folder_ / "new") << "another";
  fs::rename(folder_ / "new", folder_ / "file");
  EXPECT_EQ(size_of(file), 1000u + ESTALE);
  EXPECT_EQ(reach(table_->place_of(file)).error(), ESTALE);
}

TEST_F(NodeTableTest, a_forgotten_folder_lives_as_long_as_what_lies_in_it) {
  Node& sub = look_up(table_->root(), "sub");
  Node& other = look_up(sub, "other");
  table_->forget(sub, 1);
  EXPECT_EQ(size_of(other), 5u);
  table_->forget(other, 1);
}

// Each folder that a game has looked into is known for as long as the kernel needs it.
TEST_F(NodeTableTest, folders_beyond_a_few_are_found_again_where_they_are) {
  constexpr size_t kFew = 4;
  constexpr int kFolders = 40;
  NodeTable table(
      std::make_shared<Descriptor>(::open(folder_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)),
      kFew);
  const auto look = [&table](Node& parent, const std::string& name) -> Node& {
    struct stat status = {};
    const auto above = table.original_of(parent);
    EXPECT_EQ(::fstatat(above->get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW), 0);
    return **table.look_up(parent, name, status);
  };
  std::vector<Node*> folders = {&table.root()};
  std::string path = folder_;
  for (int i = 0; i < kFolders; ++i) {
    path += "/d" + std::to_string(i);
    fs::create_directory(path);
    std::ofstream(path + "/file") << i;
    folders.push_back(&look(*folders.back(), "d" + std::to_string(i)));
  }
  const auto held = [&] {
    return std::ranges::count_if(folders, [](const Node* node) { return node->held != nullptr; });
  };
  EXPECT_EQ(held(), 1 + static_cast<long>(kFew));
  for (size_t i = 1; i < folders.size(); ++i) {
    const auto status = status_of(table.place_of(look(*folders[i], "file")));
    EXPECT_TRUE(status) << i;
    EXPECT_TRUE(status_of(table.place_of(*folders[i]))) << i;
  }
  EXPECT_EQ(held(), 1 + static_cast<long>(kFew));
  // A folder that somebody else has put there isn't the one that is meant.
  fs::rename(folder_ / "d0", folder_ / "moved");
  fs::create_directory(folder_ / "d0");
  table.original_of(*folders.back());
  EXPECT_EQ(status_of(table.place_of(*folders[1])).error(), ESTALE);
}

TEST_F(NodeTableTest, a_folder_that_lost_its_name_stays_open) {
  constexpr size_t kFew = 1;
  NodeTable table(
      std::make_shared<Descriptor>(::open(folder_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)),
      kFew);
  const auto look = [&](const std::string& name) -> Node& {
    struct stat status = {};
    EXPECT_EQ(::lstat((folder_ / name).c_str(), &status), 0);
    return **table.look_up(table.root(), name, status);
  };
  fs::create_directory(folder_ / "gone");
  Node& gone = look("gone");
  table.keep_without_name(table.root(), "gone");
  fs::remove(folder_ / "gone");
  fs::create_directory(folder_ / "other");
  table.original_of(look("other"));
  table.original_of(look("sub"));
  EXPECT_TRUE(status_of(table.place_of(gone)));
}

TEST_F(NodeTableTest, an_opening_tells_whether_the_file_is_as_it_was) {
  Node& file = look_up(table_->root(), "file");
  constexpr int64_t kHourNs = 3'600'000'000'000;
  ChangeStamp first = stamp_of(*status_of(table_->place_of(file)));
  first.changed_ns -= kHourNs;
  EXPECT_FALSE(table_->note_opened(file, first));
  EXPECT_TRUE(table_->note_opened(file, first));
  ChangeStamp later = first;
  ++later.written_ns;
  EXPECT_FALSE(table_->note_opened(file, later));
}

TEST_F(NodeTableTest, a_file_that_was_just_written_may_be_written_again_with_the_same_stamp) {
  Node& file = look_up(table_->root(), "file");
  ChangeStamp now = stamp_of(*status_of(table_->place_of(file)));
  now.changed_ns = file_clock_ns();
  EXPECT_FALSE(table_->note_opened(file, now));
  EXPECT_FALSE(table_->note_opened(file, now));
}

TEST_F(NodeTableTest, a_file_in_use_is_known_until_it_is_closed) {
  Node& file = look_up(table_->root(), "file");
  EXPECT_EQ(table_->in_use(file), nullptr);
  auto opened = std::make_shared<Descriptor>(::open((folder_ / "file").c_str(), O_RDONLY));
  table_->note_in_use(file, opened);
  EXPECT_EQ(table_->in_use(file), opened);
  opened.reset();
  EXPECT_EQ(table_->in_use(file), nullptr);
}

}  // namespace
}  // namespace seekless
