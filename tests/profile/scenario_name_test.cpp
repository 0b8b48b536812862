#include "packer/profile/scenario_name.h"

#include <gtest/gtest.h>

namespace seekless {
namespace {

TEST(ScenarioName, says_what_is_found_instead) {
  for (const char* name : {"menu", "map/rush", "caf\u00e9", "a b"})
    EXPECT_EQ(fault_of_scenario_name(name), "") << name;
  EXPECT_EQ(fault_of_scenario_name("ne\nw"), "a control character in it");
  EXPECT_EQ(fault_of_scenario_name("b\xff"), "bytes that aren't UTF-8");
  EXPECT_EQ(fault_of_scenario_name(""), "none");
}

}  // namespace
}  // namespace seekless
