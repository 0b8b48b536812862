#include "packer/foresee/recogniser.h"

#include <algorithm>
#include <bit>

namespace seekless {
namespace {

// On recordings of OpenArena, and of a game with one 3.3 GB archive, this was right in 20 of 20
// loads of the recorded map, and never for another map.
constexpr uint32_t kFewestReads = 8;
constexpr uint32_t kOwnPercent = 70;
// A game starts once, so a second start must be clearer than the first. A page that runs of the
// first kind read only now and then may be known from the other kind alone.
constexpr uint32_t kOtherStartPercent = 90;
// The best scenario must be this far ahead of the next: pages that two scenarios share count for
// both.
constexpr uint32_t kFewestAhead = 2;
// From time to time the counts are halved, so that a second scenario of the session is recognised,
// too.
constexpr uint32_t kForgetAt = 64;
// At least this many of the last 32 reads must be known; in a new run, about a seventh of the reads
// are new.
constexpr int kFewestKnown = 10;

}  // namespace

Recogniser::Recogniser(const Learned& learned)
    : core_(core_of(learned)), hits_(learned.scenarios.size()), is_told_(learned.scenarios.size()) {
  for (const LearnedScenario& scenario : learned.scenarios) is_start_.push_back(scenario.is_start);
  // Rare pages count, too. Otherwise they would count only for another scenario, which has read
  // them more often.
  for (uint32_t i = 0; i < learned.scenarios.size(); ++i)
    for (const SeenPage& seen : learned.scenarios[i].pages)
      if (!core_.contains(seen.page)) scenarios_[seen.page].push_back(i);
}

std::optional<uint32_t> Recogniser::note_read(PageKey first_page) {
  const bool is_core = core_.contains(first_page);
  const auto found = scenarios_.find(first_page);
  recent_ = recent_ << 1 | (is_core || found != scenarios_.end() ? 1 : 0);
  if (is_core) return std::nullopt;
  if (++beyond_core_ == kForgetAt) {
    beyond_core_ /= 2;
    for (uint32_t& hits : hits_) hits /= 2;
  }
  if (found == scenarios_.end()) return std::nullopt;
  for (const uint32_t scenario : found->second) ++hits_[scenario];
  const auto best = static_cast<uint32_t>(std::ranges::max_element(hits_) - hits_.begin());
  const uint32_t percent = is_start_[best] && has_start_ ? kOtherStartPercent : kOwnPercent;
  const bool is_plain =
      beyond_core_ >= kFewestReads && hits_[best] * 100 >= beyond_core_ * percent && is_ahead(best);
  if (!is_plain || is_told_[best]) return std::nullopt;
  is_told_[best] = true;
  has_start_ = has_start_ || is_start_[best];
  return best;
}

bool Recogniser::is_ahead(uint32_t best) const {
  for (uint32_t i = 0; i < hits_.size(); ++i)
    if (i != best && hits_[i] + kFewestAhead > hits_[best]) return false;
  return true;
}

bool Recogniser::agrees() const {
  return std::popcount(recent_) >= kFewestKnown;
}

}  // namespace seekless
