#include "packer/answer/report_totals.h"

#include <vector>

#include <gtest/gtest.h>

#include "tests/extreme_figures.h"

namespace seekless {
namespace {

TEST(ReportTotals, saturate_rather_than_wrap) {
  const std::vector<PackReport> packs = {{"a", "sub", 1, kMost, 5, 0}, {"b", "sub", 2, 7, 6, 0}};
  const PackTotal total = total_of(packs);
  EXPECT_EQ(total.file_bytes, kMost);
  EXPECT_EQ(total.content_bytes, 11U);
  EXPECT_EQ(total.assets, 3U);
}

}  // namespace
}  // namespace seekless
