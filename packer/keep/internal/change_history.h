// How likely an asset is to have other content in the next release, learned from the releases that
// a lock has seen, and how good that estimate has been. Pure.
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

// Of assets, each once a release.
struct ChangeCounts {
  uint64_t seen = 0;
  uint64_t edited = 0;  // of those: the next release had other content

  bool operator==(const ChangeCounts&) const = default;
};

// An estimate's log loss in thousandths: for each asset that it was asked of, the logarithm of how
// likely it said that what came was. Less is better.
struct JudgedChances {
  uint64_t assets = 0;
  uint64_t loss = 0;           // by extension
  uint64_t constant_loss = 0;  // of one chance for all of them

  bool operator==(const JudgedChances&) const = default;
};

struct ChangeHistory {
  // Of this many extensions at the most: those of which most was seen.
  static constexpr size_t kMostExtensions = 64;
  static constexpr uint64_t kMostCount = uint64_t{1} << 48;

  std::map<std::string, ChangeCounts, std::less<>> extensions;  // in small letters, with no dot
  JudgedChances judged;

  bool operator==(const ChangeHistory&) const = default;

  bool is_empty() const { return extensions.empty(); }
  ChangeCounts total() const;
  // From 0 to 1: the share of its extension's assets that changed from a release to the next, and
  // where few were seen, nearer to the share of all. 0 where nothing is known.
  double chance(std::string_view path) const;
  // One release more: `today` after `lock`. Of a release that edits nothing nothing is learned, so
  // that building the same content once more leaves all as it is.
  void learn(const LayoutLock& lock, const HashedContent& today);
};

// By asset.
std::vector<double> change_chances(const ChangeHistory& history, const Content& content);

}  // namespace seekless
