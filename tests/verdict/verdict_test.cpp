// Tests the verdict with hand-made loads.
#include "packer/verdict/verdict.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const JudgedDrive kDisk = {.name = "wd-black-1tb"};
const JudgedDrive kSolid = {
    .name = "sata-ssd", .is_solid_state = true, .choice = DriveChoice::asked_for};

JudgedLoad load(double as_shipped_s, double bound_s, std::optional<double> after_s = {},
                std::optional<double> besides_s = {}) {
  return {.name = "menu",
          .runs = 1,
          .as_shipped_s = as_shipped_s,
          .bound_s = bound_s,
          .after_s = after_s,
          .besides_s = besides_s};
}

const std::string& text_of(const Verdict& verdict) {
  return verdict.text;
}

Verdict of(Way way, std::vector<JudgedLoad> loads) {
  return judge(kDisk, way, std::move(loads));
}

TEST(Verdict, says_what_is_saved_of_what) {
  const Verdict verdict = of(Way::packs, {load(4.1, 0.8, 1.0, 2.0)});
  EXPECT_EQ(verdict.judgement, Judgement::worth_it);
  EXPECT_EQ(verdict.text,
            "Worth it: packs save 3.1 s of the 4.1 s that a cold load waits for a wd-black-1tb "
            "(the target where --drive names none).");
}

TEST(Verdict, without_a_way_is_what_any_order_saves_at_best) {
  const Verdict verdict = of(Way::order, {load(4.1, 0.8)});
  EXPECT_THAT(verdict.text,
              HasSubstr("reading in order saves at most 3.3 s of the 4.1 s that a cold load"));
}

TEST(Verdict, of_several_loads_is_their_sum) {
  const Verdict verdict = of(Way::packs, {load(4, 1, 1), load(2, 1, 1.96), load(3, 1, 1)});
  EXPECT_EQ(verdict.judgement, Judgement::worth_it);
  EXPECT_THAT(verdict.text, HasSubstr("save 5.0 s of the 9.0 s that 3 cold loads wait"));
  EXPECT_THAT(verdict.text, HasSubstr("It is so for 2 of them."));
}

TEST(Verdict, one_load_that_wins_less_than_others_lose_decides_nothing) {
  const Verdict lost =
      of(Way::packs, {load(1, 0.1, 0.8), load(0.3, 0.1, 0.6), load(0.4, 0.1, 0.6)});
  EXPECT_EQ(lost.reason, VerdictReason::slower);
  EXPECT_THAT(text_of(lost), StartsWith("Not worth it: packs add 0.3"));
  EXPECT_THAT(text_of(lost), HasSubstr("It is so for 2 of them. 2 of them get slower."));
  const Verdict little = of(Way::packs, {load(1, 0.1, 0.8), load(0.3, 0.1, 0.45)});
  EXPECT_EQ(little.reason, VerdictReason::too_little);
  EXPECT_THAT(text_of(little), StartsWith("Not worth it: packs save 0.05"));
  const Verdict slow = of(Way::packs, {load(0.3, 0.1, 0.15, 100), load(1, 0.1, 5)});
  EXPECT_EQ(slow.judgement, Judgement::not_worth_it);
  EXPECT_EQ(slow.reason, VerdictReason::slower);
  const Verdict won = of(Way::packs, {load(1, 0.1, 0.5), load(0.3, 0.1, 0.45)});
  EXPECT_EQ(won.judgement, Judgement::worth_it);
  EXPECT_THAT(text_of(won), HasSubstr("It is so for 1 of them. 1 of them gets slower."));
}

TEST(Verdict, what_nobody_notices_is_not_worth_it) {
  EXPECT_EQ(of(Way::packs, {load(0.12, 0.02, 0.03)}).reason, VerdictReason::too_little);
  EXPECT_EQ(of(Way::packs, {load(20, 1, 19.5)}).reason, VerdictReason::too_little);
  EXPECT_THAT(text_of(of(Way::order, {load(10, 9.95)})), StartsWith("Not worth it: "));
}

TEST(Verdict, what_is_slower_says_by_how_much) {
  const Verdict verdict = of(Way::zips, {load(0.04, 0.01, 0.06)});
  EXPECT_EQ(verdict.judgement, Judgement::not_worth_it);
  EXPECT_EQ(verdict.reason, VerdictReason::slower);
  EXPECT_THAT(verdict.text, HasSubstr("add 0.020 s to the 0.040 s"));
}

TEST(Verdict, a_slow_recording_says_nothing_of_the_load) {
  JudgedLoad slowed = load(1.0, 0.2, 0.3, 30);
  EXPECT_EQ(of(Way::packs, {slowed}).judgement, Judgement::unknown);
  EXPECT_THAT(text_of(of(Way::packs, {slowed})),
              StartsWith("Can't tell from this recording: packs save 0.70 s of the 1.0 s"));
  slowed.is_slowed = false;
  EXPECT_EQ(of(Way::packs, {slowed}).reason, VerdictReason::other_work);
  slowed.besides_s = 5;
  EXPECT_EQ(of(Way::packs, {slowed}).judgement, Judgement::worth_it);
}

