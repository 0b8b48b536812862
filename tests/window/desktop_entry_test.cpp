#include "packer/window/internal/desktop_entry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(DesktopEntry, is_known_again) {
  const std::string entry = desktop_entry("Quake", {"/usr/bin/seekless", "play", "/a b"});
  EXPECT_THAT(entry, HasSubstr("\nName=Quake (seekless)\n"));
  EXPECT_THAT(entry, HasSubstr("\nExec=\"/usr/bin/seekless\" \"play\" \"/a b\"\n"));
  EXPECT_TRUE(is_own_desktop_entry(entry));
  EXPECT_FALSE(is_own_desktop_entry("[Desktop Entry]\nName=Other\n"));
}

TEST(DesktopEntry, quotes_what_would_run) {
  const std::string entry =
      desktop_entry("A\nExec=evil", {"/a\"b", "$HOME", "100%", "c\\d", "e\nf"});
  EXPECT_THAT(entry, Not(HasSubstr("\nExec=evil")));
  EXPECT_THAT(entry, HasSubstr(R"("/a\\"b" "\\$HOME" "100%%" "c\\\\d" "e\nf")"));
}

}  // namespace
}  // namespace seekless
