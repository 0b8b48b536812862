#include "packer/answer/releases.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::ordered_json;

constexpr uint64_t kPacksBytes = 50'000'000;

UpdateCosts sample_update(uint64_t edited_bytes, const std::string& asset) {
  UpdateCosts update = {.edited_bytes = edited_bytes,
                        .grid_bytes = 3 * edited_bytes,
                        .chunk_bytes = edited_bytes,
                        .drive = "a disk",
                        .assets = {{asset, edited_bytes, 4 * edited_bytes}}};
  const uint64_t written = 4 * edited_bytes;
  update.clients.fill({written / 2, written, written, written, 1.5});
  return update;
}

std::string record_of(size_t releases) {
  std::string text;
  for (size_t i = 0; i < releases; ++i)
    text = with_release(text, sample_update(1'000'000, fmt::format("asset {}", i)), kPacksBytes);
  return text;
}

std::string text_of(const std::string& record, size_t columns) {
  return to_text(UpdatesAnswer{"game", *read_releases(record)}, columns, true);
}

TEST(Releases, each_build_adds_one) {
  const auto releases = read_releases(record_of(3));
  ASSERT_TRUE(releases);
  ASSERT_EQ(releases->size(), 3U);
  EXPECT_EQ((*releases)[2].update.assets[0].path, "asset 2");
  EXPECT_EQ((*releases)[2].packs_bytes, kPacksBytes);
}

TEST(Releases, are_read_as_they_were_written) {
  UpdateCosts update = sample_update(1'000'000, "an asset");
  update.prices = {{{0.25, 4}, true, 1, 2, 3, 0.5}};
  update.foreseen = {.assets = 7, .log_loss = 0.25, .constant_log_loss = 0.5};
  const std::string record = with_release("", update, kPacksBytes);
  const auto read = read_releases(record);
  ASSERT_TRUE(read);
  EXPECT_EQ(with_release("", read->front().update, read->front().packs_bytes), record);
}

std::string text_foreseen(double log_loss) {
  UpdateCosts update = sample_update(1'000'000, "an asset");
  update.foreseen = {.assets = 40'000, .log_loss = log_loss, .constant_log_loss = 0.4};
  return text_of(with_release("", update, kPacksBytes), 1000);
}

TEST(Releases, say_how_well_edits_are_foreseen) {
  EXPECT_THAT(text_foreseen(0.3),
              HasSubstr("a log loss of 0.300 an asset; the same chance for all assets "
                        "has 0.400, 33 % more; judged on 40,000 forecasts."));
  EXPECT_THAT(text_foreseen(0.39), HasSubstr("has 0.400, so extensions tell little; judged"));
  EXPECT_THAT(text_foreseen(0.41), HasSubstr("so extensions tell little"));
  EXPECT_THAT(text_of(record_of(1), 1000), Not(HasSubstr("log loss")));
}

TEST(Releases, may_know_nothing_of_what_was_foreseen) {
  Json record = Json::parse(record_of(2));
  record["releases"][1]["foreseen"] = nullptr;
  EXPECT_TRUE(read_releases(record.dump()));
  record["releases"][1]["foreseen"] = {{"assets", 1}};
  EXPECT_FALSE(read_releases(record.dump()));
  record["releases"][1]["foreseen"] = "text";
  EXPECT_FALSE(read_releases(record.dump()));
}

TEST(Releases, the_oldest_goes_where_they_are_too_many) {
  Json full = Json::parse(record_of(2));
  Json& releases = full.at("releases");
  while (releases.size() < kMostReleases) releases.push_back(releases[1]);
  const auto kept =
      read_releases(with_release(full.dump(), sample_update(1'000'000, "the latest"), kPacksBytes));
  ASSERT_TRUE(kept);
  ASSERT_EQ(kept->size(), kMostReleases);
  EXPECT_EQ(kept->front().update.assets[0].path, "asset 1");
  EXPECT_EQ(kept->back().update.assets[0].path, "the latest");
}

TEST(Releases, what_is_no_record_begins_another) {
  for (const char* text : {"", "[]", "{}", "{\"releases\": 1}", "{\"releases\": [{}]}", "\xff"}) {
    EXPECT_FALSE(read_releases(text)) << text;
    EXPECT_EQ(read_releases(with_release(text, sample_update(1, "a"), 1))->size(), 1U) << text;
  }
}

TEST(Releases, a_record_without_any_of_its_figures_is_none) {
  const Json whole = Json::parse(record_of(1));
  ASSERT_TRUE(read_releases(whole.dump()));
  for (const auto& [key, value] : whole.at("releases")[0].items()) {
    Json part = whole;
    part.at("releases")[0].erase(key);
    EXPECT_FALSE(read_releases(part.dump())) << key;
    part.at("releases")[0][key] = "text";
    EXPECT_FALSE(read_releases(part.dump())) << key;
  }
}

TEST(Releases, text_tells_of_all_together) {
  const std::string text = text_of(record_of(2), 100);
  EXPECT_THAT(text, HasSubstr("In 2 releases"));
  EXPECT_THAT(text, HasSubstr("4.0 times the edits"));
  EXPECT_THAT(text, HasSubstr("asset 1"));
  EXPECT_THAT(text, Not(HasSubstr("rewrite_price")));
}

}  // namespace
}  // namespace seekless
