#include "packer/patch/patch_writer.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "packer/base/hasher.h"
#include "packer/host/pending_file.h"
#include "packer/patch/chunker.h"
#include "packer/patch/internal/patch_file.h"

namespace seekless {
namespace {

constexpr int kZstdLevel = 6;
// Compression must save at least a sixteenth to be worth the decompression.
constexpr uint32_t kLeastSaved = 16;
constexpr uint32_t kMostCopyBytes = 1U << 30;
constexpr int kMostLooks = 64;  // limit, because runs of zeros have very many equal chunks

struct OldChunk {
  uint64_t hash_low = 0;
  uint64_t hash_high = 0;
  uint64_t offset_bytes = 0;
  uint32_t file = 0;
  uint32_t size_bytes = 0;

  auto operator<=>(const OldChunk&) const = default;
  bool is_equal(const OldChunk& other) const {
    return hash_low == other.hash_low && hash_high == other.hash_high &&
           size_bytes == other.size_bytes;
  }
};

OldChunk chunk_of(std::span<const std::byte> bytes, uint32_t file, uint64_t offset) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64, offset, file, static_cast<uint32_t>(bytes.size())};
}

class PatchWriter {
 public:
  PatchWriter(const SetFiles& old, const SetFiles& now, PendingFile& file,
              std::atomic<uint64_t>* done_bytes)
      : old_(old),
        now_(now),
        file_(file),
        done_bytes_(done_bytes),
        stored_(ZSTD_compressBound(kMostPieceBytes)) {}

  Result<WrittenPatch> write() {
    patch_.is_single = now_.is_single;
    patch_.old_id = old_.id;
    patch_.new_id = now_.id;
    for (uint32_t i = 0; i < old_.files.size(); ++i) SKL_TRY_DO(index(i));
    std::ranges::sort(chunks_);
    for (const auto step : {&PatchWriter::count_fresh, &PatchWriter::add}) {
      is_replaced_.assign(old_.files.size(), 0);
      for (const SetFile& file : now_.files) SKL_TRY_DO((this->*step)(file));
    }
    const PatchTables tables = build_patch_tables(patch_, end_bytes_);
    SKL_TRY_DO(file_.write_at(end_bytes_, tables.bytes));
    SKL_TRY_DO(file_.write_at(0, std::as_bytes(std::span(&tables.header, 1))));
    written_.patch_bytes = tables.header.patch_bytes;
    return written_;
  }

 private:
  std::string name_of(const SetFile& file) const {
    return patch_.is_single ? "pack.skl" : file.name;  // the two packs may have any names
  }

  Result<void> index(uint32_t number) {
    const SetFile& file = old_.files[number];
    SKL_TRY(auto source, open_source(file.path));
    Hasher128 hasher;
    auto read = for_each_chunk(
        *source, [&](uint64_t offset, std::span<const std::byte> chunk) -> Result<void> {
          hasher.add(chunk);
          chunks_.push_back(chunk_of(chunk, number, offset));
          if (done_bytes_ != nullptr) *done_bytes_ += chunk.size();
          return {};
        });
    if (!read) return read;
    PatchedFile& record = patch_.old_files.emplace_back();
    record.name = name_of(file);
    record.size_bytes = source->size_bytes();
    record.hash = hasher.digest();
    sources_.push_back(std::move(source));
    return {};
  }

  // Returns the old file of the same name and content.
  uint32_t same_file(const SetFile& file) const {
    for (uint32_t i = 0; i < old_.files.size(); ++i)
      if (patch_.old_files[i].name == name_of(file) && old_.files[i].id == file.id &&
          old_.files[i].size_bytes == file.size_bytes)
        return i;
    return kFromPatch;
  }

  void note_replaced(const SetFile& file) {
    for (uint32_t i = 0; i < old_.files.size(); ++i)
      if (patch_.old_files[i].name == name_of(file)) is_replaced_[i] = 1;
  }

  // Counts how often each new chunk occurs: chunks of copied assets occur in several packs.
  Result<void> count_fresh(const SetFile& file) {
    if (same_file(file) != kFromPatch) return {};
    SKL_TRY(const auto source, open_source(file.path));
    auto read =
        for_each_chunk(*source, [&](uint64_t, std::span<const std::byte> chunk) -> Result<void> {
          const OldChunk fresh = chunk_of(chunk, 0, 0);
          if (!is_known(fresh)) ++fresh_counts_[fresh.hash_low];
          return {};
        });
    if (read) note_replaced(file);
    return read;
  }

  // Returns true if an old file that still exists has the chunk.
  bool is_known(const OldChunk& wanted) const {
    auto at = std::ranges::lower_bound(chunks_, wanted);
    for (int looks = 0; at != chunks_.end() && looks < kMostLooks && at->is_equal(wanted);
         ++at, ++looks)
      if (is_replaced_[at->file] == 0) return true;
    return false;
  }

