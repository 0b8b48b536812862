// Assets of equal content are planned as one, and laid side by side: a pack holds them once. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "packer/content/content.h"
#include "packer/layout/layout.h"
#include "packer/plan/planner.h"
#include "packer/profile/profile.h"

namespace seekless {

// Of assets with the same content the first one stands for the others, if the same rules match it.
class EqualAssets {
 public:
  // `profile` is in planning order; all outlive it. PlanOptions::same_as says what is equal.
  EqualAssets(const Profile& profile, const Content& content, const PlanOptions& options);

  bool is_empty() const { return others_ == 0; }
  // Content without the others; recordings, in which what stands for them is read instead, when the
  // first of them was; and options for these.
  Content content() const;
  Profile profile() const;
  PlanOptions options() const;
  // To a layout of these, the others: next to each copy of what stands for them whose readers read
  // them. What nobody reads goes next to the first copy.
  void lay_others(Layout& layout) const;

 private:
  class Laying;

  void find_others();
  void sort_members();
  // Of the assets that stand for some: those it stands for, itself among them. In the order in
  // which recordings first read them, and then by path.
  std::span<const uint32_t> group(uint32_t asset) const {
    return std::span(members_).subspan(first_[asset], first_[asset + 1] - first_[asset]);
  }

  const Profile& profile_;
  const Content& content_;
  const PlanOptions& options_;
  std::vector<uint32_t> stands_for_it_;  // by asset: the one that does, or itself
  std::vector<uint32_t> first_;          // by asset, and one more: in members_
  std::vector<uint32_t> members_;
  std::vector<uint32_t> asset_of_;  // by number in the profile; kNone: gone
  uint64_t others_ = 0;
};

// What is known of content that a game holds several times.
struct EqualContent {
  uint64_t assets = 0;  // that have the content of another one
  uint64_t bytes = 0;   // of these
  std::string example;  // one of them
  std::string of;       // the one whose content it has
  // A plan of the same options in which each of these assets has a place of its own.
  struct Apart {
    double recorded_s = 0;  // as Prediction::seconds
    uint64_t packed_bytes = 0;
  };
  std::optional<Apart> apart = {};  // none: too few to be worth finding out
};

// Of the copies that `options.same_as` says there are. Where they are a hundredth of the content or
// more, a plan without it tells what they earn.
EqualContent weigh_equal(const Profile& profile, const Content& content, PlanOptions options);

}  // namespace seekless
