#include "packer/trace/internal/cached_ranges.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace seekless {

void CachedRanges::add(uint32_t file, uint64_t begin, uint64_t end) {
  if (begin >= end) return;
  Ranges& ranges = young_.files[file];
  young_.count -= ranges.size();
  auto next = ranges.upper_bound(begin);
  if (next != ranges.begin() && std::prev(next)->second >= begin) {
    --next;
    begin = next->first;
  }
  while (next != ranges.end() && next->first <= end) {
    end = std::max(end, next->second);
    next = ranges.erase(next);
  }
  ranges.emplace_hint(next, begin, end);
  young_.count += ranges.size();
  if (young_.count >= kept_) old_ = std::exchange(young_, {});
}

bool CachedRanges::touches(const Generation& generation, uint32_t file, uint64_t begin,
                           uint64_t end) {
  const auto of_file = generation.files.find(file);
  if (of_file == generation.files.end()) return false;
  const auto next = of_file->second.lower_bound(end);
  return next != of_file->second.begin() && std::prev(next)->second > begin;
}

bool CachedRanges::touches(uint32_t file, uint64_t begin, uint64_t end) const {
  return touches(young_, file, begin, end) || touches(old_, file, begin, end);
}

}  // namespace seekless
