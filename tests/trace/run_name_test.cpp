#include "packer/trace/run_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

TEST(RunName, knows_runs_by_numbers_that_can_mean_nothing_else) {
  for (const char* name :
       {"boot.1.strace", "boot.12.strace.gz", "boot.r1.strace.gz", "boot.R2.trace",
        "boot.run1.strace", "boot.run-3.strace", "boot.run_3.jsonl.lz4", "boot.Run 4.csv",
        "boot (1).strace", "boot(2).strace", "traces/boot.strace"})
    EXPECT_EQ(scenario_of_file(name), "boot") << name;
}

TEST(RunName, leaves_names_alone_that_may_be_maps) {
  for (const char* name :
       {"map_1", "e2m1", "level-2", "cam_1a", "v1.2b", "r1", ".r1", "(2)", "q3dm17", "boot.r",
        "boot.run", "star.1x", "boot ()", "boot.", "1", ".1"})
    EXPECT_EQ(scenario_of_file(std::string(name) + ".strace"), name);
}

TEST(RunName, a_number_after_a_dash_is_likely_a_run) {
  for (const char* name : {"boot-1", "boot_2", "boot 3", "boot-run1", "boot_run_2", "boot-r3",
                           "boot - 4", "boot run 5"})
    EXPECT_EQ(likely_scenario(name), "boot") << name;
  EXPECT_EQ(likely_scenario("level-2"), "level") << "what is read must tell";
  EXPECT_EQ(likely_scenario("e2-m3-1"), "e2-m3");
  EXPECT_EQ(likely_scenario("car-4"), "car");
  for (const char* name : {"e2m1", "cam_1a", "boot", "-1", "_", "", "1", "2-", "run1", "r1"})
    EXPECT_EQ(likely_scenario(name), std::nullopt) << name;
}

TEST(RunRule, needs_a_pattern) {
  const auto rule = RunRule::parse("boot-*=boot");
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->glob, "boot-*");
  EXPECT_EQ(rule->scenario, "boot");
  EXPECT_EQ(RunRule::parse("e1m*=")->scenario, "");
  for (const char* text : {"", "=boot", "boot"}) EXPECT_FALSE(RunRule::parse(text)) << text;
}

}  // namespace
}  // namespace seekless
