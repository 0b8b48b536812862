#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "packer/answer/report.h"
#include "tests/answer/sample_report.h"

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
  EXPECT_THAT(keys_of(json), ElementsAre("seekless", "version", "verdict", "drive",
                                         "capacity_bytes", "assumptions", "warnings", "scenarios",
                                         "scenarios_total", "packs", "packs_total", "reads"));
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

TEST(ReportJson, has_what_each_scenario_reads_of_which_pack) {
  Report report = sample_report();
  add_reads(report);
  const Json json = to_json(report)["reads"];
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[0]["scenario"], "boot");
  EXPECT_EQ(json[0]["packs"][0], (Json{{"pack", "common.skl"},
                                       {"read_bytes", 20'000'000},
                                       {"needed_bytes", 10'000'000},
                                       {"copied_bytes", 0}}));
  EXPECT_EQ(json[0]["packs"][1]["copied_bytes"], 60'000'000);
  EXPECT_EQ(json[1]["packs"].size(), 1U);
}

TEST(ReportJson, has_the_plan_only_if_there_is_one) {
  Report report = sample_report();
  EXPECT_FALSE(to_json(report).contains("plan"));
  EXPECT_FALSE(to_json(report)["scenarios"][0].contains("predicted"));
  add_plan(report);
  const Json json = to_json(report);
  EXPECT_EQ(json["plan"]["reasons"], "Copies pay on a disk.");
  EXPECT_EQ(json["plan"]["chosen"],
            (Json{{"size_ratio", 1.25}, {"copied_bytes", 40'000'000}, {"seconds", 2.5}}));
  EXPECT_EQ(json["plan"]["curve"].size(), 3U);
  EXPECT_EQ(json["scenarios"][0]["predicted"],
            (Json{{"sweep_seconds", 0.4}, {"demand_seconds", 0.9}, {"held_out", true}}));
  EXPECT_FALSE(json["scenarios"][1].contains("predicted"));
}

TEST(ReportJson, of_nothing_has_empty_lists_and_no_ratios) {
  const Json json = to_json(Report());
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
  add_plan(report);
  report.plan->reasons = report.plan->drive = "\xc3";
  report.plan->chosen.seconds = std::numeric_limits<double>::infinity();
  report.reads = {{.name = "\x80", .read = {{0, 0, 5}}, .needed = {}, .copied = {}}};
  const Json json = to_json(report);
  EXPECT_NO_THROW(EXPECT_EQ(Json::parse(json.dump()), json));
  EXPECT_EQ(json["scenarios"][0]["before"]["seconds"], 0.0);
}

}  // namespace
}  // namespace seekless
