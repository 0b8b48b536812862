// Archives of engines whose entries are assets, as ScanOptions::take_apart asks. The archives are
// Quake's .pak; integration/test_take_apart.py has the other formats.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/content/asset_reader.h"
#include "packer/content/content.h"
#include "packer/content/locator.h"
#include "tests/content/test_folder.h"
#include "tests/content/zip_builder.h"

namespace seekless {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

using NamedBytes = std::vector<std::pair<std::string, std::string>>;

// Puts four bytes after each file, which belong to none.
std::string pak_of(const NamedBytes& files) {
  std::string data, records;
  for (const auto& [name, content] : files) {
    records += name + std::string(56 - name.size(), '\0');
    put(records, 12 + data.size(), 4);
    put(records, content.size(), 4);
    data += content + std::string(4, '\0');
  }
  std::string pak = "PACK";
  put(pak, 12 + data.size(), 4);
  put(pak, records.size(), 4);
  return pak + data + records;
}

class TakeApart : public testing::Test {
 protected:
  Content scan(const ScanOptions& options) { return scan({folder.path("game")}, options); }
  static Content scan(const std::vector<std::string>& roots, const ScanOptions& options) {
    auto content = scan_content(roots, options);
    EXPECT_TRUE(content) << content.error().message;
    return content ? *std::move(content) : Content{};
  }
  std::string fault(const ScanOptions& options) {
    const auto content = scan_content({folder.path("game")}, options);
    EXPECT_FALSE(content);
    if (content) return "";
    EXPECT_EQ(content.error().kind, ErrorKind::damaged);
    return content.error().message;
  }
  static NamedBytes files_of(const Content& content) {
    ContentReader reader(content.sources);
    NamedBytes files;
    for (const Asset& asset : content.assets) {
      const auto read = bytes_of(reader, asset);
      EXPECT_TRUE(read) << read.error().message;
      files.emplace_back(asset.path, read.value_or(""));
    }
    return files;
  }
  static Result<std::string> bytes_of(ContentReader& reader, const Asset& asset) {
    SKL_TRY(const auto stream, reader.open(ref_of(asset)));
    std::string bytes(asset.place.size_bytes, '\0');
    SKL_TRY_DO(read_whole(*stream, std::as_writable_bytes(std::span(bytes))));
    return bytes;
  }