  Result<void> add(const SetFile& file) {
    PatchedFile& made = patch_.new_files.emplace_back();
    made.name = name_of(file);
    made.size_bytes = file.size_bytes;
    made.same_as = same_file(file);
    if (made.same_as != kFromPatch) {
      made.hash = patch_.old_files[made.same_as].hash;
      written_.same_bytes += made.size_bytes;
      if (done_bytes_ != nullptr) *done_bytes_ += made.size_bytes;
      return {};
    }
    SKL_TRY_DO(match(file, made));
    note_replaced(file);
    return {};
  }

  Result<void> match(const SetFile& file, PatchedFile& made) {
    SKL_TRY(const auto source, open_source(file.path));
    Hasher128 hasher;
    auto read =
        for_each_chunk(*source, [&](uint64_t at, std::span<const std::byte> chunk) -> Result<void> {
          hasher.add(chunk);
          if (done_bytes_ != nullptr) *done_bytes_ += chunk.size();
          const OldChunk* known = find(chunk, at, made);
          if (known != nullptr) return copy(*known, made);
          SKL_TRY_DO(split_fresh(chunk, made));
          fresh_.insert(fresh_.end(), chunk.begin(), chunk.end());
          return fresh_.size() < kMostPieceBytes ? Result<void>{} : store_fresh(made, false);
        });
    if (!read) return read;
    SKL_TRY_DO(store_fresh(made, true));
    made.hash = hasher.digest();
    return {};
  }

  // Chunks that occur equally often form separate pieces, so that those pieces are equal too.
  Result<void> split_fresh(std::span<const std::byte> chunk, PatchedFile& made) {
    const uint32_t count = fresh_counts_[chunk_of(chunk, 0, 0).hash_low];
    if (count != fresh_count_) SKL_TRY_DO(store_fresh(made, true));
    fresh_count_ = count;
    return {};
  }

  // Returns an old chunk with these bytes in a file that still exists. It prefers the chunk that
  // the old file has at this place, because `apply` may leave it there; otherwise the one that
  // continues the latest copy.
  const OldChunk* find(std::span<const std::byte> bytes, uint64_t offset_bytes,
                       const PatchedFile& made) const {
    const OldChunk wanted = chunk_of(bytes, 0, 0);
    auto at = std::ranges::lower_bound(chunks_, wanted);
    const OldChunk* found = nullptr;
    const OldChunk* following = nullptr;
    for (int looks = 0; at != chunks_.end() && looks < kMostLooks; ++at, ++looks) {
      if (!at->is_equal(wanted)) break;
      if (is_replaced_[at->file] != 0) continue;
      if (at->offset_bytes == offset_bytes && patch_.old_files[at->file].name == made.name)
        return &*at;
      if (found == nullptr) found = &*at;
      if (following == nullptr && fresh_.empty() && continues(*at, made)) following = &*at;
    }
    return following != nullptr ? following : found;
  }

  static bool continues(const OldChunk& chunk, const PatchedFile& made) {
    if (made.operations.empty()) return false;
    const PatchOperation& last = made.operations.back();
    return last.file == chunk.file && last.offset_bytes + last.size_bytes == chunk.offset_bytes &&
           last.size_bytes < kMostCopyBytes;
  }

  Result<void> copy(const OldChunk& chunk, PatchedFile& made) {
    OldChunk longer = chunk;
    SKL_TRY_DO(take_back(longer));
    SKL_TRY_DO(store_fresh(made, true));
    written_.copied_bytes += longer.size_bytes;
    if (continues(longer, made))
      made.operations.back().size_bytes += longer.size_bytes;
    else
      made.operations.push_back({longer.offset_bytes, 0, longer.file, longer.size_bytes, 0, 0});
    return {};
  }

  // Extends the old chunk backwards over the end of the new bytes, as far as they are equal.
  Result<void> take_back(OldChunk& chunk) {
    const auto most = static_cast<size_t>(
        std::min<uint64_t>({fresh_.size(), chunk.offset_bytes, kMostChunkBytes}));
    if (most == 0) return {};
    compared_.resize(most);
    SKL_TRY_DO(sources_[chunk.file]->read_at(chunk.offset_bytes - most, compared_));
    size_t same = 0;
    while (same < most && compared_[most - 1 - same] == fresh_[fresh_.size() - 1 - same]) ++same;
    fresh_.resize(fresh_.size() - same);
    chunk.offset_bytes -= same;
    chunk.size_bytes += static_cast<uint32_t>(same);
    return {};
  }

