#include "packer/project/internal/asset_hashes.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "packer/base/each_once.h"
#include "packer/base/hasher.h"
#include "packer/base/in_parallel.h"
#include "packer/content/asset_reader.h"

namespace seekless {
namespace {

constexpr size_t kHashedAtOnceBytes = size_t{1} << 20;

Result<format::ContentHash> hash_asset(const Asset& asset, ContentReader& reader,
                                       std::span<std::byte> piece) {
  SKL_TRY(auto stream, reader.open(ref_of(asset)));
  Hasher128 hasher;
  uint64_t left = asset.place.size_bytes;
  // The loop runs at least once, so that an empty asset is checked, too.
  do {
    SKL_TRY(const auto got, stream->read(piece));
    hasher.add(piece.first(got));
    left -= got;
  } while (left > 0);
  return hasher.digest();
}

// Returns a hash of the path. No content has this hash, except by chance.
format::ContentHash provisional_hash(const Asset& asset) {
  constexpr uint64_t kSeed = 0x5eec1e55;
  return canonical(XXH3_128bits_withSeed(asset.path.data(), asset.path.size(), kSeed));
}

class Hasher {
 public:
  Hasher(const HashInput& input, const HashOptions& options) : input_(input), options_(options) {}

  Result<AssetHashes> run() {
    const size_t count = input_.content.assets.size();
    result_.hashes.resize(count);
    result_.origins.assign(count, HashOrigin::provisional);
    take_known();
    if (options_.new_assets == NewAssets::equal_sizes) want_equal_sizes();
    if (options_.new_assets == NewAssets::all) want_all();
    SKL_TRY_DO(read_wanted());
    for (size_t i = 0; i < count; ++i)
      if (result_.origins[i] == HashOrigin::provisional)
        result_.hashes[i] = provisional_hash(input_.content.assets[i]);
    return std::move(result_);
  }

 private:
  void take_known() {
    if (input_.known == nullptr) return;
    const std::vector<AssetBefore>& before = input_.known->before;
    for (uint32_t i = 0; i < before.size(); ++i) {
      if (before[i] == AssetBefore::same && input_.trusts_stamps) {
        result_.hashes[i] = input_.known->hashes[i];
        result_.origins[i] = HashOrigin::known;
      } else if (before[i] == AssetBefore::same || before[i] == AssetBefore::doubtful) {
        wanted_.push_back(i);
      }
    }
  }

  // Selects assets that may be equal to another one, because they have the same size and, if all
  // of that size are entries of zips, the same CRC-32.
  void want_equal_sizes() {
    const std::vector<Asset>& assets = input_.content.assets;
    std::vector<uint32_t> by_size(assets.size());
    for (uint32_t i = 0; i < by_size.size(); ++i) by_size[i] = i;
    const auto size_of = [&](uint32_t i) { return assets[i].place.size_bytes; };
    std::ranges::stable_sort(by_size, {}, size_of);
    const auto has_crc = [&](uint32_t i) {
      return input_.content.sources[assets[i].place.source].kind == SourceKind::zip;
    };
    for (auto rest = std::span<uint32_t>(by_size); !rest.empty();) {
      const uint64_t size = size_of(rest.front());
      const auto end = std::ranges::upper_bound(rest, size, {}, size_of);
      auto group = rest.first(static_cast<size_t>(end - rest.begin()));
      rest = rest.subspan(group.size());
      if (group.size() == 1) continue;
      if (!std::ranges::all_of(group, has_crc)) {
        want(group);
        continue;
      }
      const auto crc_of = [&](uint32_t i) { return assets[i].place.crc32; };
      std::ranges::stable_sort(group, {}, crc_of);
      while (!group.empty()) {
        const auto same = std::ranges::upper_bound(group, crc_of(group.front()), {}, crc_of);
        const auto run = group.first(static_cast<size_t>(same - group.begin()));
        if (run.size() > 1) want(run);
        group = group.subspan(run.size());
      }
    }
    keep_each_once(wanted_);
  }

  void want_all() {
    wanted_.clear();
    for (uint32_t i = 0; i < result_.origins.size(); ++i)
      if (result_.origins[i] != HashOrigin::known) wanted_.push_back(i);
  }

  void want(std::span<const uint32_t> group) {
    for (const uint32_t asset : group)
      if (result_.origins[asset] == HashOrigin::provisional) wanted_.push_back(asset);
  }

  Result<void> read_wanted() {
    if (wanted_.empty()) return {};
    ContentReader reader(input_.content.sources);
    const size_t threads = std::min<size_t>(options_.threads, wanted_.size());
    std::vector<std::vector<std::byte>> pieces(std::max<size_t>(threads, 1));
    auto done = in_parallel_or_error(wanted_.size(), threads,
                                     [&](size_t number, size_t thread) -> Result<void> {
                                       pieces[thread].resize(kHashedAtOnceBytes);
                                       return read(wanted_[number], reader, pieces[thread]);
                                     });
    if (!done) return done;
    for (const uint32_t asset : wanted_)
      result_.read_bytes += input_.content.assets[asset].place.size_bytes;
    return {};
  }

  Result<void> read(uint32_t asset, ContentReader& reader, std::span<std::byte> piece) {
    SKL_TRY(const auto hash, hash_asset(input_.content.assets[asset], reader, piece));
    result_.hashes[asset] = hash;
    result_.origins[asset] = HashOrigin::read;
    if (options_.done_bytes != nullptr)
      *options_.done_bytes += input_.content.assets[asset].place.size_bytes;
    return {};
  }

  const HashInput& input_;
  const HashOptions& options_;
  AssetHashes result_;
  std::vector<uint32_t> wanted_;
};

}  // namespace

Result<AssetHashes> hash_assets(const HashInput& input, const HashOptions& options) {
  return Hasher(input, options).run();
}

}  // namespace seekless
