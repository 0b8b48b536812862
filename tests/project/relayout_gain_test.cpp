#include "packer/project/internal/relayout_gain.h"

#include <gtest/gtest.h>

#include "packer/keep/generations.h"
#include "tests/plan/made_content.h"

namespace seekless {
namespace {

// Two scenarios that hadn't been recorded when the locked layout was made, which has everything in
// one pack.
TEST(RelayoutGain, tells_what_a_new_layout_saves_and_costs) {
  const MadeContent made(Sizes::equal, 400, 80'000'000, 12);
  Profile profile;
  for (const Asset& asset : made.content.assets) profile.assets.emplace_back(asset.path);
  const Layout blind = place_layout(plan_layout({}, made.content, {}).layout, made.hashed());
  const LayoutLock lock = make_lock(blind, made.hashed());
  for (uint32_t scenario = 0; scenario < 2; ++scenario) {
    ProfiledRun run = {.trace = "made", .assets = {}};
    for (uint32_t i = scenario; i < 400; i += 40) run.assets.push_back(i);
    profile.scenarios.push_back({scenario == 0 ? "boot" : "menu", {run}});
  }
  const Layout kept = keep_layout(lock, made.hashed(), {}, {}).layout;
  const Layout fresh = place_layout(plan_layout(profile, made.content, {}).layout, made.hashed());
  const RelayoutGain gain = relayout_gain(lock, kept, fresh, profile, made.hashed(), {});
  EXPECT_GT(gain.kept_s, 2 * gain.fresh_s);
  EXPECT_GT(gain.patch.total().chunk_bytes, 0U);
  EXPECT_TRUE(gain.pays(0));
  EXPECT_FALSE(gain.pays(1000));
  const RelayoutGain none =
      relayout_gain(make_lock(fresh, made.hashed()), fresh, fresh, profile, made.hashed(), {});
  EXPECT_NEAR(none.saved_s(), 0, 0.01);
  EXPECT_EQ(none.patch.total(), PatchBytes());
}

}  // namespace
}  // namespace seekless
