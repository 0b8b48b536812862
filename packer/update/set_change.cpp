#include "packer/update/set_change.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "packer/base/hasher.h"
#include "packer/patch/chunker.h"
#include "packer/update/internal/block_scan.h"

namespace seekless {
namespace {

constexpr uint32_t kGridChunkBytes = 1024 * 1024;

using Digest = format::ContentHash;

Digest digest_of(std::span<const std::byte> bytes) {
  return hash_of_content(bytes);
}

// Cuts a file both ways while reading it once.
template <typename VisitGrid, typename VisitChunks>
Result<void> read_file(const ByteSource& file, VisitGrid visit_grid, VisitChunks visit_chunk) {
  Hasher128 grid;
  uint64_t in_grid = 0;
  const auto end_grid = [&] {
    visit_grid(grid.digest(), in_grid);
    grid.reset();
    in_grid = 0;
  };
  auto read = for_each_chunk(file, [&](uint64_t, std::span<const std::byte> chunk) -> Result<void> {
    visit_chunk(digest_of(chunk), chunk.size());
    while (!chunk.empty()) {
      const size_t part = std::min<uint64_t>(chunk.size(), kGridChunkBytes - in_grid);
      grid.add(chunk.first(part));
      in_grid += part;
      chunk = chunk.subspan(part);
      if (in_grid == kGridChunkBytes) end_grid();
    }
    return {};
  });
  if (!read) return read;
  if (in_grid > 0) end_grid();
  return {};
}

// Holds chunks that are known from the old set, and from the new files so far.
class Known {
 public:
  void add_old(const Digest& digest) { old_.push_back(digest); }
  void sort() { std::ranges::sort(old_); }
  bool is_new(const Digest& digest) {
    return !std::ranges::binary_search(old_, digest) && added_.insert(digest).second;
  }

 private:
  std::vector<Digest> old_;
  std::set<Digest> added_;
};

const SetFile* namesake_in(const SetFiles& set, const SetFile& file) {
  const auto found = std::ranges::find(set.files, file.name, &SetFile::name);
  if (found != set.files.end()) return &*found;
  // Two single packs are compared even if their names differ.
  return set.is_single ? &set.files.front() : nullptr;
}

bool is_same(const SetFile& a, const SetFile& b) {
  return a.id == b.id && a.size_bytes == b.size_bytes;
}

class Measurer {
 public:
  explicit Measurer(const SetFiles& old) : old_(old) {}

  Result<SetChange> run(const SetFiles& now) {
    SetChange change;
    for (const SetFile& file : old_.files) change.old_bytes += file.size_bytes;
    std::vector<const SetFile*> touched;
    for (const SetFile& file : now.files) {
      const SetFile* old = namesake_in(old_, file);
      if (old == nullptr || !is_same(*old, file)) touched.push_back(&file);
    }
    if (touched.empty()) return change;
    SKL_TRY_DO(read_old());
    for (const SetFile* file : touched) {
      SKL_TRY(auto changed, measure(*file));
      change.changed.push_back(std::move(changed));
    }
    return change;
  }

 private:
  Result<void> read_old() {
    for (const SetFile& file : old_.files) {
      SKL_TRY(const auto source, open_source(file.path));
      auto read = read_file(
          *source, [this](const Digest& digest, uint64_t) { grid_.add_old(digest); },
          [this](const Digest& digest, uint64_t) { chunks_.add_old(digest); });
      if (!read) return read;
    }
    grid_.sort();
    chunks_.sort();
    return {};
  }

  Result<ChangedFile> measure(const SetFile& file) {
    const SetFile* old = namesake_in(old_, file);
    ChangedFile changed = {
        .name = file.name, .old_bytes = 0, .new_bytes = file.size_bytes, .fresh = {}};
    SKL_TRY(const auto source, open_source(file.path));
    auto read = read_file(
        *source,
        [&](const Digest& digest, uint64_t bytes) {
          if (grid_.is_new(digest)) changed.fresh.grid_bytes += bytes;
        },
        [&](const Digest& digest, uint64_t bytes) {
          if (chunks_.is_new(digest)) changed.fresh.chunk_bytes += bytes;
        });
    if (!read) return std::unexpected(read.error());
    changed.fresh.block_bytes = file.size_bytes;
    // A patch of `seekless patch` copies the same chunks; it also compares the bytes beside them.
    changed.fresh.patch_bytes = changed.fresh.chunk_bytes;
    if (old == nullptr) return changed;
    changed.old_bytes = old->size_bytes;
    SKL_TRY(const auto before, open_source(old->path));
    SKL_TRY(const auto matched, matched_block_bytes(*before, *source));
    changed.fresh.block_bytes -= matched;
    return changed;
  }

  const SetFiles& old_;
  Known grid_;
  Known chunks_;
};

}  // namespace

Result<SetChange> measure_change(const SetFiles& old, const SetFiles& now) {
  return Measurer(old).run(now);
}

}  // namespace seekless
