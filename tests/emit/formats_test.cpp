#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/emit/format.h"

namespace seekless {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Result<Emission> emit_as(std::string_view format, const FileOrder& order) {
  const EmitFormat* found = find_emit_format(format);
  EXPECT_NE(found, nullptr);
  return emit(*found, order, found->prefix);
}

std::string text_of(std::string_view format, std::vector<std::string> read) {
  const auto emission = emit_as(format, {.read = std::move(read)});
  return emission ? emission->list.text : emission.error().message;
}

FileOrder many(size_t files) {
  FileOrder order;
  for (size_t i = 0; i < files; ++i) order.read.push_back(fmt::format("f{}", i));
  return order;
}

// Maps each priority to its number of files, without the folder's own line.
std::map<int, int> priorities(const std::string& list) {
  std::map<int, int> found;
  for (size_t begin = 0; begin < list.size();) {
    const size_t end = list.find('\n', begin);
    const size_t space = list.rfind(' ', end);
    if (list[begin] != '.') ++found[std::stoi(list.substr(space + 1, end - space - 1))];
    begin = end + 1;
  }
  return found;
}

TEST(Formats, have_names_of_their_own_and_a_command) {
  std::set<std::string_view> names;
  for (const EmitFormat& format : emit_formats()) {
    EXPECT_TRUE(names.insert(format.name).second);
    EXPECT_THAT(std::string(format.taken_by), HasSubstr("LIST"));
    EXPECT_EQ(find_emit_format(format.name), &format);
  }
  EXPECT_EQ(names.size(), 7);
  EXPECT_EQ(find_emit_format("rar"), nullptr);
}

TEST(Formats, hold_nothing_of_nothing) {
  for (const EmitFormat& format : emit_formats()) {
    const auto emission = emit(format, {}, format.prefix);
    ASSERT_TRUE(emission);
    EXPECT_EQ(emission->list.text, format.name == "mksquashfs" ? ". -32768\n" : "");
    EXPECT_THAT(emission->unsayable, IsEmpty());
  }
}

TEST(Formats, are_written_as_their_packers_read_them) {
  const std::vector<std::string> read = {"b/x y", "#a"};
  EXPECT_EQ(text_of("mksquashfs", read), "b/x\\ y 32767\n\\#a 32766\n. -32768\n");
  EXPECT_EQ(text_of("gensquashfs", read), "-2 ./b/x y/\n-1 ./#a/\n");
  EXPECT_EQ(text_of("erofs", {"b/x y", "it's"}),
            "set -e\nmkdir ' !load-order'\n"
            "ln './b/x y' ' !load-order/00000001'\n"
            "ln './it'\\''s' ' !load-order/00000002'\n");
  EXPECT_EQ(text_of("dwarfs", read), "b/x y\n#a\n");
  EXPECT_EQ(text_of("tar", read), std::string("./b\0./b/x y\0./#a\0", 17));
  EXPECT_EQ(text_of("zip", read), "b/x y\n#a\n");
  EXPECT_EQ(text_of("unreal", read), "\"../../../b/x y\" 1\n\"../../../#a\" 2\n");
}

TEST(Formats, what_decides_what_is_packed_lists_everything_once) {
  const FileOrder order = {.read = {"d/b", "a"},
                           .unread = {"d/a", "e/f/g"},
                           .folders = {"d", "e", "e/f", "empty"},
                           .links = {"e/link"}};
  const auto tar = emit_as("tar", order);
  ASSERT_TRUE(tar);
  std::string names = tar->list.text;
  std::ranges::replace(names, '\0', '|');
  EXPECT_EQ(names, "./d|./d/b|./a|./e|./e/link|./e/f|./empty|./d/a|./e/f/g|");
  const auto zip = emit_as("zip", order);
  ASSERT_TRUE(zip);
  EXPECT_EQ(zip->list.text, "d/b\na\nd/a\ne/f/g\ne/link\nd\ne\ne/f\nempty\n");
}

TEST(Formats, tell_what_they_cannot_hold) {
  const FileOrder order = {.read = {"a", "b\nb", "c\nc", "d\xff", "\"", " e", "f "}};
  const auto unreal = emit_as("unreal", order);
  ASSERT_TRUE(unreal);
  ASSERT_EQ(unreal->unsayable.size(), 3);
  EXPECT_EQ(unreal->unsayable[0].files, 2);
  EXPECT_EQ(unreal->unsayable[0].example, "b\nb");
  EXPECT_EQ(unreal->unsayable[1].example, "d\xff");
  EXPECT_EQ(unreal->unsayable[2].example, "\"");
  EXPECT_EQ(emit_as("mksquashfs", order)->unsayable.front().files, 2);
  EXPECT_THAT(emit_as("tar", order)->unsayable, IsEmpty());
  const auto zip = emit_as("zip", {.read = {"a"}, .links = {"l\n"}});
  ASSERT_FALSE(zip) << "the archive would lack it";
  EXPECT_THAT(zip.error().message, HasSubstr("a line end in its name"));
}

TEST(Mksquashfs, has_a_priority_for_each_of_65535_files) {
  const auto emission = emit_as("mksquashfs", many(65535));
  ASSERT_TRUE(emission);
  const auto found = priorities(emission->list.text);
  EXPECT_EQ(found.size(), 65535);
  EXPECT_EQ(found.begin()->first, -32767) << "that of unread files is lower";
  EXPECT_EQ(found.rbegin()->first, 32767);
  EXPECT_EQ(emission->list.note, "");
}

TEST(Mksquashfs, shares_priorities_evenly_among_more_files_and_says_so) {
  const auto emission = emit_as("mksquashfs", many(200'000));
  ASSERT_TRUE(emission);
  const auto found = priorities(emission->list.text);
  EXPECT_EQ(found.size(), 65535);
  EXPECT_EQ(found.begin()->first, -32767);
  EXPECT_EQ(found.rbegin()->first, 32767);
  for (const auto& [priority, files] : found) EXPECT_TRUE(files == 3 || files == 4) << priority;
  EXPECT_THAT(emission->list.note, HasSubstr("up to 4"));
}

}  // namespace
}  // namespace seekless
