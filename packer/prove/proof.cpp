#include "packer/prove/proof.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "packer/words/counted.h"

namespace seekless {
namespace {

// Even an idle system writes its journal now and then.
constexpr double kDisturbingShare = 0.02;
constexpr double kWideSpread = 0.1;
constexpr double kLeftShare = 0.01;
constexpr double kMuchOwn = 0.1;
// If more than this share is cached, the load's time says more about memory than about the disk.
constexpr double kMostHeldShare = 0.1;
// Allows for profiles whose rates are a little too low.
constexpr double kImpossibleShare = 0.7;

template <typename Value>
double sum_of(const std::vector<ProvenLoad>& loads, Value value) {
  double sum = 0;
  for (const ProvenLoad& load : loads) sum += value(load);
  return sum;
}

double share_of(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

double own_share(const Proof& proof) {
  return std::max(share_of(proof.own_before_s(), proof.before_s()),
                  share_of(proof.own_after_s(), proof.after_s()));
}

bool was_held(const ProvenSide& side) {
  return static_cast<double>(side.left_bytes) >
         kMostHeldShare * static_cast<double>(side.predicted.bytes);
}

bool was_too_fast(const ProvenSide& side) {
  return side.median_s() < kImpossibleShare * side.least_s;
}

template <typename IsSo>
size_t loads_with(const Proof& proof, IsSo is_so) {
  return static_cast<size_t>(std::ranges::count_if(proof.loads, [&](const ProvenLoad& load) {
    return is_so(load.before) || is_so(load.after);
  }));
}

ModelError error_of(const std::vector<ProvenLoad>& loads, double predicted_s, double measured_s,
                    ProvenSide ProvenLoad::*side) {
  ModelError error = {.sum = measured_s > 0 ? predicted_s / measured_s - 1 : 0};
  for (const ProvenLoad& load : loads)
    if (const double off = (load.*side).error_share(); std::abs(off) > std::abs(error.worst))
      error.worst = off;
  return error;
}

}  // namespace

std::optional<size_t> ProvenSide::median_round() const {
  if (measured_s.empty()) return std::nullopt;
  std::vector<size_t> rounds(measured_s.size());
  std::iota(rounds.begin(), rounds.end(), size_t{0});
  std::ranges::sort(rounds, {}, [&](size_t round) { return measured_s[round]; });
  return rounds[(rounds.size() - 1) / 2];
}

double ProvenSide::median_s() const {
  const auto round = median_round();
  return round ? measured_s[*round] : 0;
}

double ProvenSide::own_s() const {
  const auto round = median_round();
  if (!round || worked_s.size() != measured_s.size()) return 0;
  return std::max(0.0, measured_s[*round] - worked_s[*round]);
}

double ProvenSide::error_share() const {
  const double measured = median_s();
  return measured > 0 ? predicted_s() / measured - 1 : 0;
}

double OtherUse::bytes_share() const {
  return loaded_bytes > 0 ? static_cast<double>(other_bytes) / static_cast<double>(loaded_bytes)
                          : 0;
}

bool OtherUse::is_disturbed() const {
  return is_known && (busy_share() > kDisturbingShare || bytes_share() > kDisturbingShare);
}

double Proof::before_s() const {
  return sum_of(loads, [](const ProvenLoad& load) { return load.before.median_s(); });
}

double Proof::after_s() const {
  return sum_of(loads, [](const ProvenLoad& load) { return load.after.median_s(); });
}

double Proof::predicted_before_s() const {
  return sum_of(loads, [](const ProvenLoad& load) { return load.before.predicted_s(); });
}

double Proof::predicted_after_s() const {
  return sum_of(loads, [](const ProvenLoad& load) { return load.after.predicted_s(); });
}

ModelError Proof::error_before() const {
  return error_of(loads, predicted_before_s(), before_s(), &ProvenLoad::before);
}

ModelError Proof::error_after() const {
  return error_of(loads, predicted_after_s(), after_s(), &ProvenLoad::after);
}

double Proof::own_before_s() const {
  return sum_of(loads, [](const ProvenLoad& load) { return load.before.own_s(); });
}

double Proof::own_after_s() const {
  return sum_of(loads, [](const ProvenLoad& load) { return load.after.own_s(); });
}

bool Proof::knows_own() const {
  return std::ranges::none_of(loads, [](const ProvenLoad& load) {
    return load.before.worked_s.empty() || load.after.worked_s.empty();
  });
}

double Proof::spread_share() const {
  double widest = 0;
  for (const ProvenLoad& load : loads)
    for (const ProvenSide* side : {&load.before, &load.after}) {
      if (side->measured_s.empty() || side->median_s() <= 0) continue;
      const auto [least, most] = std::ranges::minmax(side->measured_s);
      widest = std::max(widest, (most - least) / side->median_s());
    }
  return widest;
}

std::string why_untold(const Proof& proof) {
  if (const size_t held = proof.is_unbuffered ? 0 : loads_with(proof, was_held); held > 0)
    return fmt::format(
        "what {} read stayed in memory, probably because another program uses it: end the game, "
        "and whatever else has its files open, and run it again",
        counted(held, "load"));
  if (const size_t fast = proof.is_forced ? 0 : loads_with(proof, was_too_fast); fast > 0)
    return fmt::format(
        "{} took less time than the disk needs for as many bytes, so some memory answered instead: "
        "end other programs that use the files, or take loads that read more than the drive's own "
        "memory holds",
        counted(fast, "load"));
  return {};
}

std::vector<std::string> doubts_of(const Proof& proof) {
  std::vector<std::string> doubts;
  const OtherUse& others = proof.others;
  if (others.is_disturbed())
    doubts.push_back(fmt::format(
        "The figures are disturbed: other programs kept the disk busy for {:.0f} % of the time "
        "between the loads ({} requests), and moved {:.0f} % as many bytes as the loads.",
        others.busy_share() * 100, others.requests, others.bytes_share() * 100));
  if (!others.is_known)
    doubts.emplace_back("The system doesn't tell whether other programs used the disk meanwhile.");
  if (!proof.loads.empty() && !proof.knows_own())
    doubts.emplace_back(
        "The system doesn't tell when the disk was idle, so the computer's own time is in what was "
        "measured, but not in what is predicted.");
  else if (own_share(proof) > kMuchOwn)
    doubts.push_back(fmt::format(
        "For {:.0f} % of the time before, and {:.0f} % after, the disk waited for the computer, "
        "which other programs may have kept busy. That is measured, not predicted, so the model's "
        "figures include it.",
        share_of(proof.own_before_s(), proof.before_s()) * 100,
        share_of(proof.own_after_s(), proof.after_s()) * 100));
  uint64_t least_needed = UINT64_MAX;
  for (const ProvenLoad& load : proof.loads)
    least_needed = std::min(least_needed, load.needed_bytes);
  if (!proof.is_unbuffered && !proof.knows_cold)
    doubts.emplace_back(
        "The system doesn't tell whether the files were out of its memory before each load.");
  if (!proof.is_unbuffered && proof.knows_cold && !proof.loads.empty() &&
      static_cast<double>(proof.most_left_bytes) > kLeftShare * static_cast<double>(least_needed))
    doubts.push_back(fmt::format(
        "Up to {:.1f} MB stayed in the system's memory before a load, so the disk did less.",
        static_cast<double>(proof.most_left_bytes) / 1e6));
  if (proof.rounds > 1 && proof.spread_share() > kWideSpread)
    doubts.push_back(
        fmt::format("Rounds of one load differ by up to {:.0f} %.", proof.spread_share() * 100));
  if (!proof.has_real_places)
    doubts.emplace_back(
        "The file system doesn't tell where the files lie, so the predictions assume that each is "
        "in one piece, one after the other.");
  return doubts;
}

}  // namespace seekless
