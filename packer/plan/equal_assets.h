// Plans assets of equal content as one, and lays them side by side, so that a pack stores the
// content once. Pure.
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

// Chooses, among assets with equal content that the same rules match, the first one to stand for
// the others.
class EqualAssets {
 public:
  // `profile` must be in planning order, and all arguments must outlive the object.
  // PlanOptions::same_as says which assets are equal.
  EqualAssets(const Profile& profile, const Content& content, const PlanOptions& options);

  bool is_empty() const { return others_ == 0; }
  // These return the content without the others, and matching profile and options. In the profile's
  // runs, the asset that stands for a group is read when the first of the group was.
  Content content() const;
  Profile profile() const;
  PlanOptions options() const;
  // Adds the other assets to a layout of this content. Each asset goes next to those copies of its
  // stand-in that serve the asset's own readers. An asset without readers goes next to the first
  // copy.
  void lay_others(Layout& layout) const;

 private:
  class Laying;

  void find_others();
  void sort_members();
  // Returns the assets that this one stands for, including itself, in the order in which recordings
  // first read them, and then by path.
  std::span<const uint32_t> group(uint32_t asset) const {
    return std::span(members_).subspan(first_[asset], first_[asset + 1] - first_[asset]);
  }

  const Profile& profile_;
  const Content& content_;
  const PlanOptions& options_;
  std::vector<uint32_t> stands_for_it_;  // indexed by asset: its stand-in, or the asset itself
  // Indexed by asset, with one extra entry: its first entry in members_.
  std::vector<uint32_t> first_;
  std::vector<uint32_t> members_;
  std::vector<uint32_t> asset_of_;  // indexed by number in the profile; kNone if the asset is gone
  uint64_t others_ = 0;
};

// Holds figures about content that a game holds several times.
struct EqualContent {
  uint64_t assets = 0;  // number of assets whose content another asset also has
  uint64_t bytes = 0;   // size of these assets
  std::string example;  // path of one of these assets
  std::string of;       // path of an asset with the same content as the example
  // Holds the figures of a plan with the same options in which each of these assets has its own
  // place.
  struct Apart {
    double recorded_s = 0;  // same meaning as Prediction::seconds
    uint64_t packed_bytes = 0;
  };
  std::optional<Apart> apart = {};  // empty if the equal content is too small to measure
};

// Measures the equal content that `options.same_as` names. If it is a hundredth of the content or
// more, a second plan without `same_as` shows the saving.
EqualContent weigh_equal(const Profile& profile, const Content& content, PlanOptions options);

}  // namespace seekless
