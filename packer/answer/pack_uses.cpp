#include "packer/answer/pack_uses.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace seekless {
namespace {

// Sorts the ranges by pack and place, cuts them to the packs' files, and joins those that overlap.
std::vector<PackRange> merged(std::vector<PackRange> ranges, const std::vector<PackReport>& packs) {
  std::erase_if(ranges, [&](PackRange& range) {
    if (range.pack >= packs.size()) return true;
    range.end_bytes = std::min(range.end_bytes, packs[range.pack].file_bytes);
    return range.first_bytes >= range.end_bytes;
  });
  std::ranges::sort(ranges, {}, [](const PackRange& range) {
    return std::tuple(range.pack, range.first_bytes, range.end_bytes);
  });
  std::vector<PackRange> out;
  for (const PackRange& range : ranges) {
    if (!out.empty() && out.back().pack == range.pack && range.first_bytes <= out.back().end_bytes)
      out.back().end_bytes = std::max(out.back().end_bytes, range.end_bytes);
    else
      out.push_back(range);
  }
  return out;
}

std::vector<PackRange> joined(const std::vector<PackRange>& one,
                              const std::vector<PackRange>& other) {
  std::vector<PackRange> out = one;
  out.insert(out.end(), other.begin(), other.end());
  return out;
}

uint64_t PackUse::*const kUses[] = {&PackUse::read_bytes, &PackUse::needed_bytes,
                                    &PackUse::copied_bytes};

}  // namespace

NestedReads nested(const ScenarioReads& reads, const std::vector<PackReport>& packs) {
  NestedReads out;
  out.copied = merged(reads.copied, packs);
  out.needed = merged(joined(reads.needed, out.copied), packs);
  out.read = merged(joined(reads.read, out.needed), packs);
  return out;
}

std::vector<PackUse> pack_uses(const ScenarioReads& reads, const std::vector<PackReport>& packs) {
  const NestedReads ranges = nested(reads, packs);
  std::vector<PackUse> uses;
  const std::vector<PackRange>* const kinds[] = {&ranges.read, &ranges.needed, &ranges.copied};
  for (size_t kind = 0; kind < std::size(kinds); ++kind) {
    // A needed range is also read, so its pack is in the list, at this index or later.
    size_t at = 0;
    for (const PackRange& range : *kinds[kind]) {
      while (at < uses.size() && uses[at].pack < range.pack) ++at;
      if (at == uses.size()) uses.push_back({.pack = range.pack});
      uses[at].*kUses[kind] += range.end_bytes - range.first_bytes;
    }
  }
  return uses;
}

}  // namespace seekless
