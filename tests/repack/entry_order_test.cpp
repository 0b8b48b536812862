#include "packer/repack/entry_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST(EntryOrder, holds_what_is_read_of_each_archive_once) {
  const Content content = {
      .sources = {{.path = "a.zip", .kind = SourceKind::zip}, {.path = "loose"}},
      .assets = {{"a.zip/x", {.size_bytes = 10, .stored_bytes = 10, .entry = 0}},
                 {"a.zip/y", {.size_bytes = 10, .stored_bytes = 10, .entry = 1}},
                 {"a.zip/z", {.size_bytes = 10, .stored_bytes = 10, .entry = 2}},
                 {"loose", {.size_bytes = 10, .stored_bytes = 10, .source = 1}}}};
  const Profile profile = {
      .assets = {"a.zip/z", "loose", "a.zip/x", "gone"},
      .scenarios = {{"one", {{"1", {0, 1, 2}}, {"2", {2, 0, 3}}}}, {"two", {{"3", {0}}}}}};
  const EntryOrder order = order_entries(profile, content, {.drive = builtin_profiles().front()});
  ASSERT_EQ(order.read_entries.size(), 2U);
  EXPECT_THAT(order.read_entries[0], UnorderedElementsAre(0, 2));
  EXPECT_THAT(order.read_entries[1], IsEmpty());
}

}  // namespace
}  // namespace seekless
