#include "packer/page/picture_of_files.h"

#include <gtest/gtest.h>

namespace seekless {
namespace {

constexpr uint64_t kMB = 1'000'000;

TEST(PictureOfFiles, has_a_dot_for_each_megabyte) {
  std::vector<FileExtents> files(2);
  files[0] = {.path = "/g/whole", .size_bytes = 8 * kMB, .extents = {{0, 0, 8 * kMB}}};
  files[1] = {.path = "/g/torn",
              .size_bytes = 4 * kMB,
              .extents = {{0, 8 * kMB, 2 * kMB}, {2 * kMB, 400'000 * kMB, 2 * kMB}}};
  const PicturePage page =
      picture_of(files_on_disk(std::move(files), find_profile("wd-black-1tb").value()));
  ASSERT_EQ(page.pictures.size(), 1U);
  EXPECT_EQ(page.pictures[0].reads.size(), 8U + 2 + 2);
  EXPECT_EQ(page.pictures[0].reads.back().offset_bytes, 400'000 * kMB + (1U << 20));
}

}  // namespace
}  // namespace seekless
