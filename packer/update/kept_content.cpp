#include "packer/update/kept_content.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "packer/base/hasher.h"
#include "packer/content/asset_reader.h"
#include "packer/host/files.h"
#include "packer/patch/chunker.h"

namespace seekless {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 30;
constexpr uint64_t kMostEntryBytes = uint64_t{1} << 25;
constexpr size_t kComparedBytes = size_t{1} << 20;

// Reads a range of a file.
class PartOfFile final : public ByteSource {
 public:
  PartOfFile(const ByteSource& file, uint64_t begin, uint64_t size_bytes)
      : file_(file), begin_(begin), size_bytes_(size_bytes) {}
  const std::string& name() const override { return file_.name(); }
  uint64_t size_bytes() const override { return size_bytes_; }
  Result<void> read_at(uint64_t offset_bytes, std::span<std::byte> into) const override {
    return file_.read_at(begin_ + offset_bytes, into);
  }

 private:
  const ByteSource& file_;
  const uint64_t begin_;
  const uint64_t size_bytes_;
};

// Returns how many bytes are equal at the front of both, or at their ends; examines no more than
// `most`.
Result<uint64_t> common_bytes(const ByteSource& a, const ByteSource& b, uint64_t most,
                              bool at_ends) {
  std::vector<std::byte> of_a(std::min<uint64_t>(most, kComparedBytes));
  std::vector<std::byte> of_b(of_a.size());
  for (uint64_t done = 0; done < most;) {
    const auto length = static_cast<size_t>(std::min<uint64_t>(of_a.size(), most - done));
    const auto read = [&](const ByteSource& from, std::vector<std::byte>& into) {
      const uint64_t offset = at_ends ? from.size_bytes() - done - length : done;
      return from.read_at(offset, std::span(into).first(length));
    };
    SKL_TRY_DO(read(a, of_a));
    SKL_TRY_DO(read(b, of_b));
    const auto same = [&](auto first, auto end, auto other) {
      return static_cast<uint64_t>(std::mismatch(first, end, other).first - first);
    };
    const auto count = static_cast<std::ptrdiff_t>(length);
    const uint64_t equal = at_ends ? same(of_a.rend() - count, of_a.rend(), of_b.rend() - count)
                                   : same(of_a.begin(), of_a.begin() + count, of_b.begin());
    done += equal;
    if (equal < length) return done;
  }
  return most;
}

class ContentFinder {
 public:
  ContentFinder(const LayoutLock& old, const std::string& folder, const HashedContent& hashed,
                std::span<const Source> sources)
      : old_(old), folder_(folder), hashed_(hashed), sources_(sources), reader_(sources) {}

  Result<KeptContent> run() {
    for (const LockedPack& pack : old_.packs) SKL_TRY_DO(look_into(pack));
    return std::move(kept_);
  }

 private:
  Result<void> look_into(const LockedPack& pack) {
    std::unique_ptr<ByteSource> file;
    std::vector<uint64_t> begins;
    for (const LockedAsset& asset : pack.assets) {
      const uint32_t number = hashed_.find(asset.path);
      if (number == kNone || asset.size_bytes == 0) continue;
      const format::ContentHash& hash = hashed_.hash(number);
      if (hash == asset.hash || kept_.contains(hash) || looked_at_.contains(hash)) continue;
      if (!file) {
        auto opened = open_source(folder_ + "/" + pack.name + ".skl");
        if (!opened) return {};
        file = *std::move(opened);
        begins = block_begins(pack, file->size_bytes());
      }
      const uint64_t begin = begins[asset.place.block] + asset.place.offset_bytes;
      if (begin > file->size_bytes() || asset.size_bytes > file->size_bytes() - begin) continue;
      const PartOfFile before(*file, begin, asset.size_bytes);
      SKL_TRY_DO(compare(before, asset, number));
    }
    return {};
  }

  // Room for the frames' table may lie before the first block even if in the end no block was
  // compressed.
  static std::vector<uint64_t> block_begins(const LockedPack& pack, uint64_t file_bytes) {
    std::vector<uint64_t> begins = {pack.data_offset_bytes};
    for (const uint32_t raw_bytes : pack.block_raw_bytes)
      begins.push_back(begins.back() + format::round_up(raw_bytes, format::kPageBytes));
    const uint64_t shift_bytes = file_bytes > begins.back() ? file_bytes - begins.back() : 0;
    for (uint64_t& begin : begins) begin += shift_bytes;
    return begins;
  }

  Result<void> compare(const ByteSource& before, const LockedAsset& asset, uint32_t number) {
    const Place& place = hashed_.content().assets[number].place;
    const uint64_t bytes = before.size_bytes() + place.size_bytes;
    const bool is_large = place.entry != kWholeSource && place.size_bytes > kMostEntryBytes;
    if (place.size_bytes == 0 || is_large || bytes > kMostBytes - compared_bytes_) return {};
    compared_bytes_ += bytes;
    looked_at_.insert(hashed_.hash(number));
    std::set<format::ContentHash> known;
    Hasher128 hasher;
    auto read =
        for_each_chunk(before, [&](uint64_t, std::span<const std::byte> chunk) -> Result<void> {
          hasher.add(chunk);
          known.insert(hash_of_content(chunk));
          return {};
        });
    if (!read || hasher.digest() != asset.hash) return {};  // the file is another pack
    SKL_TRY(auto now, open(number));
    // The file isn't the one that was packed.
    if (now->size_bytes() != place.size_bytes) return {};
    return compare(before, *now, known, asset.hash, hashed_.hash(number));
  }

  Result<void> compare(const ByteSource& before, const ByteSource& now,
                       const std::set<format::ContentHash>& known,
                       const format::ContentHash& old_hash, const format::ContentHash& hash) {
    KeptBytes kept = {.old_hash = old_hash};
    auto read =
        for_each_chunk(now, [&](uint64_t, std::span<const std::byte> chunk) -> Result<void> {
          if (!known.contains(hash_of_content(chunk))) kept.fresh_chunk_bytes += chunk.size();
          return {};
        });
    if (!read) return read;
    const uint64_t shorter = std::min(before.size_bytes(), now.size_bytes());
    SKL_TRY(const auto front, common_bytes(before, now, shorter, false));
    SKL_TRY(const auto back, common_bytes(before, now, shorter - front, true));
    kept.front_bytes = front;
    kept.back_bytes = back;
    kept_.emplace(hash, kept);
    return {};
  }

  Result<std::unique_ptr<ByteSource>> open(uint32_t number) {
    const Asset& asset = hashed_.content().assets[number];
    const std::string path(sources_[asset.place.source].path);
    if (asset.place.entry == kWholeSource) return open_source(path);
    std::vector<std::byte> bytes(asset.place.size_bytes);
    SKL_TRY(const auto stream, reader_.open(ref_of(asset)));
    SKL_TRY_DO(read_whole(*stream, bytes));
    return std::make_unique<MemorySource>(path, std::move(bytes));
  }

  const LayoutLock& old_;
  const std::string& folder_;
  const HashedContent& hashed_;
  const std::span<const Source> sources_;
  ContentReader reader_;
  KeptContent kept_;
  std::set<format::ContentHash> looked_at_;
  uint64_t compared_bytes_ = 0;
};

}  // namespace

Result<KeptContent> find_kept(const LayoutLock& old, const std::string& folder,
                              const HashedContent& hashed, std::span<const Source> sources) {
  return ContentFinder(old, folder, hashed, sources).run();
}

}  // namespace seekless
