#include "packer/content/content.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/content/zip_directory.h"
#include "packer/host/files.h"
#include "tests/content/test_folder.h"
#include "tests/content/zip_builder.h"

namespace seekless {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string zip_of(std::vector<std::string> names, std::string content = "in zip") {
  ZipBuilder zip;
  for (std::string& name : names) {
    const bool is_folder = name.ends_with('/');
    zip.items.push_back({.name = std::move(name), .content = is_folder ? "" : content});
  }
  return zip.build();
}

std::vector<std::string> paths_of(const Content& content) {
  std::vector<std::string> paths;
  for (const Asset& asset : content.assets) paths.push_back(asset.path);
  return paths;
}

class ScanContent : public testing::Test {
 protected:
  Content scan_all(const ScanOptions& options = {}) { return scan({folder.path()}, options); }
  static Content scan(const std::vector<std::string>& roots, const ScanOptions& options = {}) {
    auto content = scan_content(roots, options);
    EXPECT_TRUE(content) << content.error().message;
    return content ? *std::move(content) : Content{};
  }
  Error fault_of_all(const ScanOptions& options = {}) { return fault({folder.path()}, options); }
  static Error fault(const std::vector<std::string>& roots, const ScanOptions& options = {}) {
    const auto content = scan_content(roots, options);
    EXPECT_FALSE(content);
    return content ? Error{} : content.error();
  }
  // Returns the path, below the folder, of the file that holds an asset.
  std::string source_of_asset(const Content& content, const std::string& path) const {
    for (const Asset& asset : content.assets)
      if (asset.path == path)
        return content.sources[asset.place.source].path.without_front(folder.path().size() + 1);
    return "no such asset";
  }