  TestFolder folder;
};

TEST_F(TakeApart, gives_each_entry_and_its_bytes) {
  folder.write("game/pak0.pak", pak_of({{"maps/a", "aaaa"}, {"empty", ""}, {"b", "bb"}}));
  folder.write("game/loose", "l");
  EXPECT_THAT(
      files_of(scan({.take_apart = {"*.pak"}})),
      ElementsAre(Pair("b", "bb"), Pair("empty", ""), Pair("loose", "l"), Pair("maps/a", "aaaa")));
  EXPECT_THAT(files_of(scan({.keep_archives = true, .take_apart = {"**"}})),
              ElementsAre(Pair("loose", "l"), Pair("pak0.pak/b", "bb"), Pair("pak0.pak/empty", ""),
                          Pair("pak0.pak/maps/a", "aaaa")));
}

TEST_F(TakeApart, is_only_done_to_archives_that_match) {
  const std::string pak = pak_of({{"a", "aaaa"}});
  folder.write("game/pak0.pak", pak);
  EXPECT_THAT(files_of(scan({})), ElementsAre(Pair("pak0.pak", pak)));
  const Content content = scan({.take_apart = {"*.pck", "loose"}});
  EXPECT_THAT(files_of(content), ElementsAre(Pair("pak0.pak", pak)));
  EXPECT_THAT(
      warnings_of(content),
      ElementsAre(HasSubstr("taken whole"),
                  HasSubstr("2 patterns of --take-apart match no archive, such as '*.pck'")));
  const Content opaque = scan({.take_apart = {"*.pak"}, .opaque = {"pak0.*"}});
  EXPECT_THAT(files_of(opaque), ElementsAre(Pair("pak0.pak", pak)));
}

TEST_F(TakeApart, is_done_to_zips_anyway) {
  folder.write("game/x.zip", ZipBuilder{.items = {{.name = "a", .content = "aaaa"}}}.build());
  const Content content = scan({.take_apart = {"*.zip"}});
  EXPECT_THAT(files_of(content), ElementsAre(Pair("a", "aaaa")));
  EXPECT_THAT(warnings_of(content), IsEmpty());
}

TEST_F(TakeApart, lets_reads_be_found_by_their_place) {
  folder.write("game/pak0.pak", pak_of({{"a", "aaaa"}, {"b", "bb"}}));
  const Content content = scan({.take_apart = {"*.pak"}});
  const Locator locator(content);
  std::vector<std::pair<TouchedPart, uint64_t>> parts;
  locator.touched(0, 0, 30,
                  [&](const Touch& touch) { parts.emplace_back(touch.part, touch.offset_bytes); });
  EXPECT_THAT(parts, ElementsAre(Pair(TouchedPart::other, 0), Pair(TouchedPart::data, 12),
                                 Pair(TouchedPart::other, 16), Pair(TouchedPart::data, 20),
                                 Pair(TouchedPart::other, 22), Pair(TouchedPart::directory, 26)));
}

TEST_F(TakeApart, refuses_paths_that_meet_in_one_root) {
  const std::string first = folder.write("game/a.pak", pak_of({{"x", "1"}}));
  const std::string second = folder.write("game/b.pak", pak_of({{"x", "2"}}));
  EXPECT_THAT(fault({.take_apart = {"*.pak"}}),
              AllOf(HasSubstr(first), HasSubstr(second), HasSubstr("--keep-archives")));
  EXPECT_EQ(scan({.keep_archives = true, .take_apart = {"*.pak"}}).assets.size(), 2U);
  const std::string loose = folder.write("game/X", "3");
  EXPECT_EQ(scan({.take_apart = {"a.pak"}}).assets.size(), 3U);
  EXPECT_THAT(fault({.fold_case = true, .take_apart = {"a.pak"}}),
              AllOf(HasSubstr(first), HasSubstr(loose)));
}

TEST_F(TakeApart, refuses_one_path_twice_in_an_archive) {
  folder.write("game/a.pak", pak_of({{"x", "1"}, {"x", "2"}}));
  EXPECT_THAT(fault({.take_apart = {"*.pak"}}), AllOf(HasSubstr("'x'"), HasSubstr("--opaque")));
}

TEST_F(TakeApart, lets_later_roots_win) {
  folder.write("game/a.pak", pak_of({{"x", "1"}, {"y", "1"}}));
  folder.write("patch/b.pak", pak_of({{"x", "2"}}));
  const Content content =
      scan({folder.path("game"), folder.path("patch")}, {.take_apart = {"*.pak"}});
  EXPECT_THAT(files_of(content), ElementsAre(Pair("x", "2"), Pair("y", "1")));
  EXPECT_EQ(content.shadowed.size(), 1U);
}

TEST_F(TakeApart, refuses_what_it_recognises_and_cant_take) {
  folder.write("game/a.pak", "Rar!\x1A\x07\x01 and so on");
  EXPECT_THAT(fault({.take_apart = {"*.pak"}}),
              AllOf(HasSubstr("a.pak"), HasSubstr("a RAR archive"), HasSubstr("--opaque")));
}

TEST_F(TakeApart, notices_that_the_archive_has_changed) {
  folder.write("game/a.pak", pak_of({{"x", "1"}, {"y", "22"}}));
  const Content content = scan({.take_apart = {"*.pak"}});
  for (const NamedBytes& files :
       {NamedBytes{{"x", "1"}}, NamedBytes{{"y", "1"}, {"x", "22"}},
        NamedBytes{{"x", "22"}, {"y", "1"}}, NamedBytes{{"xx", "1"}, {"y", "22"}}}) {
    folder.write("game/a.pak", pak_of(files));
    ContentReader reader(content.sources);
    const auto read = bytes_of(reader, content.assets[0]);
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message, HasSubstr("plan again"));
  }
}

TEST_F(TakeApart, notices_a_shorter_name_in_a_files_place) {
  folder.write("game/sub/a.pak", pak_of({{"foo/x", "1"}}));
  for (const bool keep_archives : {false, true}) {
    const Content content = scan({.keep_archives = keep_archives, .take_apart = {"**.pak"}});
    EXPECT_THAT(files_of(content),
                ElementsAre(Pair(keep_archives ? "sub/a.pak/foo/x" : "sub/foo/x", "1")));
    for (const std::string name : {"x", "oo/x"}) {
      folder.write("game/sub/a.pak", pak_of({{name, "2"}}));
      ContentReader reader(content.sources);
      const auto read = bytes_of(reader, content.assets[0]);
      ASSERT_FALSE(read) << name;
      EXPECT_THAT(read.error().message, HasSubstr("plan again"));
    }
    folder.write("game/sub/a.pak", pak_of({{"foo/x", "1"}}));
  }
}

TEST_F(TakeApart, refuses_names_that_arent_utf8) {
  folder.write("game/a.pak", pak_of({{"caf\xE9", "1"}, {"x", "2"}}));
  EXPECT_THAT(fault({.take_apart = {"*.pak"}}), AllOf(HasSubstr("entry 0"), HasSubstr("UTF-8")));
  EXPECT_THAT(files_of(scan({.take_apart = {"*.pak"}, .exclude = {"caf*"}})),
              ElementsAre(Pair("x", "2")));
}

TEST_F(TakeApart, refuses_bytes_behind_the_directory) {
  folder.write("game/a.pak", pak_of({{"x", "1"}}) + std::string(3, '\0') + "?");
  EXPECT_THAT(fault({.take_apart = {"*.pak"}}), HasSubstr("belongs to no entry"));
}

}  // namespace
}  // namespace seekless
