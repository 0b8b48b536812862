// Estimates how likely an asset is to change in the next release. It learns from the releases that
// a lock has seen, and tracks how good its estimates were. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "packer/content/content.h"

namespace seekless {

struct LayoutLock;
class HashedContent;

// Counts assets, each once in every release.
struct ChangeCounts {
  uint64_t seen = 0;
  uint64_t edited = 0;  // number of these assets whose content changed in the next release

  bool operator==(const ChangeCounts&) const = default;
};

// Holds the log loss of estimates in thousandths: the sum, over all judged assets, of the negative
// logarithm of the probability that the estimate gave to the actual outcome. Less is better.
struct JudgedChances {
  uint64_t assets = 0;
  uint64_t loss = 0;           // loss of the estimates by extension
  uint64_t constant_loss = 0;  // loss of a single estimate for all extensions

  bool operator==(const JudgedChances&) const = default;
};

struct ChangeHistory {
  // At most this many extensions are kept: those with the most assets seen.
  static constexpr size_t kMostExtensions = 64;
  static constexpr uint64_t kMostCount = uint64_t{1} << 48;

  std::map<std::string, ChangeCounts, std::less<>> extensions;  // in lower case, without the dot
  JudgedChances judged;

  bool operator==(const ChangeHistory&) const = default;

  bool is_empty() const { return extensions.empty(); }
  ChangeCounts total() const;
  // Returns the probability, from 0 to 1, that the asset changes: the share of its extension's
  // assets that changed from one release to the next. The fewer were seen, the nearer it is to the
  // share of all assets. 0 if nothing is known.
  double chance(std::string_view path) const;
  // Learns from one more release: `today` comes after `lock`. A release without edits teaches
  // nothing, so building the same content again changes nothing.
  void learn(const LayoutLock& lock, const HashedContent& today);
};

// Returns a probability for each asset; empty if nothing is known.
std::vector<double> change_chances(const ChangeHistory& history, const Content& content);

}  // namespace seekless
