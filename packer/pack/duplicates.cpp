#include "packer/pack/duplicates.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

namespace seekless {
namespace {

// Files of one size mostly differ in their first page already.
constexpr uint64_t kSampleBytes = 4096;
constexpr size_t kPieceBytes = 256 * 1024;

using Digest = std::pair<uint64_t, uint64_t>;

// Of the first `limit_bytes` of the content.
Result<Digest> hash_content(const LaidAsset& asset, ContentReader& content, uint64_t limit_bytes) {
  auto stream =
      content.open({asset.path, asset.source, asset.entry, asset.size_bytes, asset.crc32});
  if (!stream) return std::unexpected(stream.error());
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  std::vector<std::byte> piece(std::min<uint64_t>({limit_bytes, asset.size_bytes, kPieceBytes}));
  for (uint64_t left = std::min(limit_bytes, asset.size_bytes); left > 0;) {
    const auto got =
        (*stream)->read(std::span(piece).first(std::min<uint64_t>(left, piece.size())));
    if (!got) return std::unexpected(got.error());
    XXH3_128bits_update(&state, piece.data(), *got);
    left -= *got;
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(&state);
  return Digest(hash.high64, hash.low64);
}

class DuplicateFinder {
 public:
  DuplicateFinder(const LaidPack& pack, ContentReader& content)
      : assets_(pack.assets), content_(content), same_as_(pack.assets.size()) {
    std::iota(same_as_.begin(), same_as_.end(), 0U);
  }

  Result<std::vector<uint32_t>> find() {
    std::vector<uint32_t> by_size = same_as_;
    const auto size_of = [this](uint32_t asset) { return assets_[asset].size_bytes; };
    std::ranges::stable_sort(by_size, {}, size_of);
    auto rest = std::span<uint32_t>(by_size);
    while (!rest.empty()) {
      const uint64_t size = size_of(rest.front());
      const auto end = std::ranges::upper_bound(rest, size, {}, size_of);
      const auto group = rest.first(static_cast<size_t>(end - rest.begin()));
      rest = rest.subspan(group.size());
      if (size == 0 || group.size() == 1) continue;
      if (auto found = split_by_sample(group); !found) return std::unexpected(found.error());
    }
    return std::move(same_as_);
  }

 private:
  // Sorts the group by `key_of(asset)` and calls `next` for each run of equal keys.
  template <typename KeyOf, typename Next>
  Result<void> split(std::span<uint32_t> group, KeyOf key_of, Next next) {
    using Key = decltype(key_of(0U))::value_type;
    std::vector<std::pair<Key, uint32_t>> keyed;
    for (const uint32_t asset : group) {
      auto key = key_of(asset);
      if (!key) return std::unexpected(key.error());
      keyed.emplace_back(*key, asset);
    }
    std::ranges::sort(keyed);
    std::vector<uint32_t> run;
    for (size_t i = 0; i < keyed.size(); ++i) {
      run.push_back(keyed[i].second);
      if (i + 1 < keyed.size() && keyed[i + 1].first == keyed[i].first) continue;
      if (run.size() > 1)
        if (auto done = next(std::span(run)); !done) return done;
      run.clear();
    }
    return {};
  }

  // An archive's directory has a checksum of all entries already; files have to be looked into.
  Result<void> split_by_sample(std::span<uint32_t> group) {
    const bool all_have_crc = std::ranges::all_of(
        group, [this](uint32_t asset) { return assets_[asset].entry != kWholeSource; });
    const auto sample = [&](uint32_t asset) -> Result<Digest> {
      if (all_have_crc) return Digest(0, assets_[asset].crc32);
      return hash_content(assets_[asset], content_, kSampleBytes);
    };
    return split(group, sample, [this](std::span<uint32_t> run) { return split_by_content(run); });
  }

  Result<void> split_by_content(std::span<uint32_t> group) {
    const auto whole = [this](uint32_t asset) {
      return hash_content(assets_[asset], content_, UINT64_MAX);
    };
    return split(group, whole, [this](std::span<uint32_t> run) -> Result<void> {
      for (const uint32_t asset : run) same_as_[asset] = run.front();
      return {};
    });
  }

  const std::vector<LaidAsset>& assets_;
  ContentReader& content_;
  std::vector<uint32_t> same_as_;
};

}  // namespace

Result<std::vector<uint32_t>> find_duplicates(const LaidPack& pack, ContentReader& content) {
  return DuplicateFinder(pack, content).find();
}

}  // namespace seekless