  // Extends the latest copy forwards over the front of the new bytes, as far as they are equal.
  Result<void> take_front(PatchedFile& made) {
    if (made.operations.empty() || made.operations.back().file == kFromPatch) return {};
    PatchOperation& last = made.operations.back();
    const uint64_t end = last.offset_bytes + last.size_bytes;
    const auto most = static_cast<size_t>(std::min<uint64_t>(
        {fresh_.size(), sources_[last.file]->size_bytes() - end, kMostChunkBytes}));
    if (most == 0 || last.size_bytes >= kMostCopyBytes) return {};
    compared_.resize(most);
    SKL_TRY_DO(sources_[last.file]->read_at(end, compared_));
    const auto differs = std::ranges::mismatch(compared_, fresh_).in1;
    const auto same = differs - compared_.begin();
    fresh_.erase(fresh_.begin(), fresh_.begin() + same);
    last.size_bytes += static_cast<uint32_t>(same);
    written_.copied_bytes += static_cast<uint64_t>(same);
    return {};
  }

  // Stores new bytes in pieces. Without `all`, an incomplete last piece waits for more bytes.
  Result<void> store_fresh(PatchedFile& made, bool all) {
    if (fresh_.empty()) return {};
    SKL_TRY_DO(take_front(made));
    size_t at = 0;
    while (fresh_.size() - at >= kMostPieceBytes || (all && at < fresh_.size())) {
      const auto piece =
          std::span(fresh_).subspan(at, std::min<size_t>(fresh_.size() - at, kMostPieceBytes));
      SKL_TRY_DO(store(piece, made));
      at += piece.size();
    }
    fresh_.erase(fresh_.begin(), fresh_.begin() + static_cast<std::ptrdiff_t>(at));
    return {};
  }

  // Stores a piece, or refers to an equal one that is already in the patch.
  Result<void> store(std::span<const std::byte> piece, PatchedFile& made) {
    if (fresh_count_ < 2) return store_new(piece, made);
    const auto digest = hash_of_content(piece);
    const auto known = pieces_.find(digest);
    if (known != pieces_.end()) {
      made.operations.push_back(known->second);
      written_.repeated_bytes += piece.size();
      return {};
    }
    SKL_TRY_DO(store_new(piece, made));
    pieces_.emplace(digest, made.operations.back());
    return {};
  }

  Result<void> store_new(std::span<const std::byte> piece, PatchedFile& made) {
    const size_t size =
        ZSTD_compress(stored_.data(), stored_.size(), piece.data(), piece.size(), kZstdLevel);
    // Without this, a lack of memory would change the patch's bytes.
    if (ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation) throw std::bad_alloc();
    std::span<const std::byte> stored = piece;
    if (ZSTD_isError(size) == 0 && size + piece.size() / kLeastSaved < piece.size())
      stored = std::span(stored_).first(size);
    made.operations.push_back({end_bytes_, XXH3_64bits(stored.data(), stored.size()), kFromPatch,
                               static_cast<uint32_t>(piece.size()),
                               static_cast<uint32_t>(stored.size()), 0});
    written_.new_bytes += piece.size();
    end_bytes_ += stored.size();
    return file_.write_at(end_bytes_ - stored.size(), stored);
  }

  const SetFiles& old_;
  const SetFiles& now_;
  PendingFile& file_;
  std::atomic<uint64_t>* done_bytes_;
  Patch patch_;
  WrittenPatch written_;
  std::vector<std::unique_ptr<ByteSource>> sources_;      // the old files
  std::vector<OldChunk> chunks_;                          // sorted
  std::vector<char> is_replaced_;                         // indexed by old file
  std::vector<std::byte> fresh_;                          // new bytes that aren't stored yet
  uint32_t fresh_count_ = 0;                              // how often their chunks occur
  std::unordered_map<uint64_t, uint32_t> fresh_counts_;   // number of occurrences, keyed by hash
  std::map<format::ContentHash, PatchOperation> pieces_;  // pieces that occur more than once
  std::vector<std::byte> compared_;
  std::vector<std::byte> stored_;
  uint64_t end_bytes_ = sizeof(PatchHeader);
};

}  // namespace

Result<WrittenPatch> write_patch(const SetFiles& old, const SetFiles& now, const std::string& path,
                                 std::atomic<uint64_t>* done_bytes) {
  if (old.is_single != now.is_single)
    return wrong_usage(
        {.place = now.path,
         .expected = old.is_single ? "a pack, as the old one" : "a set, as the old one",
         .found = old.is_single ? "a set" : "a pack"});
  SKL_TRY(auto file, PendingFile::create(path));
  auto written = PatchWriter(old, now, file, done_bytes).write();
  for (const SetFiles* set : {&old, &now}) SKL_TRY_DO(check_same_set(*set));
  if (!written) return written;
  SKL_TRY_DO(file.commit());
  return written;
}

}  // namespace seekless
