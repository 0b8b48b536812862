#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "packer/report/report.h"
#include "tests/report/sample_report.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;
using testing::ElementsAre;

std::vector<std::string> keys_of(const Json& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

TEST(ReportJson, has_the_keys_of_the_schema_in_order) {
  const Json json = to_json(sample_report());
  EXPECT_THAT(keys_of(json),
              ElementsAre("seekless", "version", "drive", "capacity_bytes", "assumptions",
                          "warnings", "scenarios", "scenarios_total", "packs", "packs_total"));
  EXPECT_THAT(keys_of(json["scenarios"][0]),
              ElementsAre("name", "runs", "assets", "needed_bytes", "before", "after",
                          "bound_seconds", "times_faster", "over_bound"));
  EXPECT_THAT(keys_of(json["scenarios"][0]["before"]),
              ElementsAre("bytes", "reads", "seeks", "seconds"));
  EXPECT_THAT(keys_of(json["packs"][0]), ElementsAre("name", "kind", "assets", "file_bytes",
                                                     "content_bytes", "padding_bytes"));
}

TEST(ReportJson, has_the_values_as_measured) {
  const Json json = to_json(sample_report());
  EXPECT_EQ(json["scenarios"][1]["before"]["seeks"], 2'000);
  EXPECT_EQ(json["scenarios"][1]["times_faster"], 4.8);
  EXPECT_EQ(json["scenarios_total"]["after"]["seconds"], 3.0);
  EXPECT_EQ(json["scenarios_total"]["over_bound"], 1.25);
  EXPECT_EQ(json["packs_total"]["padding_bytes"], 2'000'000);
}

TEST(ReportJson, of_nothing_has_empty_lists_and_no_ratios) {
  const Json json = to_json({});
  EXPECT_EQ(json["scenarios"], Json::array());
  EXPECT_EQ(json["packs"], Json::array());
  EXPECT_TRUE(json["scenarios_total"]["times_faster"].is_null());
}

TEST(ReportJson, can_be_written_whatever_the_names_and_numbers) {
  Report report = sample_report();
  report.drive = "\xff";
  report.warnings = {"\xc3"};
  report.scenarios[0].name = "\xed\xa0\x80";
  report.scenarios[0].before.seconds = std::numeric_limits<double>::quiet_NaN();
  report.packs[0].name = "\x80";
  const Json json = to_json(report);
  EXPECT_NO_THROW(EXPECT_EQ(Json::parse(json.dump()), json));
  EXPECT_EQ(json["scenarios"][0]["before"]["seconds"], 0.0);
}

}  // namespace
}  // namespace seekless
