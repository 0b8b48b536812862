#include "packer/command/internal/roff.h"

#include <gtest/gtest.h>

namespace seekless {
namespace {

TEST(Roff, takes_no_text_for_a_request) {
  EXPECT_EQ(roff(".x\n'y"), "\\&.x\n\\&\\(aqy");
  EXPECT_EQ(roff("a-b\\`^~"), "a\\-b\\e\\(ga\\(ha\\(ti");
}

TEST(Roff, a_footer_has_headings_paragraphs_and_lines_that_stay) {
  EXPECT_EQ(roff_sections("Example:\n  a b\n\nOne.\n\nTwo words:\n  c"),
            ".SH EXAMPLE\n.EX\na b\n.EE\n.PP\nOne.\nTwo words:\n.EX\nc\n.EE\n");
}

}  // namespace
}  // namespace seekless
