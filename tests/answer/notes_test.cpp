#include "packer/answer/internal/notes.h"

#include <gtest/gtest.h>

namespace seekless {
namespace {

TEST(AnswerNotes, are_a_list) {
  EXPECT_EQ(to_text({.brief = {"one", "two"}, .more = {}}, false, 80), "- one\n- two\n");
  EXPECT_EQ(to_text({.brief = {}, .more = {}}, false, 80), "");
}

TEST(AnswerNotes, are_five_at_most_unless_asked) {
  const AnswerNotes six = {.brief = {"1", "2", "3", "4", "5", "6"}, .more = {}};
  EXPECT_EQ(to_text(six, false, 80), "- 1\n- 2\n- 3\n- 4\n- --verbose says more\n");
  EXPECT_EQ(to_text(six, true, 80), "- 1\n- 2\n- 3\n- 4\n- 5\n- 6\n");
  const AnswerNotes five = {.brief = {"1", "2", "3", "4", "5"}, .more = {}};
  EXPECT_EQ(to_text(five, false, 80), "- 1\n- 2\n- 3\n- 4\n- 5\n");
}

TEST(AnswerNotes, say_the_rest_if_asked) {
  const AnswerNotes notes = {.brief = {"1"}, .more = {"why"}};
  EXPECT_EQ(to_text(notes, false, 80), "- 1\n- --verbose says more\n");
  EXPECT_EQ(to_text(notes, true, 80), "- 1\n- why\n");
}

TEST(AnswerNotes, break_where_a_name_is_long) {
  EXPECT_EQ(to_text({.brief = {"a note of words"}, .more = {}}, false, 10),
            "- a note\n  of words\n");
}

TEST(AnswerNotes, keep_a_command_in_one_line) {
  EXPECT_EQ(to_text({.brief = {"undo: seekless restore /a/long/path"}, .more = {}}, false, 10),
            "- undo: seekless restore /a/long/path\n");
}

}  // namespace
}  // namespace seekless
