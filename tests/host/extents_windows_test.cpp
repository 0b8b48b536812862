#include <string>

#include <gmock/gmock.h>

#include "packer/host/extents.h"
#include "tests/content/test_folder.h"

namespace seekless {
namespace {

using testing::HasSubstr;

// `warm` only reads parts of a file that have a place.
void expect_all_or_nothing(uint64_t bytes) {
  const TestFolder folder;
  const auto file = read_extents(folder.write("file", std::string(bytes, 'x')));
  if (!file) {  // Wine gives no places
    EXPECT_THAT(file.error().message, HasSubstr("tells where its files lie"));
    return;
  }
  uint64_t placed_bytes = file->inline_bytes;
  for (const Extent& extent : file->extents) placed_bytes += extent.length_bytes;
  EXPECT_EQ(placed_bytes, bytes);
}

TEST(ExtentsOnWindows, hold_every_byte_of_a_file_or_none_is_told) {
  expect_all_or_nothing(300'000);
  expect_all_or_nothing(3000);
  expect_all_or_nothing(0);
}

TEST(ExtentsOnWindows, refuse_what_is_no_file) {
  const TestFolder folder;
  EXPECT_THAT(read_extents(folder.path()).error().message, HasSubstr("expected a regular file"));
  EXPECT_THAT(read_extents(folder.path("none")).error().message, HasSubstr("No such file"));
}

TEST(ExtentsOnWindows, folders_arent_asked_for) {
  const TestFolder folder;
  EXPECT_THAT(read_folder_extents(folder.path()).error().message, HasSubstr("Windows"));
}

}  // namespace
}  // namespace seekless
