// Tests the tables and JSON of simulated loads.
#include "packer/answer/simulate_answer.h"

#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/words/plain_text.h"

namespace seekless {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Simulation sample_simulation() {
  Simulation simulation = {.policy = "sweep",
                           .read_ahead = "linux:128Ki",
                           .queue_depth = 1,
                           .places = {{"mp.wz", 300'000'000'000}},
                           .drives = {},
                           .warnings = {"a\xff warning"}};
  for (const char* name : {"disk", "ssd"})
    simulation.drives.push_back(
        {name,
         1000,
         {{.name = "map/a\x1b[31m",
           .runs = 3,
           .today = LoadFigures{{46'800'000, 1063, 340, 2.9}, 41'300'000, 0.34},
           .packs = LoadFigures{{41'900'000, 36, 5, 0.36}, 40'400'000, 0.33}}}});
  return simulation;
}

size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, columns_of(line));
  return widest;
}

TEST(SimulationText, has_a_table_for_each_drive_and_says_what_is_what) {
  const std::string text = to_text(sample_simulation(), 80, true);
  EXPECT_THAT(text, AllOf(HasSubstr("disk\n"), HasSubstr("ssd\n"), HasSubstr("2.90"),
                          HasSubstr("1,063"), HasSubstr("8.53"), HasSubstr("sweep")));
  EXPECT_THAT(text, Not(HasSubstr("\x1b"))) << "a name can't colour the terminal";
  EXPECT_LE(widest_line(text), 80U);
}

TEST(SimulationText, fits_80_columns_whatever_the_names_and_numbers) {
  Simulation simulation = sample_simulation();
  SimulatedScenario& scenario = simulation.drives[0].scenarios[0];
  scenario.name = std::string(300, 'x');
  scenario.today = LoadFigures{{UINT64_MAX, UINT64_MAX, UINT64_MAX, 1e300}, UINT64_MAX, 1e-300};
  EXPECT_LE(widest_line(to_text(simulation, 0, true)), 80U);
}

TEST(SimulationText, leaves_out_what_was_not_simulated) {
  Simulation simulation = sample_simulation();
  simulation.policy.clear();
  for (SimulatedDrive& drive : simulation.drives) drive.scenarios[0].packs.reset();
  EXPECT_THAT(to_text(simulation, 80, true), Not(HasSubstr("packs")));
  EXPECT_FALSE(to_json(simulation)["drives"][0]["scenarios"][0].contains("packs"));
  EXPECT_TRUE(to_json(simulation)["policy"].is_null());
}

TEST(SimulationJson, keeps_the_figures) {
  const auto json = to_json(sample_simulation());
  EXPECT_EQ(json["seekless"], "simulate");
  EXPECT_EQ(json["places"][0]["position_bytes"], 300'000'000'000);
  const auto& today = json["drives"][0]["scenarios"][0]["today"];
  EXPECT_EQ(today["seeks"], 340);
  EXPECT_NEAR(today["over_bound"].get<double>(), 2.9 / 0.34, 1e-12);
  EXPECT_NO_THROW((void)json.dump()) << "what isn't UTF-8 was replaced";
}

TEST(SimulationJson, has_no_ratio_to_a_bound_of_nothing) {
  Simulation simulation = sample_simulation();
  simulation.drives[0].scenarios[0].packs = LoadFigures{};
  EXPECT_TRUE(to_json(simulation)["drives"][0]["scenarios"][0]["packs"]["over_bound"].is_null());
}

}  // namespace
}  // namespace seekless
