#include "packer/trace/internal/strace_join.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/content/test_folder.h"

namespace seekless {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class JoinStrace : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    paths_.push_back(folder_.write(name, text));
  }
  Result<std::string> joined() {
    std::vector<std::string> warnings;
    const auto stream = join_strace(paths_, warnings);
    if (!stream) return std::unexpected(stream.error());
    std::string text;
    std::string part(7, '\0');
    for (;;) {
      const auto got = (*stream)->read(std::as_writable_bytes(std::span(part)));
      if (!got) return std::unexpected(got.error());
      if (*got == 0) return text;
      text.append(part, 0, *got);
    }
  }

  TestFolder folder_;
  std::vector<std::string> paths_;
};

TEST_F(JoinStrace, lines_of_all_threads_follow_one_another_by_time) {
  write("t.100", "1795226615.0 a\n\n1795226617.0 c\n");
  write("t.9", "1795226616.0 b\n1795226617.0 d\n1795226618.0 e\n");
  EXPECT_EQ(joined(),
            "100 1795226615.0 a\n9 1795226616.0 b\n100 1795226617.0 c\n9 1795226617.0 d\n9 "
            "1795226618.0 e\n");
}

TEST_F(JoinStrace, remarks_stay_where_they_are) {
  write("t.1", "1795226615.0 close(1) = 0\nstrace: Process 2 attached\n+++ exited with 0 +++\n");
  write("t.2", "1795226616.0 close(1) = 0\n");
  EXPECT_EQ(joined(),
            "1 1795226615.0 close(1) = 0\n1 strace: Process 2 attached\n"
            "1 +++ exited with 0 +++\n2 1795226616.0 close(1) = 0\n");
}

TEST_F(JoinStrace, a_time_of_day_goes_on_behind_midnight) {
  write("t.1", "23:59:59.5 close(1) = 0\n00:00:01.5 close(2) = 0\n");
  write("t.2", "23:59:59.9 close(3) = 0\n");
  EXPECT_EQ(joined(),
            "1 23:59:59.5 close(1) = 0\n2 23:59:59.9 close(3) = 0\n1 00:00:01.5 close(2) = 0\n");
}

TEST_F(JoinStrace, a_thread_cut_in_its_last_line_does_not_join_that_with_anothers) {
  write("t.1", "1795226615.0 close(1) = 0\n1795226615.5 clo");
  write("t.2", "1795226616.0 close(1) = 0\n1795226616.5 clo");
  EXPECT_EQ(joined(),
            "1 1795226615.0 close(1) = 0\n1 1795226615.5 clo\n2 1795226616.0 close(1) = 0\n2 "
            "1795226616.5 clo");
}

TEST_F(JoinStrace, empty_files_give_nothing) {
  write("t.1", "");
  write("t.2", "");
  EXPECT_EQ(joined(), "");
}

TEST_F(JoinStrace, names_must_end_in_a_thread) {
  write("t.one", "1795226615.0 close(1) = 0\n");
  EXPECT_EQ(joined().error().kind, ErrorKind::usage);
  EXPECT_THAT(joined().error().message, AllOf(HasSubstr("t.one"), HasSubstr("strace -ff")));
}

TEST_F(JoinStrace, lines_without_a_time_are_refused) {
  write("t.1", "1795226615.0 close(1) = 0\nclose(2) = 0\n");
  EXPECT_EQ(joined().error().kind, ErrorKind::damaged);
  EXPECT_THAT(joined().error().message, AllOf(HasSubstr("line 2"), HasSubstr("-ttt")));
}

TEST_F(JoinStrace, too_many_files_are_refused) {
  paths_.assign(1000, "t.1");
  EXPECT_THAT(joined().error().message, HasSubstr("strace -f "));
}

TEST(JoinedName, is_what_the_files_share) {
  EXPECT_EQ(joined_name("rec/menu.1.strace.4711"), "rec/menu.1.strace");
  EXPECT_EQ(joined_name("menu.4711.gz"), "menu");
  EXPECT_EQ(joined_name("menu"), "menu");
}

}  // namespace
}  // namespace seekless
