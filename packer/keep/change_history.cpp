#include "packer/keep/change_history.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "packer/base/paths.h"
#include "packer/keep/lock.h"
#include "runtime/asset_path.h"

namespace seekless {
namespace {

using Counts = std::map<std::string, ChangeCounts, std::less<>>;

// An extension's estimate behaves as if this many more of its assets had been seen, with the change
// rate of all assets. 5 to 100 are equally good on the histories of two games.
constexpr double kPriorAssets = 20;

std::string extension_of(std::string_view path) {
  const std::string_view name = file_name(path);
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? "" : fold_case(name.substr(dot + 1));
}

// Never returns exactly 0 or 1, because a change that was never seen can still happen.
double share_of(const ChangeCounts& counts) {
  return (static_cast<double>(counts.edited) + 0.5) / (static_cast<double>(counts.seen) + 1);
}

double share_of(const ChangeCounts& counts, double prior) {
  return (static_cast<double>(counts.edited) + kPriorAssets * prior) /
         (static_cast<double>(counts.seen) + kPriorAssets);
}

double log_loss(const ChangeCounts& came, double chance) {
  return -static_cast<double>(came.edited) * std::log(chance) -
         static_cast<double>(came.seen - came.edited) * std::log1p(-chance);
}

// Counts, for each extension, the lock's assets that still exist today, and those whose content
// changed.
Counts count_changes(const LayoutLock& lock, const HashedContent& today) {
  Counts counts;
  std::vector<char> is_counted(today.content().assets.size(), 0);
  for (const LockedPack& pack : lock.packs)
    for (const LockedAsset& asset : pack.assets) {
      const uint32_t number = today.find(asset.path);
      if (number == kNone || std::exchange(is_counted[number], 1) != 0) continue;
      ChangeCounts& of = counts[extension_of(asset.path)];
      ++of.seen;
      if (today.hash(number) != asset.hash) ++of.edited;
    }
  return counts;
}

uint64_t thousandths(double sum) {
  return static_cast<uint64_t>(std::llround(sum * 1000));
}

}  // namespace

ChangeCounts ChangeHistory::total() const {
  ChangeCounts total;
  for (const auto& [extension, counts] : extensions) {
    total.seen += counts.seen;
    total.edited += counts.edited;
  }
  return total;
}

double ChangeHistory::chance(std::string_view path) const {
  if (is_empty()) return 0;
  const auto found = extensions.find(extension_of(path));
  const ChangeCounts counts = found == extensions.end() ? ChangeCounts() : found->second;
  return share_of(counts, share_of(total()));
}

void ChangeHistory::learn(const LayoutLock& lock, const HashedContent& today) {
  const Counts came = count_changes(lock, today);
  if (std::ranges::all_of(came, [](const auto& one) { return one.second.edited == 0; })) return;
  const ChangeCounts before = total();
  double loss = 0;
  double constant_loss = 0;
  for (const auto& [extension, counts] : came) {
    ChangeCounts& known = extensions[extension];
    if (before.seen > 0) {
      judged.assets += counts.seen;
      loss += log_loss(counts, share_of(known, share_of(before)));
      constant_loss += log_loss(counts, share_of(before));
    }
    known.seen += counts.seen;
    known.edited += counts.edited;
  }
  judged.loss += thousandths(loss);
  judged.constant_loss += thousandths(constant_loss);
  while (extensions.size() > kMostExtensions)
    extensions.erase(
        std::ranges::min_element(extensions, {}, [](const auto& one) { return one.second.seen; }));
}

std::vector<double> change_chances(const ChangeHistory& history, const Content& content) {
  std::vector<double> chances;
  if (history.is_empty()) return chances;
  chances.reserve(content.assets.size());
  for (const Asset& asset : content.assets) chances.push_back(history.chance(asset.path));
  return chances;
}

}  // namespace seekless
