// Swaps folders below an output for links at every critical moment, with the kernel's own
// protection and where the kernel refuses it.
#include <cstddef>
#include <filesystem>
#include <initializer_list>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "packer/host/fence.h"
#include "packer/host/files.h"
#include "packer/host/leftovers.h"
#include "packer/host/pending_file.h"
#include "packer/host/whole_files.h"
#include "packer/output/folder_tree.h"
#include "tests/content/test_folder.h"
#include "tests/host/folder_names.h"

namespace seekless {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// An output with a folder in it, and another user's folder, which must stay unchanged.
class FenceTest : public testing::Test {
 protected:
  FenceTest() {
    folder_.write("out/sub/mine", "mine");
    folder_.write("outside/mine", "theirs");
    fs::create_directories(folder_.path("outside/deep"));
  }

  std::string out(const std::string& name = "") const {
    return folder_.path(name.empty() ? "out" : "out/" + name);
  }
  // Does what anyone with write access to the output could do.
  void swap() const {
    fs::rename(out("sub"), folder_.path("moved"));
    fs::create_directory_symlink(folder_.path("outside"), out("sub"));
  }
  void expect_outside_untouched() const {
    EXPECT_THAT(names_in(folder_.path("outside")), testing::UnorderedElementsAre("deep", "mine"));
    EXPECT_THAT(names_in(folder_.path("outside/deep")), IsEmpty());
    EXPECT_EQ(read_text(folder_.path("outside/mine"), 100).value(), "theirs");
  }
  void expect_named(const Result<void>& refused) const {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::failed);
    EXPECT_THAT(refused.error().message, HasSubstr(out("sub") + ": "));
    EXPECT_THAT(refused.error().message, HasSubstr("symbolic link"));
  }

  TestFolder folder_;
};

TEST_F(FenceTest, lets_everything_be_done_below_it) {
  fs::create_directory_symlink(out(), folder_.path("named"));
  const std::string named = folder_.path("named");  // a link that the user may name as the output
  const auto fence = Fence::around(named);
  ASSERT_TRUE(fence) << fence.error().message;
  ASSERT_TRUE(make_folders(named + "/a//b/./c/"));
  ASSERT_TRUE(write_text(named + "/a/b/c/new", "new"));
  ASSERT_TRUE(rename_path(named + "/a/b/c/new", named + "/sub/new"));
  ASSERT_TRUE(link_file(named + "/sub/new", named + "/a/second").value());
  ASSERT_TRUE(copy_whole_file(named + "/sub/new", named + "/a/copy"));
  ASSERT_TRUE(copy_attributes(named + "/sub/mine", named + "/a/copy"));
  ASSERT_TRUE(sync_file(named + "/a/copy"));
  ASSERT_TRUE(sync_folder(named + "/a/b"));
  ASSERT_TRUE(remove_file(named + "/a/second"));
  ASSERT_TRUE(remove_folder(named + "/a/b/c/"));
  EXPECT_THAT(plain_files(named + "/a").value(), ElementsAre("copy"));
  EXPECT_EQ(read_text(out("sub/new"), 100).value(), "new");
  ASSERT_TRUE(remove_tree(named + "/a"));
  EXPECT_FALSE(fs::exists(out("a")));
}

TEST_F(FenceTest, lets_nothing_through_a_link_below_it) {
  const auto fence = Fence::around(out());
  ASSERT_TRUE(fence);
  swap();
  folder_.write("out/from", "x");
  expect_named(write_text(out("sub/new"), "x"));
  expect_named(make_folders(out("sub/new/folder")));
  expect_named(rename_path(out("from"), out("sub/new")));
  expect_named(rename_path(out("sub/mine"), out("new")));
  expect_named(remove_file(out("sub/mine")));
  expect_named(remove_folder(out("sub/deep")));
  remove_empty_folder(out("sub/deep"));
  expect_named(copy_whole_file(out("from"), out("sub/new")));
  expect_named(copy_attributes(out("from"), out("sub/mine")));
  expect_named(sync_folder(out("sub")));
  EXPECT_FALSE(link_file(out("from"), out("sub/new")));
  EXPECT_FALSE(link_file(out("sub/mine"), out("new")));
  EXPECT_FALSE(FileLock::take(out("sub/lock")));
  EXPECT_FALSE(identity_of(out("sub/mine")));
  EXPECT_FALSE(open_source(out("sub/mine")));
  EXPECT_FALSE(LiveFile::create(out("sub/new")));
  EXPECT_FALSE(remove_tree(out("sub")));
  EXPECT_FALSE(make_way(out(), "sub/new"));
  expect_outside_untouched();
  EXPECT_TRUE(fs::exists(out("from")));
  EXPECT_FALSE(fs::exists(out("new")));
}