TEST(Verdict, on_solid_state_there_is_nothing_to_win_whatever_the_figures_say) {
  for (const Lacking lacking : {Lacking::nothing, Lacking::recordings, Lacking::content}) {
    const Verdict verdict = judge(kSolid, Way::packs, {load(1.4, 0.9, 1.0)}, lacking);
    EXPECT_EQ(verdict.judgement, Judgement::not_worth_it);
    EXPECT_EQ(verdict.loads[0].judgement, Judgement::not_worth_it);
    EXPECT_THAT(verdict.text, StartsWith("Nothing to gain: a sata-ssd (as --drive says)"));
    EXPECT_EQ(verdict.text.find("save"), std::string::npos);
  }
}

TEST(Verdict, says_how_it_came_by_its_drive) {
  JudgedDrive own = kDisk;
  own.choice = DriveChoice::content;
  own.found = "vda, 256.0 GB, says that it is rotational";
  EXPECT_THAT(text_of(judge(own, Way::order, {load(4, 1)})),
              HasSubstr("(taken for the content's: vda, 256.0 GB, says that it is rotational)"));
  own.choice = DriveChoice::assumed;
  own.found = "it lies on overlay, which names no drive";
  EXPECT_THAT(text_of(judge(own, Way::order, {load(4, 1)})),
              HasSubstr("(assumed, as the content's can't be told: it lies on overlay"));
}

TEST(Verdict, is_unknown_where_something_is_lacking) {
  for (const Lacking lacking :
       {Lacking::sizes, Lacking::recordings, Lacking::content, Lacking::room})
    EXPECT_THAT(judge(kDisk, Way::packs, {}, lacking).text, StartsWith("Can't tell "));
  EXPECT_THAT(text_of(judge(kDisk, Way::order, {})), HasSubstr("nothing of the content was read"));
}

TEST(Verdict, json_has_the_same_load_whatever_the_way) {
  const auto packs = to_json(of(Way::packs, {load(4, 1, 1.5, 2)}));
  const auto order = to_json(of(Way::order, {load(4, 1, {}, 2)}));
  for (const char* key :
       {"as_shipped_seconds", "bound_seconds", "saved_at_best_seconds", "besides_seconds"}) {
    EXPECT_EQ(packs[key], order[key]) << key;
    EXPECT_EQ(packs["scenarios"][0][key], order["scenarios"][0][key]) << key;
  }
  EXPECT_EQ(packs["saved_seconds"], 2.5);
  EXPECT_TRUE(order["saved_seconds"].is_null());
  EXPECT_EQ(packs["text"], text_of(of(Way::packs, {load(4, 1, 1.5, 2)})));
}

Verdict fitting(double share, Misfit misfit) {
  const RecordedFit fit = {.read_bytes = 1000,
                           .misfit_bytes = static_cast<uint64_t>(1000 * (1 - share)),
                           .file = "base.wz",
                           .misfit = misfit};
  return judge(kDisk, Way::packs, {load(4.1, 0.8, 1.0, 2.0)}, Lacking::nothing, fit);
}

TEST(Verdict, says_first_what_does_not_fit_the_content) {
  EXPECT_THAT(fitting(0.96, Misfit::past_end).text,
              StartsWith("4 % of what was recorded isn't where it was (reads go past the end of "
                         "base.wz). Worth it: packs save 3.1 s"));
  EXPECT_THAT(fitting(0.999, Misfit::past_end).text, StartsWith("Less than 1 % of what"));
}

TEST(Verdict, is_not_given_where_too_little_fits) {
  const Verdict verdict = fitting(0.5, Misfit::changed);
  EXPECT_EQ(verdict.judgement, Judgement::unknown);
  EXPECT_EQ(verdict.reason, VerdictReason::other_content);
  EXPECT_THAT(verdict.text, StartsWith("Can't tell: the recordings are of other content: "
                                       "50 % of what was recorded isn't where it was (entries "
                                       "don't begin where they did in the newer file base.wz)"));
}

TEST(Verdict, is_read_back_from_its_json) {
  for (const Verdict& verdict :
       {of(Way::packs, {load(4.1, 0.8, 1.0, 2.0), load(2, 1)}), fitting(0.96, Misfit::past_end),
        judge(kSolid, Way::zips, {}), judge(kDisk, Way::order, {}, Lacking::content)}) {
    const auto json = to_json(verdict);
    EXPECT_EQ(to_json(verdict_of(json)).dump(2), json.dump(2));
  }
}

TEST(Verdict, is_not_read_from_anything_else) {
  const auto json = to_json(of(Way::packs, {load(4.1, 0.8, 1.0, 2.0)}));
  for (const char* key : {"judgement", "reason", "text", "way", "drive", "scenarios"}) {
    auto other = json;
    other[key] = "something else";
    if (std::string_view(key) != "text") {
      EXPECT_ANY_THROW(verdict_of(other)) << key;
    }
    other.erase(key);
    EXPECT_ANY_THROW(verdict_of(other)) << key;
  }
}

}  // namespace
}  // namespace seekless
