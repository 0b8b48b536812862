#include "packer/verdict/ways.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "packer/verdict/verdict.h"

namespace seekless {
namespace {

constexpr std::pair<LoadWay, const char*> kLoadWays[] = {
    {LoadWay::nothing, "nothing"}, {LoadWay::play, "play"},   {LoadWay::laid_out, "laid out"},
    {LoadWay::warm, "warm"},       {LoadWay::place, "place"}, {LoadWay::overlay, "overlay"},
    {LoadWay::repack, "repack"},   {LoadWay::packs, "packs"}};

double seconds_or_never(const AdvisedWay& way) {
  return way.seconds.value_or(std::numeric_limits<double>::infinity());
}

int group_of(const AdvisedWay& way) {
  if (!way.why_not.empty()) return 2;
  return way.is_for_some_engines ? 1 : 0;
}

// Among the ways that are about as fast as the first of [begin, end), moves the one that changes
// least to the front. Does the same with the rest.
void gentlest_first(std::vector<AdvisedWay>::iterator begin,
                    std::vector<AdvisedWay>::iterator end) {
  for (; begin != end; ++begin) {
    const double most = seconds_or_never(*begin) * (1 + kAlikeShare);
    const auto alike = std::find_if(
        begin, end, [&](const AdvisedWay& way) { return seconds_or_never(way) > most; });
    const auto gentlest = std::min_element(
        begin, alike, [](const AdvisedWay& a, const AdvisedWay& b) { return a.way < b.way; });
    if (gentlest != alike) std::rotate(begin, gentlest, std::next(gentlest));
  }
}

}  // namespace

std::vector<AdvisedWay> best_first(std::vector<AdvisedWay> ways) {
  std::ranges::stable_sort(ways, {}, &AdvisedWay::way);
  std::ranges::stable_sort(ways, {}, seconds_or_never);
  std::ranges::stable_sort(ways, {}, group_of);
  for (auto begin = ways.begin(); begin != ways.end();) {
    const auto end = std::find_if(begin, ways.end(), [&](const AdvisedWay& way) {
      return group_of(way) != group_of(*begin);
    });
    gentlest_first(begin, end);
    begin = end;
  }
  return ways;
}

const AdvisedWay* best_of(const std::vector<AdvisedWay>& sorted) {
  const auto plain = std::ranges::find(sorted, LoadWay::nothing, &AdvisedWay::way);
  if (sorted.empty() || plain == sorted.end() || !plain->seconds) return nullptr;
  const AdvisedWay& first = sorted.front();
  if (group_of(first) != 0 || !first.seconds || first.way == LoadWay::nothing) return nullptr;
  const JudgedLoad load = {.as_shipped_s = *plain->seconds, .after_s = first.seconds};
  return saves_enough(load.as_shipped_s - *first.seconds, load.as_shipped_s) ? &first : nullptr;
}

std::string name_of(LoadWay way) {
  return std::ranges::find(kLoadWays, way, &std::pair<LoadWay, const char*>::first)->second;
}

}  // namespace seekless
