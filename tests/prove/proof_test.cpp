// Checks the conclusions from measured seconds, and what makes these doubtful.
#include "packer/prove/proof.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::Contains;
using testing::DoubleEq;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

ProvenLoad load_of(std::vector<double> before_s, std::vector<double> after_s) {
  ProvenLoad load = {.name = "a", .needed_bytes = 1'000'000};
  load.before.measured_s = std::move(before_s);
  load.after.measured_s = std::move(after_s);
  load.before.worked_s = load.before.measured_s;  // the disk was never idle
  load.after.worked_s = load.after.measured_s;
  return load;
}

// A proof without any reason for doubt.
Proof sound_proof() {
  Proof proof = {.rounds = 3, .knows_cold = true};
  proof.loads = {load_of({4, 4.1, 4.2}, {1, 1.02, 1.01}), load_of({2, 2, 2}, {1, 1, 1})};
  proof.others = {.is_known = true, .watched_s = 10, .busy_s = 0.05, .loaded_bytes = 1'000'000};
  return proof;
}

TEST(Proof, SumsTheMediansOfItsLoads) {
  const Proof proof = sound_proof();
  EXPECT_THAT(proof.before_s(), DoubleEq(6.1));
  EXPECT_THAT(proof.after_s(), DoubleEq(2.01));
}

TEST(Proof, TellsHowFarThePredictionIsOff) {
  ProvenSide side = {.predicted = {.seconds = 1.1}, .moves = {}, .measured_s = {1, 1, 5}};
  EXPECT_NEAR(side.error_share(), 0.1, 1e-9);
  side.measured_s.clear();
  EXPECT_EQ(side.error_share(), 0);
}

TEST(Proof, AddsTheComputersOwnTimeToThePrediction) {
  ProvenSide side = {.predicted = {.seconds = 1}, .moves = {}, .measured_s = {1.5, 9, 2}};
  EXPECT_EQ(side.own_s(), 0);  // unknown
  side.worked_s = {1, 1, 1.2};
  EXPECT_DOUBLE_EQ(side.own_s(), 0.8);  // of the round with the median
  EXPECT_DOUBLE_EQ(side.predicted_s(), 1.8);
  EXPECT_NEAR(side.error_share(), -0.1, 1e-9);
}

TEST(Proof, TellsThatTheDiskWaitedForTheComputer) {
  Proof proof = sound_proof();
  for (ProvenLoad& load : proof.loads)
    for (double& seconds : load.before.worked_s) seconds /= 2;
  EXPECT_THAT(doubts_of(proof), Contains(HasSubstr("For 50 % of the time before, and 0 % after")));
  proof.loads[0].before.worked_s.clear();
  EXPECT_FALSE(proof.knows_own());
  EXPECT_THAT(doubts_of(proof), Contains(HasSubstr("when the disk was idle")));
}

TEST(Proof, HasNoDoubtsIfNothingSpeaksAgainstIt) {
  EXPECT_THAT(doubts_of(sound_proof()), IsEmpty());
}

TEST(Proof, IsDisturbedByOthersBetweenTheLoads) {
  Proof proof = sound_proof();
  proof.others.busy_s = 3;
  proof.others.requests = 250;
  EXPECT_THAT(doubts_of(proof), Contains(AllOf(HasSubstr("disturbed"), HasSubstr("30 %"),
                                               HasSubstr("250 requests"))));
}

TEST(Proof, IsDisturbedByOthersBytesDuringTheLoads) {
  Proof proof = sound_proof();
  proof.others.other_bytes = 100'000;
  EXPECT_THAT(doubts_of(proof), Contains(HasSubstr("10 % as many bytes")));
}

TEST(Proof, DoubtsWhatStayedInMemory) {
  Proof proof = sound_proof();
  proof.most_left_bytes = 500'000;
  EXPECT_THAT(doubts_of(proof), Contains(HasSubstr("0.5 MB stayed")));
  proof.is_unbuffered = true;  // then memory doesn't matter
  EXPECT_THAT(doubts_of(proof), IsEmpty());
}

TEST(Proof, DoubtsWhatTheSystemDoesNotTell) {
  Proof proof = sound_proof();
  proof.knows_cold = false;
  proof.has_real_places = false;
  proof.others = {};
  proof.loads[0].before.worked_s.clear();
  EXPECT_EQ(doubts_of(proof).size(), 4);
}

TEST(Proof, DoubtsRoundsThatDiffer) {
  Proof proof = sound_proof();
  proof.loads[1].after.measured_s = {1, 1, 1.3};
  EXPECT_THAT(doubts_of(proof), Contains(HasSubstr("30 %")));
  proof.rounds = 1;
  EXPECT_THAT(doubts_of(proof), Not(Contains(HasSubstr("Rounds"))));
}

TEST(Proof, TellsTheSumsErrorAndTheWorstLoads) {
  Proof proof = {.rounds = 1};
  proof.loads = {load_of({1}, {1}), load_of({1}, {2})};
  proof.loads[0].before.predicted.seconds = 0.69;
  proof.loads[1].before.predicted.seconds = 1.31;
  proof.loads[0].after.predicted.seconds = 1.02;
  proof.loads[1].after.predicted.seconds = 1.8;
  EXPECT_NEAR(proof.error_before().sum, 0, 1e-9);  // they cancel out
  EXPECT_NEAR(std::abs(proof.error_before().worst), 0.31, 1e-9);
  EXPECT_NEAR(proof.error_after().sum, -0.06, 1e-9);
  EXPECT_NEAR(proof.error_after().worst, -0.1, 1e-9);
}

TEST(Proof, CanNotTellWhatStayedInMemory) {
  Proof proof = sound_proof();
  for (ProvenLoad& load : proof.loads) load.before.predicted.bytes = 1'000'000;
  proof.loads[1].before.left_bytes = 50'000;  // little
  EXPECT_THAT(why_untold(proof), IsEmpty());
  proof.loads[1].before.left_bytes = 900'000;
  EXPECT_THAT(why_untold(proof),
              AllOf(HasSubstr("what 1 load read stayed in memory"), HasSubstr("end the game")));
  proof.is_unbuffered = true;  // then memory doesn't matter
  EXPECT_THAT(why_untold(proof), IsEmpty());
}

TEST(Proof, CanNotTellFromLoadsFasterThanTheDisk) {
  Proof proof = sound_proof();
  proof.loads[0].after.least_s = 1.1;  // a profile's rate may be a little off
  EXPECT_THAT(why_untold(proof), IsEmpty());
  proof.loads[0].after.least_s = 2;
  EXPECT_THAT(why_untold(proof), HasSubstr("1 load took less time than the disk needs"));
  proof.is_forced = true;  // the user knows that this may not be a hard disk
  EXPECT_THAT(why_untold(proof), IsEmpty());
}

TEST(Proof, WithoutLoadsHasNoSeconds) {
  const Proof proof;
  EXPECT_EQ(proof.before_s(), 0);
  EXPECT_EQ(proof.spread_share(), 0);
  EXPECT_THAT(why_untold(proof), IsEmpty());
  EXPECT_FALSE(proof.others.is_disturbed());
}

}  // namespace
}  // namespace seekless
