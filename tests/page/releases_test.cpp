#include "packer/page/releases.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::ordered_json;

Json sample_client(uint64_t written_bytes) {
  return {{"downloaded_bytes", written_bytes / 2},
          {"read_bytes", written_bytes},
          {"written_bytes", written_bytes},
          {"peak_room_bytes", written_bytes},
          {"seconds", 1.5}};
}

Json sample_build(uint64_t edited_bytes, const std::string& asset) {
  return {
      {"bytes", 50'000'000},
      {"patch",
       {{"edited_bytes", edited_bytes},
        {"grid_bytes", 3 * edited_bytes},
        {"chunk_bytes", edited_bytes},
        {"clients",
         {{"drive", "a disk"},
          {"grid", sample_client(4 * edited_bytes)},
          {"chunks", sample_client(4 * edited_bytes)},
          {"apply", sample_client(4 * edited_bytes)},
          {"blocks", sample_client(4 * edited_bytes)}}},
        {"assets",
         Json::array(
             {{{"path", asset}, {"bytes", edited_bytes}, {"written_bytes", 4 * edited_bytes}}})},
        {"prices", Json::array()}}}};
}

std::string record_of(size_t releases) {
  std::string text;
  for (size_t i = 0; i < releases; ++i)
    text = with_release(text, sample_build(1'000'000, fmt::format("asset {}", i))).dump();
  return text;
}

TEST(Releases, each_build_adds_one) {
  const auto releases = releases_of(record_of(3));
  ASSERT_TRUE(releases);
  ASSERT_EQ(releases->size(), 3U);
  EXPECT_EQ((*releases)[2].at("assets")[0].at("path"), "asset 2");
  EXPECT_EQ((*releases)[2].at("packs_bytes"), 50'000'000);
}

std::string text_foreseen(double log_loss) {
  Json build = sample_build(1'000'000, "an asset");
  build["patch"]["foreseen"] = {
      {"assets", 40'000}, {"log_loss", log_loss}, {"constant_log_loss", 0.4}};
  return releases_text(*releases_of(with_release("", build).dump()), 1000);
}

TEST(Releases, say_how_well_edits_are_foreseen) {
  EXPECT_THAT(text_foreseen(0.3), HasSubstr("a log loss of 0.300 an asset, and one chance for all "
                                            "has 0.400, 33 % more; judged on 40,000 forecasts."));
  EXPECT_THAT(text_foreseen(0.39), HasSubstr("has 0.400, so extensions tell little; judged"));
  EXPECT_THAT(text_foreseen(0.41), HasSubstr("so extensions tell little"));
  EXPECT_THAT(releases_text(*releases_of(record_of(1)), 1000), Not(HasSubstr("log loss")));
}

TEST(Releases, may_know_nothing_of_what_was_foreseen) {
  Json record = Json::parse(record_of(2));
  record["releases"][1]["foreseen"] = nullptr;
  EXPECT_TRUE(releases_of(record.dump()));
  record["releases"][1]["foreseen"] = {{"assets", 1}};
  EXPECT_FALSE(releases_of(record.dump()));
  record["releases"][1]["foreseen"] = "text";
  EXPECT_FALSE(releases_of(record.dump()));
}

TEST(Releases, the_oldest_goes_where_they_are_too_many) {
  Json full = Json::parse(record_of(2));
  Json& releases = full.at("releases");
  while (releases.size() < kMostReleases) releases.push_back(releases[1]);
  const Json after = with_release(full.dump(), sample_build(1'000'000, "the latest"));
  const Json& kept = after.at("releases");
  ASSERT_EQ(kept.size(), kMostReleases);
  EXPECT_EQ(kept.front().at("assets")[0].at("path"), "asset 1");
  EXPECT_EQ(kept.back().at("assets")[0].at("path"), "the latest");
}

TEST(Releases, what_is_no_record_begins_another) {
  for (const char* text : {"", "[]", "{}", "{\"releases\": 1}", "{\"releases\": [{}]}", "\xff"}) {
    EXPECT_FALSE(releases_of(text)) << text;
    EXPECT_EQ(with_release(text, sample_build(1, "a")).at("releases").size(), 1U) << text;
  }
}

TEST(Releases, a_record_without_any_of_its_figures_is_none) {
  const Json whole = Json::parse(record_of(1));
  ASSERT_TRUE(releases_of(whole.dump()));
  for (const auto& [key, value] : whole.at("releases")[0].items()) {
    Json part = whole;
    part.at("releases")[0].erase(key);
    EXPECT_FALSE(releases_of(part.dump())) << key;
    part.at("releases")[0][key] = "text";
    EXPECT_FALSE(releases_of(part.dump())) << key;
  }
}

TEST(Releases, text_and_page_tell_of_all_together) {
  const auto releases = releases_of(record_of(2));
  ASSERT_TRUE(releases);
  const std::string text = releases_text(*releases, 100);
  EXPECT_THAT(text, HasSubstr("In 2 releases"));
  EXPECT_THAT(text, HasSubstr("4.0 times the edits"));
  EXPECT_THAT(text, HasSubstr("asset 1"));
  EXPECT_THAT(text, Not(HasSubstr("rewrite_price")));
}

TEST(Releases, the_page_takes_names_as_they_are) {
  const auto releases = releases_of(with_release("", sample_build(1, "<script>&")).dump());
  ASSERT_TRUE(releases);
  const std::string page = releases_html("a & b", *releases);
  EXPECT_THAT(page, Not(HasSubstr("<script>&")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;&amp;"));
  EXPECT_THAT(page, HasSubstr("a &amp; b"));
}

TEST(Releases, the_chart_has_two_bars_for_each) {
  const auto releases = releases_of(record_of(2));
  ASSERT_TRUE(releases);
  const std::string page = releases_html("a", *releases);
  size_t bars = 0;
  for (size_t at = page.find("<rect"); at != std::string::npos; at = page.find("<rect", at + 1))
    ++bars;
  EXPECT_EQ(bars, 4U);
}

}  // namespace
}  // namespace seekless
