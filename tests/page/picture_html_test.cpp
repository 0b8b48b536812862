
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "packer/host/files.h"
#include "packer/page/internal/page_parts.h"
#include "packer/page/internal/picture.h"
#include "tests/content/test_folder.h"

namespace seekless {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string page_of(Picture picture) {
  PicturePage page{.title = "Page"};
  page.pictures.push_back(std::move(picture));
  return picture_html(page);
}

nlohmann::json data_of(const std::string& html) {
  const std::string begin = "id=\"data\">";
  const size_t from = html.find(begin) + begin.size();
  return nlohmann::json::parse(html.substr(from, html.find("</script>", from) - from));
}

size_t count_of(const std::string& html, const std::string& what) {
  size_t count = 0;
  for (size_t at = html.find(what); at != std::string::npos; at = html.find(what, at + 1)) ++count;
  return count;
}

// Checks that elements are closed in the reverse order of their opening.
void expect_balanced(const std::string& html) {
  std::vector<std::string> open;
  size_t at = 0;
  while ((at = html.find('<', at)) != std::string::npos) {
    if (html[at + 1] == '!') {
      at = html.find('>', at);
      continue;
    }
    const bool closes = html[at + 1] == '/';
    const size_t begin = at + (closes ? 2 : 1);
    const std::string name = html.substr(begin, html.find_first_of(" >\n", begin) - begin);
    at = html.find('>', at);
    if (closes) {
      ASSERT_FALSE(open.empty()) << name;
      EXPECT_EQ(open.back(), name);
      open.pop_back();
    } else if (name != "meta" && name != "input") {
      open.push_back(name);
    }
    if (!closes && (name == "script" || name == "style")) at = html.find("</" + name, at);
  }
  EXPECT_TRUE(open.empty());
}

TEST(PictureHtml, is_well_formed) {
  expect_balanced(page_of({.title = "one",
                           .files = {{"a", 10}, {"b", 10}},
                           .reads = {{.length_bytes = 5}, {.length_bytes = 1, .file = 1}},
                           .marks = {{.time_ns = 1, .name = "menu"}},
                           .notes = {"Seen on a Tuesday."}}));
}

TEST(PictureHtml, of_no_picture_and_of_empty_ones_is_a_page) {
  expect_balanced(picture_html({}));
  const std::string html = page_of({});
  expect_balanced(html);
  EXPECT_THAT(html, HasSubstr("Nothing was read."));
  EXPECT_EQ(data_of(html)["pictures"][0]["count"], 0);
}

TEST(PictureHtml, says_in_words_and_tables_what_was_read) {
  const std::string html =
      page_of({.title = "run",
               .files = {{"base.wz", 100'000}, {"mp.wz"}},
               .reads = {{.start_ns = 0, .length_bytes = 4096},
                         {.start_ns = 2'500'000'000, .offset_bytes = 90'000, .length_bytes = 4096},
                         {.start_ns = 2'600'000'000, .length_bytes = 1000, .file = 1}}});
  EXPECT_THAT(html, HasSubstr("3 reads of 9.19 kB from 2 files in 2.6 s."));
  EXPECT_THAT(html, HasSubstr("Most is read from base.wz: 89 %."));
  EXPECT_THAT(html, HasSubstr("base.wz</th><td>2</td><td>8,192</td><td>0.000</td><td>2.500</td>"));
}

TEST(PictureHtml, lets_no_name_become_a_part_of_the_page) {
  const std::string evil = "</script><script>alert(1)</script><!--\"'&";
  PicturePage page{.title = evil};
  page.pictures = {{.title = evil,
                    .files = {{evil}},
                    .reads = {{.length_bytes = 1}},
                    .marks = {{.name = evil}},
                    .notes = {evil}}};
  const std::string html = picture_html(page);
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html, Not(HasSubstr("<!--")));
  EXPECT_EQ(count_of(html, "</script>"), 2);
  EXPECT_EQ(data_of(html)["files"][0][0], evil);
  expect_balanced(html);
}

TEST(PictureHtml, shows_names_that_are_not_text) {
  const std::string html = page_of({.files = {{"a\xff.pak"}}, .reads = {{}}});
  EXPECT_THAT(html, HasSubstr("a\\xff.pak"));
  EXPECT_EQ(data_of(html)["files"][0][0], "a\\xff.pak");
  EXPECT_EQ(html.find('\xff'), std::string::npos);
}

TEST(PictureHtml, allows_no_other_source_and_no_other_script) {
  const std::string html = page_of({.files = {{"a"}}, .reads = {{}}});
  EXPECT_THAT(html, HasSubstr("default-src 'none'; script-src 'sha256-"));
  EXPECT_EQ(count_of(html, "<script"), 2);
  for (const char* outside : {"src=", "@import", "url(", "<link", "eval(", "fetch("})
    EXPECT_THAT(html, Not(HasSubstr(outside)));
  EXPECT_THAT(std::string(picture_script()), Not(HasSubstr("</")));
}

TEST(PictureHtml, is_the_same_each_time) {
  PicturePage page;
  Picture picture;
  for (uint32_t i = 0; i < 500; ++i) {
    picture.files.push_back({.name = "file" + std::to_string(i)});
    picture.reads.push_back({.start_ns = i % 7, .length_bytes = i % 3, .file = i});
  }
  page.pictures = {picture, picture};
  EXPECT_EQ(picture_html(page), picture_html(page));
}

TEST(PictureHtml, takes_the_odd_and_the_great) {
  Picture picture{.files = {{"a", UINT64_MAX}, {"b"}}};
  picture.reads = {{.start_ns = INT64_MIN, .duration_ns = 0},
                   {.start_ns = INT64_MAX,
                    .duration_ns = INT64_MAX,
                    .offset_bytes = uint64_t{1} << 53,
                    .length_bytes = UINT64_MAX},
                   {.file = UINT32_MAX},
                   {.offset_bytes = UINT64_MAX, .file = 1, .thread = UINT32_MAX}};
  for (const auto places : {PicturePlaces::files_by_first_read, PicturePlaces::drive}) {
    picture.places = places;
    const std::string html = page_of(picture);
    expect_balanced(html);
    EXPECT_EQ(data_of(html)["pictures"][0]["count"], 3);
  }
}

TEST(PictureHtml, says_so_where_only_some_reads_are_drawn) {
  EXPECT_THAT(page_of({.files = {{"a"}}, .reads = {{}}, .every_nth = 4}),
              HasSubstr("one of 4 is drawn"));
}

TEST(PictureHtml, lists_only_the_files_that_are_read_most) {
  Picture picture;
  for (uint32_t i = 0; i < 10'000; ++i) {
    picture.files.push_back({.name = "file" + std::to_string(i) + ".dds"});
    picture.reads.push_back({.start_ns = i, .length_bytes = i, .file = i});
  }
  const std::string html = page_of(std::move(picture));
  EXPECT_THAT(html, HasSubstr("Listed are the 200 of 10,000 files"));
  EXPECT_THAT(html, HasSubstr("9,993 other files"));
  EXPECT_LT(html.size(), 1'500'000U);
}

TEST(WritePicture, writes_the_page_and_names_the_file_it_cannot_write) {
  const TestFolder folder;
  const std::string path = folder.path("picture.html");
  PicturePage page{.title = "Page"};
  ASSERT_TRUE(write_picture(path, page));
  const auto text = read_text(path, 1 << 20);
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, picture_html(page));
  ASSERT_TRUE(remove_file(path));

  const auto failed = write_picture(folder.path("no/such/folder/page.html"), page);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("no/such/folder"));
}

}  // namespace
}  // namespace seekless
