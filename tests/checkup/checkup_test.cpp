#include "packer/checkup/checkup.h"

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "packer/checkup/internal/probe.h"

namespace seekless {
namespace {

constexpr auto kTest = std::chrono::seconds(60);

SystemProbe probe(const std::string& name, std::function<Result<ProbeAnswer>()> run) {
  return {name, {"play"}, std::move(run)};
}

TEST(checkup, splits_an_error_into_what_was_found_and_what_to_do) {
  const Finding finding = finding_of(
      probe("fuse", {}), failed({.file = "/dev/fuse", .found = "nothing", .advice = "load it"}));
  EXPECT_EQ(finding.outcome, Outcome::fails);
  EXPECT_EQ(finding.found, "/dev/fuse: found nothing");
  EXPECT_EQ(finding.advice, "load it");
}

TEST(checkup, keeps_the_outcome_that_a_probe_has_for_failing) {
  const SystemProbe of = {"io_uring", {}, {}, Outcome::limited};
  EXPECT_EQ(finding_of(of, failed({.found = "none"})).outcome, Outcome::limited);
}

TEST(checkup, runs_all_probes_in_their_order) {
  const std::vector<Finding> findings = run_probes(
      {probe("a",
             [] {
               return ProbeAnswer{Outcome::works, "one", ""};
             }),
       probe("b",
             []() -> Result<ProbeAnswer> { return failed({.found = "two", .advice = "mend it"}); }),
       probe("c",
             [] {
               return ProbeAnswer{Outcome::limited, std::string(100'000, 'x'), "three"};
             })},
      kTest);
  ASSERT_EQ(findings.size(), 3U);
  EXPECT_EQ(findings[0].outcome, Outcome::works);
  EXPECT_EQ(findings[0].found, "one");
  EXPECT_EQ(findings[1].outcome, Outcome::fails);
  EXPECT_EQ(findings[1].advice, "mend it");
  EXPECT_EQ(findings[2].found.size(), 100'000U);
  EXPECT_EQ(findings[2].advice, "three");
}

TEST(checkup, a_probe_that_throws_has_failed) {
  const auto findings = run_probes(
      {probe("a", []() -> Result<ProbeAnswer> { throw std::runtime_error("no"); })}, kTest);
  EXPECT_EQ(findings.front().outcome, Outcome::fails);
  EXPECT_EQ(findings.front().found, "no");
}

TEST(checkup, a_probe_that_hangs_is_unknown) {
  const auto findings = run_probes({probe("a",
                                          []() -> Result<ProbeAnswer> {
                                            std::this_thread::sleep_for(kTest);
                                            return ProbeAnswer{};
                                          })},
                                   std::chrono::milliseconds(50));
  EXPECT_EQ(findings.front().outcome, Outcome::unknown);
  EXPECT_TRUE(findings.front().found.contains("too long"));
}

TEST(checkup, a_command_is_hindered_by_what_it_needs_and_what_fails) {
  const Checkup checkup = {
      .folder = "/",
      .is_rotational = std::nullopt,
      .findings = {
          {.name = "a", .outcome = Outcome::fails, .found = "", .advice = "", .commands = {"play"}},
          {.name = "b",
           .outcome = Outcome::unknown,
           .found = "",
           .advice = "",
           .commands = {"play"}},
          {.name = "c",
           .outcome = Outcome::fails,
           .found = "",
           .advice = "",
           .commands = {"mount"}}}};
  const auto hindering = hindrances(checkup, "play");
  ASSERT_EQ(hindering.size(), 1U);
  EXPECT_EQ(hindering.front()->name, "a");
  EXPECT_TRUE(hindrances(checkup, "record").empty());
}

}  // namespace
}  // namespace seekless