  TestFolder folder;
};

TEST_F(ScanContent, takes_loose_files_under_their_relative_path) {
  folder.write("b/c.txt", "123");
  folder.write("a", "");
  const Content content = scan_all();
  EXPECT_THAT(paths_of(content), ElementsAre("a", "b/c.txt"));
  const Place& place = content.assets[1].place;
  EXPECT_EQ(place.entry, kWholeSource);
  EXPECT_EQ(place.size_bytes, 3U);
  EXPECT_EQ(content.sources[place.source].path, folder.path("b/c.txt"));
  EXPECT_EQ(content.sources[place.source].kind, SourceKind::file);
  EXPECT_EQ(content.size_bytes(), 3U);
}

TEST_F(ScanContent, opens_archives_of_any_name_into_the_folder_they_lie_in) {
  folder.write("baseoa/pak0.dat", zip_of({"models/a", "maps/", "b"}));
  folder.write("top.pk3", zip_of({"c"}));
  const Content content = scan_all();
  EXPECT_THAT(paths_of(content), ElementsAre("baseoa/b", "baseoa/models/a", "c"));
  EXPECT_EQ(content.directories_skipped, 1U);
  const Place& place = content.assets[0].place;
  EXPECT_EQ(place.entry, 2U);
  EXPECT_EQ(place.crc32, crc32_of("in zip"));
  EXPECT_EQ(place.size_bytes, 6U);
  EXPECT_EQ(content.sources[place.source].kind, SourceKind::zip);
}

TEST_F(ScanContent, keeps_archives_apart_if_asked) {
  folder.write("baseoa/pak0.pk3", zip_of({"a"}));
  folder.write("baseoa/pak1.pk3", zip_of({"a"}));
  const Content content = scan_all({.keep_archives = true});
  EXPECT_THAT(paths_of(content), ElementsAre("baseoa/pak0.pk3/a", "baseoa/pak1.pk3/a"));
  EXPECT_TRUE(content.shadowed.empty());
}

TEST_F(ScanContent, takes_a_single_archive_or_file_as_a_root) {
  const std::string zip = folder.write("x/base.wz", zip_of({"a"}));
  const std::string file = folder.write("x/readme", "text");
  EXPECT_THAT(paths_of(scan({zip, file})), ElementsAre("a", "readme"));
  EXPECT_THAT(paths_of(scan({zip}, {.keep_archives = true})), ElementsAre("base.wz/a"));
}

TEST_F(ScanContent, lets_later_archives_win_and_loose_files_over_all) {
  folder.write("pak0.pk3", zip_of({"a", "b", "c"}, "old"));
  folder.write("pak1.pk3", zip_of({"b", "c"}));
  folder.write("c", "loose");
  const Content content = scan_all();
  EXPECT_THAT(paths_of(content), ElementsAre("a", "b", "c"));
  EXPECT_EQ(source_of_asset(content, "a"), "pak0.pk3");
  EXPECT_EQ(source_of_asset(content, "b"), "pak1.pk3");
  EXPECT_EQ(source_of_asset(content, "c"), "c");
  ASSERT_EQ(content.shadowed.size(), 3U);
  EXPECT_EQ(content.shadowed[0].path, "b");
  EXPECT_EQ(content.assets[content.shadowed[0].winner].path, "b");
  EXPECT_EQ(content.shadowed[0].place.size_bytes, 3U);
  EXPECT_EQ(content.shadowed[1].path, "c");
  EXPECT_EQ(content.shadowed[1].place.size_bytes, 3U);
  EXPECT_EQ(content.shadowed[2].place.size_bytes, 6U);
  EXPECT_EQ(content.shadowed[2].winner, 2U);
}

TEST_F(ScanContent, lets_later_roots_win) {
  folder.write("game/a", "old");
  folder.write("mod/mod.zip", zip_of({"a"}));
  const std::string game = folder.path("game");
  const std::string mod = folder.path("mod");
  EXPECT_EQ(source_of_asset(scan({game, mod}), "a"), "mod/mod.zip");
  EXPECT_EQ(source_of_asset(scan({mod, game}), "a"), "game/a");
}

TEST_F(ScanContent, lets_the_last_of_equal_names_in_an_archive_win) {
  ZipBuilder zip{.items = {{.name = "a", .content = "1"}, {.name = "a", .content = "22"}}};
  folder.write("x.zip", zip.build());
  const Content content = scan_all();
  ASSERT_EQ(content.assets.size(), 1U);
  EXPECT_EQ(content.assets[0].place.entry, 1U);
  ASSERT_EQ(content.shadowed.size(), 1U);
  EXPECT_EQ(content.shadowed[0].place.entry, 0U);
}

TEST_F(ScanContent, leaves_opaque_archives_as_they_are) {
  folder.write("a.pk3", zip_of({"x"}));
  folder.write("b.jar", zip_of({"y"}));
  EXPECT_THAT(paths_of(scan_all({.opaque = {"*.jar"}})), ElementsAre("b.jar", "x"));
}

TEST_F(ScanContent, excludes_assets_and_archives_by_glob) {
  folder.write("a.pk3", zip_of({"x.txt", "x.dds", "../escape.txt"}));
  folder.write("b.pk3", "PK\3\4 damaged");
  folder.write("sub/c.txt", "");
  const Content content = scan_all({.exclude = {"*.txt", "b.pk3"}});
  EXPECT_THAT(paths_of(content), ElementsAre("x.dds"));
  EXPECT_EQ(content.excluded, 4U);
}

TEST_F(ScanContent, keeps_paths_that_differ_in_case_unless_told_to_fold) {
  folder.write("a.pk3", zip_of({"Maps/A", "maps/a"}));
  EXPECT_THAT(paths_of(scan_all()), ElementsAre("Maps/A", "maps/a"));
  const Error error = fault_of_all({.fold_case = true});
  EXPECT_EQ(error.kind, ErrorKind::damaged);
  EXPECT_THAT(error.message, AllOf(HasSubstr("'maps/a'"), HasSubstr("'Maps/A' in '")));
}

TEST_F(ScanContent, folds_case_over_sources_and_keeps_the_order_of_bytes) {
  folder.write("a.pk3", zip_of({"Maps/A", "maps/z", "Zed"}));
  folder.write("b.pk3", zip_of({"maps/a", "MAPS/B"}));
  const Content content = scan_all({.fold_case = true});
  EXPECT_THAT(paths_of(content), ElementsAre("MAPS/B", "Zed", "maps/a", "maps/z"));
  ASSERT_EQ(content.shadowed.size(), 1U);
  EXPECT_EQ(content.shadowed[0].path, "Maps/A");
  EXPECT_EQ(content.assets[content.shadowed[0].winner].path, "maps/a");
}

TEST_F(ScanContent, refuses_loose_files_that_differ_in_case_only_when_folding) {
  folder.write("readme", "");
  folder.write("README", "");
  EXPECT_THAT(fault_of_all({.fold_case = true}).message,
              AllOf(HasSubstr("readme'"), HasSubstr("README'")));
}

TEST_F(ScanContent, refuses_a_path_that_is_a_file_and_a_folder) {
  folder.write("a.pk3", zip_of({"x/y", "x.txt", "x/y.txt"}));
  folder.write("b.pk3", zip_of({"x/y/z"}));
  const Error error = fault_of_all();
  EXPECT_EQ(error.kind, ErrorKind::damaged);
  EXPECT_THAT(error.message, AllOf(HasSubstr("'x/y/z'"), HasSubstr("'x/y' in '")));
}

TEST_F(ScanContent, refuses_a_path_that_is_a_file_and_a_folder_when_folding) {
  folder.write("a.pk3", zip_of({"X"}));
  folder.write("b.pk3", zip_of({"x/y"}));
  EXPECT_EQ(scan_all().assets.size(), 2U);
  EXPECT_THAT(fault_of_all({.fold_case = true}).message,
              AllOf(HasSubstr("'x/y'"), HasSubstr("'X' in '")));
}

TEST_F(ScanContent, leaves_out_names_that_lead_out_and_refuses_them_if_strict) {
  for (const char* name : {"../x", "/x", "C:x", "a/../../x"}) {
    folder.write("a.pk3", zip_of({name, "good", "good/../x/"}));
    const Content content = scan_all();
    EXPECT_THAT(paths_of(content), ElementsAre("good")) << name;
    EXPECT_EQ(content.unaddressable.count, 2U);
    EXPECT_THAT(warnings_of(content), ElementsAre(AllOf(HasSubstr(folder.path("a.pk3")),
                                                        HasSubstr(name), HasSubstr("--strict"))));
    const Error error = fault_of_all({.strict = true});
    EXPECT_EQ(error.kind, ErrorKind::damaged) << name;
    EXPECT_THAT(error.message, AllOf(HasSubstr(folder.path("a.pk3")), HasSubstr(name)));
  }
}

TEST_F(ScanContent, leaves_out_a_path_that_its_folder_makes_too_long) {
  folder.write("sub/a.pk3", zip_of({std::string(4096, 'n'), "b"}));
  EXPECT_THAT(paths_of(scan_all()), ElementsAre("sub/b"));
  EXPECT_THAT(fault_of_all({.strict = true}).message, HasSubstr("more than 4096 bytes"));
}

TEST_F(ScanContent, leaves_out_archives_whose_own_name_leads_nowhere) {
  folder.write("C:a.pk3", zip_of({"x", "y"}));
  folder.write("caf\xE9.pk3", zip_of({"x"}));
  EXPECT_THAT(fault_of_all({.keep_archives = true}).message,
              AllOf(HasSubstr("2 that no path leads to"), HasSubstr("C:a.pk3")));
  folder.write("b.pk3", zip_of({"z"}));
  const Content content = scan_all({.keep_archives = true});
  EXPECT_THAT(paths_of(content), ElementsAre("b.pk3/z"));
  EXPECT_EQ(content.unaddressable.count, 2U);
  EXPECT_EQ(scan_all().assets.size(), 3U);  // the links' own names are in no path
}

TEST_F(ScanContent, leaves_out_files_that_no_layout_could_name) {
  folder.write("caf\xE9.pk3", zip_of({"x"}));
  folder.write("sub/caf\xE9", "y");
  folder.write("good", "z");
  const Content content = scan_all();
  EXPECT_THAT(paths_of(content), ElementsAre("good"));
  EXPECT_EQ(content.sources.size(), 1U);
  EXPECT_EQ(content.unaddressable.count, 2U);
  EXPECT_THAT(fault_of_all({.strict = true}).message, HasSubstr("--exclude 'caf\xE9.pk3'"));
  const ScanOptions only_file = {.strict = true, .exclude = {"*.pk3"}};
  EXPECT_THAT(fault_of_all(only_file).message, HasSubstr("--exclude 'sub/caf\xE9'"));
  EXPECT_EQ(scan_all({.any_names = true}).sources.size(), 3U);
}

TEST_F(ScanContent, tells_links_that_lead_nowhere_or_out) {
  const TestFolder elsewhere;
  folder.write("real", "x");
  std::filesystem::create_symlink("real", folder.path("inner"));
  std::filesystem::create_symlink("none", folder.path("dangling"));
  std::filesystem::create_symlink(elsewhere.write("secret", "s"), folder.path("outer"));
  elsewhere.write("sub/file", "f");
  std::filesystem::create_directory_symlink(elsewhere.path("sub"), folder.path("tree"));
  const Content content = scan_all();
  EXPECT_THAT(paths_of(content), ElementsAre("inner", "outer", "real", "tree/file"));
  EXPECT_EQ(content.leading_nowhere.count, 1U);
  EXPECT_EQ(content.leading_out.count, 2U);
  EXPECT_THAT(content.leading_out.first, HasSubstr(elsewhere.path("secret")));
  EXPECT_EQ(scan({folder.path(), elsewhere.path()}).leading_out.count, 0U);
  EXPECT_EQ(scan_all({.exclude = {"dangling"}}).leading_nowhere.count, 0U);
  EXPECT_THAT(fault_of_all({.strict = true}).message, HasSubstr("dangling"));
}

TEST_F(ScanContent, tells_links_back_unless_they_are_left_out) {
  folder.write("deep/real", "x");
  std::filesystem::create_directory_symlink(folder.path(), folder.path("deep/back"));
  const Content content = scan_all();
  EXPECT_THAT(paths_of(content), ElementsAre("deep/real"));
  EXPECT_EQ(content.leading_nowhere.count, 1U);
  EXPECT_THAT(content.leading_nowhere.first, HasSubstr("deep/back' (back to "));
  for (const char* pattern : {"back", "deep/back", "deep/back/**", "deep/b*"}) {
    const Content without = scan_all({.strict = true, .exclude = {pattern}});
    EXPECT_THAT(paths_of(without), ElementsAre("deep/real")) << pattern;
    EXPECT_EQ(without.leading_nowhere.count, 0U) << pattern;
  }
  EXPECT_THAT(fault_of_all({.strict = true}).message,
              testing::AllOf(HasSubstr("deep/back"), HasSubstr("--exclude")));
}

TEST_F(ScanContent, looks_into_no_folder_that_is_left_out) {
  folder.write("deep/real", "x");
  folder.write("file", "x");
  const Content content = scan_all({.exclude = {"deep/**"}});
  EXPECT_THAT(paths_of(content), ElementsAre("file"));
  EXPECT_EQ(content.excluded, 1U);
  EXPECT_THAT(fault_of_all({.exclude = {"deep/**", "file"}}).message, HasSubstr("2 excluded"));
}

TEST_F(ScanContent, refuses_damaged_archives_unless_only_places_matter) {
  const std::string whole = zip_of({"x", "y"});
  folder.write("good.zip", whole);
  folder.write("bad.zip", whole.substr(0, whole.size() - 30));
  EXPECT_THAT(fault_of_all().message,
              testing::AllOf(HasSubstr("bad.zip"), HasSubstr("--exclude"), HasSubstr("--opaque")));
  EXPECT_EQ(scan_all({.exclude = {"bad.zip"}}).assets.size(), 2U);
  EXPECT_EQ(scan_all({.opaque = {"bad.zip"}}).assets.size(), 3U);
  const Content places = scan_all({.keep_archives = true, .any_names = true});
  EXPECT_THAT(paths_of(places), ElementsAre("good.zip/x", "good.zip/y"));
  EXPECT_EQ(places.sources.size(), 2U);
  EXPECT_EQ(places.not_taken.count, 1U);
  EXPECT_THAT(places.not_taken.first, HasSubstr("bad.zip"));
}

TEST_F(ScanContent, reads_archives_from_where_it_is_told) {
  const TestFolder elsewhere;
  const std::string now = folder.write("a.pk3", zip_of({"x"}));
  const std::string before = elsewhere.write("kept", zip_of({"x", "y"}));
  const Content content = scan_all({.read_from = {{canonical_path(now), before}}});
  EXPECT_THAT(paths_of(content), ElementsAre("x", "y"));
  EXPECT_EQ(content.sources[0].path, now);
  EXPECT_EQ(content.sources[0].size_bytes, std::filesystem::file_size(before));
}

TEST_F(ScanContent, refuses_what_cant_be_unpacked_only_if_it_is_needed) {
  ZipBuilder zip{
      .items = {{.name = "locked", .content = "?", .flags = zip_flag::kEncrypted}, {.name = "b"}}};
  folder.write("a.pk3", zip.build());
  EXPECT_EQ(fault_of_all().kind, ErrorKind::damaged);
  EXPECT_EQ(scan_all({.require_readable = false}).assets.size(), 2U);
  EXPECT_THAT(paths_of(scan_all({.exclude = {"locked"}})), ElementsAre("b"));
  folder.write("b.pk3", zip_of({"locked"}));  // this copy hides it
  EXPECT_EQ(scan_all().assets.size(), 2U);
}

TEST_F(ScanContent, refuses_roots_without_content) {
  EXPECT_EQ(fault({folder.path("missing")}).kind, ErrorKind::usage);
  EXPECT_THAT(fault_of_all().message, HasSubstr("no file in it"));
  folder.write("empty.zip", zip_of({}));
  EXPECT_THAT(fault_of_all().message, HasSubstr("expected at least one asset"));
  EXPECT_EQ(fault(std::vector<std::string>{}).kind, ErrorKind::failed);
}

TEST_F(ScanContent, refuses_a_damaged_archive_rather_than_take_it_for_a_file) {
  const std::string zip = zip_of({"a"});
  const std::string file = folder.write("a.pk3", zip.substr(0, zip.size() - 10));
  const Error error = fault_of_all();
  EXPECT_EQ(error.kind, ErrorKind::damaged);
  EXPECT_THAT(error.message, AllOf(HasSubstr(file), HasSubstr("end record")));
}

TEST_F(ScanContent, marks_links) {
  folder.write("real", "x");
  std::filesystem::create_symlink("real", folder.path("link"));
  const Content content = scan_all();
  ASSERT_EQ(content.sources.size(), 2U);
  EXPECT_TRUE(content.sources[0].is_link);
  EXPECT_FALSE(content.sources[1].is_link);
}

}  // namespace
}  // namespace seekless
