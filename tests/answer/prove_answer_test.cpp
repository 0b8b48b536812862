// Checks what 'prove' concludes and says of its figures.
#include "packer/answer/prove_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seekless {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

ProvenSide side_of(double measured_s, double predicted_s) {
  return {.predicted = {.bytes = 1'000'000, .seconds = predicted_s},
          .moves = {},
          .measured_s = {measured_s},
          .worked_s = {measured_s}};
}

ProveAnswer answer_of_two_loads() {
  ProveAnswer answer;
  answer.proof.drive = builtin_profiles().front();
  answer.proof.rounds = 1;
  answer.proof.knows_cold = true;
  answer.proof.loads = {
      {.name = "secret-1", .before = side_of(2, 1.38), .after = side_of(0.5, 0.5)},
      {.name = "secret-2", .before = side_of(1, 1.33), .after = side_of(0.5, 0.55)}};
  return answer;
}

TEST(ProveAnswer, SaysTheSumsErrorAndTheWorstLoads) {
  const ProveAnswer answer = answer_of_two_loads();
  EXPECT_THAT(notes_of(answer),
              Contains(AllOf(HasSubstr("-9.7 % before and +5.0 % after"),
                             HasSubstr("worst load is off by +33.0 % before, and by +10.0 %"))));
  for (const auto& json : {to_json(answer), to_upload(answer)}) {
    EXPECT_NEAR(json["model_off"]["before"]["worst_share"].get<double>(), 0.33, 1e-9);
    EXPECT_NEAR(json["model_off"]["after"]["sum_share"].get<double>(), 0.05, 1e-9);
  }
  EXPECT_THAT(notes_of(answer), Each(Not(HasSubstr("secret"))));
}

TEST(ProveAnswer, SaysOneErrorOfOneLoad) {
  ProveAnswer answer = answer_of_two_loads();
  answer.proof.loads.pop_back();
  EXPECT_THAT(notes_of(answer), Contains("The drive model is off by -31.0 % before, and by +0.0 % "
                                         "after."));
}

TEST(ProveAnswer, ConcludesNothingFromMemory) {
  ProveAnswer answer = answer_of_two_loads();
  EXPECT_EQ(to_json(answer)["conclusive"], true);
  for (ProvenLoad& load : answer.proof.loads) {
    load.before = side_of(0.0007, 0.2);
    load.before.left_bytes = 1'000'000;
  }
  EXPECT_THAT(verdict_of(answer), StartsWith("Can't tell: what 2 loads read stayed in memory"));
  EXPECT_EQ(to_json(answer)["conclusive"], false);
  EXPECT_THAT(notes_of(answer), Each(Not(HasSubstr("drive model"))));
}

}  // namespace
}  // namespace seekless
