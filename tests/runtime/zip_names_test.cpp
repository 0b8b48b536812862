// Tests the reader with the table; tests/content/zip_names_test.cpp tests the packer.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/content/test_folder.h"
#include "tests/content/zip_name_cases.h"
#include "tests/runtime/test_context.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;
using testing::UnorderedElementsAreArray;

TEST(MountedZipNames, come_to_what_the_table_says) {
  const TestFolder folder;
  uint32_t number = 0;
  for (const ZipNameCase& of : zip_name_cases()) {
    // Each case has its own file, because a mount keeps its file open.
    const std::string path =
        folder.write(std::to_string(number++) + ".zip",
                     ZipBuilder{.items = {of.item, {.name = "zz", .content = "text"}}}.build());
    const Context context;
    context.mount(path);
    if (of.path.empty()) {
      EXPECT_THAT(listed(context), ElementsAre("zz")) << of.what;
      continue;
    }
    EXPECT_THAT(listed(context), UnorderedElementsAre(of.path, "zz")) << of.what;
    EXPECT_EQ(context.read(of.path), of.item.content) << of.what;
  }
}

TEST(MountedZipNames, beside_each_other_come_to_what_the_table_says) {
  const TestFolder folder;
  uint32_t number = 0;
  for (const ZipSetCase& of : zip_set_cases()) {
    const std::string path =
        folder.write(std::to_string(number++) + ".zip", ZipBuilder{.items = of.items}.build());
    const Context context;
    context.mount(path, {.fold_case = of.folds_case});
    EXPECT_THAT(listed(context), UnorderedElementsAreArray(of.paths)) << of.what;
    for (const std::string& one : of.paths) EXPECT_NE(context.find(one), 0U) << of.what << one;
  }
}

TEST(MountedZipNames, of_which_the_local_header_has_another_are_damaged) {
  const TestFolder folder;
  ZipBuilder zip = {.items = {{.name = "\x84", .content = "x", .version_made_by = 20}}};
  std::string bytes = zip.build();
  bytes[zip.header_offsets[0] + 30] ^= 1;
  const Context context;
  context.mount(folder.write("a.zip", bytes));
  EXPECT_THAT(context.read("ä"), HasSubstr("entry 'ä': expected a header that agrees"));
}

}  // namespace
}  // namespace seekless
