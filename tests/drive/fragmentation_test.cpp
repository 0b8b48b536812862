#include "packer/drive/fragmentation.h"

#include <array>

#include <gtest/gtest.h>

namespace seekless {
namespace {

FileExtents file(std::vector<Extent> extents, uint64_t device = 1) {
  FileExtents made;
  made.path = "f";
  made.device = device;
  made.extents = std::move(extents);
  return made;
}

TEST(Fragmentation, one_piece_has_a_path_of_its_own_length) {
  const std::array files = {file({{0, 5000, 100}})};
  const Fragmentation of = measure_fragmentation(files);
  EXPECT_EQ(of.fragments, 1u);
  EXPECT_EQ(of.path_bytes, 100u);
  EXPECT_EQ(of.relative(), 1.0);
}

TEST(Fragmentation, files_side_by_side_are_one_piece) {
  const std::array files = {file({{0, 0, 100}}), file({{0, 100, 50}})};
  EXPECT_EQ(measure_fragmentation(files).fragments, 1u);
  EXPECT_EQ(measure_fragmentation(files).relative(), 1.0);
}

TEST(Fragmentation, small_files_in_neighbouring_blocks_are_one_piece) {
  const std::array files = {file({{0, 0, 1}}), file({{0, 4096, 4095}}), file({{0, 8192, 100}})};
  EXPECT_EQ(measure_fragmentation(files).fragments, 1u);
  const std::array apart = {file({{0, 0, 1}}), file({{0, 8192, 1}})};
  EXPECT_EQ(measure_fragmentation(apart).fragments, 2u);
}

TEST(Fragmentation, jumps_count_forward_and_back) {
  // The head passes 0..10000, goes on to 30000..40000, and back to 10000..20000.
  const std::array files = {file({{0, 0, 10000}, {10000, 30000, 10000}, {20000, 10000, 10000}})};
  const Fragmentation of = measure_fragmentation(files);
  EXPECT_EQ(of.fragments, 3u);
  EXPECT_EQ(of.path_bytes, 80'000u);
  EXPECT_DOUBLE_EQ(of.relative(), 8.0 / 3);
}

TEST(Fragmentation, order_of_files_matters) {
  const FileExtents first = file({{0, 0, 100}});
  const FileExtents second = file({{0, 100, 100}});
  const std::array in_order = {first, second};
  const std::array turned = {second, first};
  EXPECT_EQ(measure_fragmentation(in_order).path_bytes, 200u);
  EXPECT_EQ(measure_fragmentation(turned).path_bytes, 400u);
}

TEST(Fragmentation, devices_have_heads_of_their_own) {
  const std::array files = {file({{0, 0, 100}}, 1), file({{0, 900000, 100}}, 2),
                            file({{0, 100, 100}}, 1)};
  const Fragmentation of = measure_fragmentation(files);
  EXPECT_EQ(of.devices, 2u);
  EXPECT_EQ(of.path_bytes, 300u);
  EXPECT_EQ(of.fragments, 2u);
}

TEST(Fragmentation, nothing_isnt_fragmented) {
  EXPECT_EQ(measure_fragmentation({}).relative(), 1.0);
  const std::array files = {file({})};
  EXPECT_EQ(measure_fragmentation(files).fragments, 0u);
}

}  // namespace
}  // namespace seekless
