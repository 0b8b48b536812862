#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/page/releases_page.h"
#include "tests/answer/sample_report.h"

namespace seekless {
namespace {

using testing::HasSubstr;
using testing::Not;

UpdatesAnswer sample_updates(const std::string& asset, size_t releases) {
  UpdateCosts update = {.edited_bytes = 1'000'000,
                        .grid_bytes = 3'000'000,
                        .chunk_bytes = 1'000'000,
                        .drive = "a disk",
                        .assets = {{asset, 1'000'000, 4'000'000}}};
  update.clients.fill({2'000'000, 4'000'000, 4'000'000, 4'000'000, 1.5});
  return {.build_file = "a & b",
          .releases = std::vector<Release>(releases, {.update = update, .packs_bytes = 1})};
}

TEST(ReleasesPage, takes_names_as_they_are) {
  const std::string page = to_html(sample_updates("<script>&", 1));
  EXPECT_THAT(page, Not(HasSubstr("<script>&")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;&amp;"));
  EXPECT_THAT(page, HasSubstr("a &amp; b"));
}

TEST(ReleasesPage, has_two_bars_for_each_release) {
  EXPECT_EQ(occurrences(to_html(sample_updates("a", 2)), "<rect"), 4U);
}

}  // namespace
}  // namespace seekless
