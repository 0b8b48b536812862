#include "packer/pack/duplicates.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "packer/base/hasher.h"
#include "packer/base/in_parallel.h"
#include "packer/pack/pack_plan.h"

namespace seekless {
namespace {

// Different files of the same size usually differ in their first page.
constexpr uint64_t kSampleBytes = 4096;
constexpr size_t kPieceBytes = 256 * 1024;

using Digest = format::ContentHash;

// Describes an asset that may be equal to its neighbours.
struct EqualCandidate {
  uint64_t size_bytes = 0;
  Digest digest;
  uint32_t asset = 0;
  bool is_by_crc = false;  // the digest is the CRC-32 from an archive's directory
  auto operator<=>(const EqualCandidate&) const = default;

  bool seems_equal(const EqualCandidate& other) const {
    return size_bytes == other.size_bytes && digest == other.digest;
  }
  bool is_settled() const { return !is_by_crc && size_bytes <= kSampleBytes; }
};

// Hashes the first `limit_bytes` of the content.
Result<Digest> hash_content(const AssetRef& asset, ContentReader& content, uint64_t limit_bytes) {
  SKL_TRY(auto stream, content.open(asset));
  Hasher128 hasher;
  std::vector<std::byte> piece(std::min<uint64_t>({limit_bytes, asset.size_bytes, kPieceBytes}));
  for (uint64_t left = std::min(limit_bytes, asset.size_bytes); left > 0;) {
    SKL_TRY(const auto got,
            stream->read(std::span(piece).first(std::min<uint64_t>(left, piece.size()))));
    hasher.add(std::span(piece).first(got));
    left -= got;
  }
  return hasher.digest();
}

// Calls `each` with every run of candidates that seem equal; the candidates are sorted.
template <typename Each>
void for_each_run(std::span<EqualCandidate> candidates, Each each) {
  while (!candidates.empty()) {
    size_t count = 1;
    while (count < candidates.size() && candidates[count].seems_equal(candidates.front())) ++count;
    each(candidates.first(count));
    candidates = candidates.subspan(count);
  }
}

// Sorts the candidates, and drops those that seem equal to no other.
void keep_runs(std::vector<EqualCandidate>& candidates) {
  std::ranges::sort(candidates);
  auto kept = candidates.begin();
  for_each_run(candidates, [&](std::span<EqualCandidate> run) {
    if (run.size() > 1) kept = std::ranges::copy(run, kept).out;
  });
  candidates.erase(kept, candidates.end());
}

// Finds duplicates among assets for which ref_of() returns a reference.
template <typename Assets>
class DuplicateFinder {
 public:
  DuplicateFinder(const Assets& assets, ContentReader& content, size_t threads)
      : assets_(assets), content_(content), threads_(threads) {}

  Result<std::vector<uint32_t>> find() {
    std::vector<uint32_t> same_as(assets_.size());
    std::iota(same_as.begin(), same_as.end(), 0U);
    const auto settle = [&](std::span<const EqualCandidate> run) {
      for (const EqualCandidate& candidate : run) same_as[candidate.asset] = run.front().asset;
    };

    std::vector<EqualCandidate> candidates = of_one_size();
    SKL_TRY_DO(hash(candidates, kSampleBytes));
    keep_runs(candidates);
    for_each_run(candidates, [&](std::span<EqualCandidate> run) {
      if (run.front().is_settled()) settle(run);
    });
    std::erase_if(candidates,
                  [](const EqualCandidate& candidate) { return candidate.is_settled(); });

    for (EqualCandidate& candidate : candidates) candidate.is_by_crc = false;
    SKL_TRY_DO(hash(candidates, UINT64_MAX));
    keep_runs(candidates);
    for_each_run(candidates, settle);
    return same_as;
  }

 private:
  // Returns the assets whose size, and in zips also CRC-32, equals another's. A zip's directory
  // already has checksums of all entries; files and other archives' entries must be read.
  std::vector<EqualCandidate> of_one_size() const {
    std::vector<EqualCandidate> candidates;
    candidates.reserve(assets_.size());
    for (uint32_t i = 0; i < assets_.size(); ++i)
      if (const uint64_t size_bytes = ref_of(assets_[i]).size_bytes; size_bytes > 0)
        candidates.push_back({.size_bytes = size_bytes, .digest = {}, .asset = i});
    keep_runs(candidates);
    for_each_run(candidates, [&](std::span<EqualCandidate> run) {
      const auto has_crc = [&](const EqualCandidate& candidate) {
        return content_.has_crc32(ref_of(assets_[candidate.asset]));
      };
      if (!std::ranges::all_of(run, has_crc)) return;
      for (EqualCandidate& candidate : run) {
        candidate.digest =
            canonical({.low64 = ref_of(assets_[candidate.asset]).crc32, .high64 = 0});
        candidate.is_by_crc = true;
      }
    });
    return candidates;
  }

  // Hashes in the pack's order, which is closer to the order on disk than an order by size is. The
  // error is the first in that order, however many threads there are.
  Result<void> hash(std::vector<EqualCandidate>& candidates, uint64_t limit_bytes) {
    std::ranges::sort(candidates, {}, &EqualCandidate::asset);
    return in_parallel_or_error(candidates.size(), threads_, [&](size_t i, size_t) -> Result<void> {
      EqualCandidate& candidate = candidates[i];
      if (candidate.is_by_crc) return {};
      SKL_TRY(const auto digest,
              hash_content(ref_of(assets_[candidate.asset]), content_, limit_bytes));
      candidate.digest = digest;
      return {};
    });
  }

  const Assets& assets_;
  ContentReader& content_;
  const size_t threads_;
};

}  // namespace

Result<std::vector<uint32_t>> find_duplicates(const LaidPack& pack, ContentReader& content,
                                              size_t threads) {
  return DuplicateFinder(pack.assets, content, threads).find();
}

Result<std::vector<uint32_t>> find_equal_assets(const Content& content, size_t threads) {
  ContentReader reader(content.sources);
  return DuplicateFinder(content.assets, reader, threads).find();
}

}  // namespace seekless
