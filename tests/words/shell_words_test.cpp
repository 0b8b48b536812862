#include "packer/words/shell_words.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace seekless {
namespace {

TEST(shell_words, leaves_plain_words_alone) {
  EXPECT_EQ(shell_word("/usr/share/games/quake", ShellKind::posix), "/usr/share/games/quake");
  EXPECT_EQ(shell_word("--auto", ShellKind::posix), "--auto");
  EXPECT_EQ(shell_word("%command%", ShellKind::posix), "%command%");
}

TEST(shell_words, quotes_what_a_shell_would_take_apart) {
  EXPECT_EQ(shell_word("", ShellKind::posix), "''");
  EXPECT_EQ(shell_word("my games", ShellKind::posix), "'my games'");
  EXPECT_EQ(shell_word("it's", ShellKind::posix), "'it'\\''s'");
  EXPECT_EQ(shell_word("~user", ShellKind::posix), "'~user'");
  EXPECT_EQ(shell_word("$HOME;*", ShellKind::posix), "'$HOME;*'");
  EXPECT_EQ(shell_word("Spiele für alle", ShellKind::posix), "'Spiele für alle'");
}

TEST(shell_words, escapes_what_a_terminal_would_not_show) {
  EXPECT_EQ(shell_word("a\nb", ShellKind::posix), "$'a\\x0ab'");
  EXPECT_EQ(shell_word("\xff'\\", ShellKind::posix), "$'\\xff\\'\\\\'");
}

TEST(shell_words, quotes_as_windows_reads_it) {
  EXPECT_EQ(shell_word("C:\\Games\\quake", ShellKind::windows), "C:\\Games\\quake");
  EXPECT_EQ(shell_word("C:\\My Games\\", ShellKind::windows), "\"C:\\My Games\\\\\"");
  EXPECT_EQ(shell_word("", ShellKind::windows), "\"\"");
}

TEST(shell_words, joins_words_with_spaces) {
  const std::vector<std::string> words = {"seekless", "play", "my game", "--", "game"};
  EXPECT_EQ(shell_line(words, ShellKind::posix), "seekless play 'my game' -- game");
}

TEST(shell_words, tells_variables_from_programs) {
  for (const char* word : {"FOO=1", "_a9=", "A=b=c", "DXVK_HUD=fps,memory"})
    EXPECT_TRUE(is_variable_setting(word)) << word;
  for (const char* word : {"", "=1", "9A=1", "FOO", "/a=b/run", "--state=/x", "a-b=1"})
    EXPECT_FALSE(is_variable_setting(word)) << word;
}

}  // namespace
}  // namespace seekless