TEST_F(FenceTest, stands_around_the_folder_that_was_there_whatever_takes_its_name) {
  const auto fence = Fence::around(out());
  ASSERT_TRUE(fence);
  fs::rename(out(), folder_.path("moved"));
  fs::create_directory_symlink(folder_.path("outside"), out());
  ASSERT_TRUE(write_text(out("new"), "new"));
  expect_outside_untouched();
  EXPECT_TRUE(fs::exists(folder_.path("moved/new")));
}

TEST_F(FenceTest, is_needed_by_no_file_that_is_written_already) {
  auto whole = PendingFile::create(out("sub/whole"));
  auto given_up = PendingFile::create(out("sub/given-up"));
  auto live = LiveFile::create(out("sub/live"));
  ASSERT_TRUE(whole && given_up && live);
  ASSERT_TRUE(whole->append("whole"));
  swap();
  folder_.write("outside/live", "theirs");
  whole->bypass_cache();
  ASSERT_TRUE(whole->commit());
  { const auto gone = *std::move(given_up); }
  { const auto gone = *std::move(live); }
  EXPECT_THAT(names_in(folder_.path("moved")), testing::UnorderedElementsAre("mine", "whole"));
  EXPECT_TRUE(fs::exists(folder_.path("outside/live")));
  fs::remove(folder_.path("outside/live"));
  expect_outside_untouched();
}

TEST_F(FenceTest, leaves_to_the_user_what_leads_out_of_it_by_name) {
  const auto fence = Fence::around(out());
  ASSERT_TRUE(fence);
  EXPECT_TRUE(write_text(out("../beside"), "x"));
  EXPECT_TRUE(write_text(folder_.path("out-of-it"), "x"));
  EXPECT_FALSE(is_plain_way(out(), "../outside"));
}

TEST_F(FenceTest, ends_with_its_last_owner) {
  {
    const auto first = Fence::around(out());
    const auto second = Fence::around(out() + "/");
    ASSERT_TRUE(first && second);
  }
  swap();
  EXPECT_TRUE(write_text(out("sub/new"), "x"));
  EXPECT_TRUE(fs::exists(folder_.path("outside/new")));
}

// Root may list every folder, so root becomes an ordinary user while this exists.
class AsOrdinaryUser {
 public:
  explicit AsOrdinaryUser(std::initializer_list<std::string> own) : is_root_(::geteuid() == 0) {
    constexpr uid_t kNobody = 65534;
    if (!is_root_) return;
    for (const std::string& path : own) EXPECT_EQ(::chown(path.c_str(), kNobody, kNobody), 0);
    EXPECT_EQ(::seteuid(kNobody), 0);
  }
  ~AsOrdinaryUser() {
    if (is_root_) {
      EXPECT_EQ(::seteuid(0), 0);
    }
  }
  AsOrdinaryUser(const AsOrdinaryUser&) = delete;
  AsOrdinaryUser& operator=(const AsOrdinaryUser&) = delete;

 private:
  const bool is_root_;
};

TEST_F(FenceTest, needs_no_right_to_list_a_folder) {
  const AsOrdinaryUser user({folder_.path("."), out(), out("sub")});
  fs::permissions(out("sub"), fs::perms::owner_write | fs::perms::owner_exec);
  const auto fence = Fence::around(out());
  ASSERT_TRUE(fence);
  auto file = PendingFile::create(out("sub/new"));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_TRUE(file->commit(false));
  fs::permissions(out("sub"), fs::perms::owner_all);
  EXPECT_TRUE(fs::exists(out("sub/new")));
}

// From now on openat2 answers as if a filter of calls refused it, as in containers or with old
// filters.
bool refuse_openat2(uint32_t os_error) {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | os_error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {std::size(filter), filter};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

class RefusedFenceTest : public FenceTest, public testing::WithParamInterface<int> {};

TEST_P(RefusedFenceTest, holds_name_by_name) {
  fs::create_directories(out("a/b/c"));
  const pid_t child = ::fork();
  if (child == 0) {
    if (!refuse_openat2(static_cast<uint32_t>(GetParam()))) ::_exit(2);
    const auto fence = Fence::around(out());
    bool is_right = fence.has_value() && write_text(out("a/b/c/new"), "new").has_value() &&
                    make_folders(out("a/x/y")).has_value();
    swap();
    const auto refused = write_text(out("sub/new"), "x");
    is_right = is_right && !refused && refused.error().message.starts_with(out("sub") + ": ") &&
               !remove_file(out("sub/mine")) && !make_folders(out("sub/new"));
    ::_exit(is_right ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "the system lets nobody filter calls";
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(fs::exists(out("a/b/c/new")));
  EXPECT_TRUE(fs::exists(out("a/x/y")));
  expect_outside_untouched();
}

INSTANTIATE_TEST_SUITE_P(Reasons, RefusedFenceTest, testing::Values(ENOSYS, EPERM));

}  // namespace
}  // namespace seekless
