// Tests recordings as input and loads on several drives as output.
#include "packer/simulate/simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/pack/virtual_packs.h"
#include "tests/pack/set_maker.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct OneMegabyte : SetMaker {
  OneMegabyte() : SetMaker(format::kDefaultBlockBytes) {
    const uint32_t level = add_scenario("level");
    add_pack("common");
    for (uint64_t i = 0; i < 10; ++i) add("a" + std::to_string(i), noise(100'000, i), {level});
    write({.threads = 1});
  }
};

SimulatorSetup setup_of(const std::vector<std::string>& drives) {
  SimulatorSetup setup;
  for (const std::string& drive : drives) setup.drives.push_back(find_profile(drive).value());
  return setup;
}

SimulatorSetup with_content(SimulatorSetup setup) {
  Content content;
  content.sources = {{.path = "/g/a", .size_bytes = 1'000'000}};
  content.assets = {{"a", {.size_bytes = 1'000'000, .stored_bytes = 1'000'000}}};
  setup.content = std::make_unique<Content>(std::move(content));
  return setup;
}

template <typename Sink>
void record(Sink& sink, const char* scenario, EventKind kind = EventKind::read) {
  sink.start_trace(scenario);
  ASSERT_TRUE(sink.add_path("/g/a"));
  ASSERT_TRUE(sink.add_event({.start_ns = 1, .length_bytes = 4096, .kind = kind}));
  sink.finish_trace();
}

TEST(Simulator, tells_todays_loads_of_each_drive) {
  auto simulator = Simulator::create(with_content(setup_of({"wd-black-1tb", "sata-ssd"})));
  ASSERT_TRUE(simulator);
  record(*simulator->replay(), "menu");
  record(*simulator->replay(), "menu");
  std::vector<std::string> warnings;
  const auto loads = simulator->loads(warnings);
  ASSERT_TRUE(loads);
  ASSERT_EQ(loads->size(), 2U);
  ASSERT_EQ((*loads)[0].size(), 1U);
  const ScenarioLoads& menu = (*loads)[0][0];
  EXPECT_EQ(menu.name, "menu");
  EXPECT_EQ(menu.runs, 2U);
  EXPECT_EQ(menu.today->needed_bytes, 4096U);
  EXPECT_FALSE(menu.packs);
  EXPECT_GT(menu.today->cost.seconds, (*loads)[1][0].today->cost.seconds) << "a disk seeks";
}

TEST(Simulator, without_content_knows_only_what_was_planned) {
  const OneMegabyte game;
  SimulatorSetup setup = setup_of({"wd-black-1tb", "sata-ssd"});
  setup.folder = game.folder();
  setup.packs = runtime::make_system_file_io();
  auto simulator = Simulator::create(std::move(setup));
  ASSERT_TRUE(simulator) << simulator.error().message;
  record(simulator->scenarios(), "level");
  record(simulator->scenarios(), "unplanned");
  record(simulator->scenarios(), "opened", EventKind::open);
  std::vector<std::string> warnings;
  const auto loads = simulator->loads(warnings);
  ASSERT_TRUE(loads) << loads.error().message;
  ASSERT_EQ((*loads)[1].size(), 1U);
  EXPECT_EQ((*loads)[1][0].name, "level");
  EXPECT_FALSE((*loads)[1][0].today);
  EXPECT_EQ((*loads)[1][0].packs->assets, 10U);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("'unplanned' wasn't planned")))
      << "once, not for each drive";
}

TEST(Simulator, needs_reads_and_files_for_its_rules) {
  auto simulator = Simulator::create(setup_of({"wd-black-1tb"}));
  ASSERT_TRUE(simulator);
  std::vector<std::string> warnings;
  EXPECT_EQ(simulator->loads(warnings).error().kind, ErrorKind::damaged);
  SimulatorSetup setup = with_content(setup_of({"wd-black-1tb"}));
  setup.rules = {{"b", 0}};
  EXPECT_FALSE(Simulator::create(std::move(setup)));
}

}  // namespace
}  // namespace seekless
