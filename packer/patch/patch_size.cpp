#include "packer/patch/patch_size.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "packer/host/hasher.h"
#include "packer/patch/chunker.h"

namespace seekless {
namespace {

constexpr uint32_t kGridChunkBytes = 1024 * 1024;

using Digest = format::ContentHash;

Digest digest_of(std::span<const std::byte> bytes) {
  return canonical(XXH3_128bits(bytes.data(), bytes.size()));
}

struct Known {
  std::vector<Digest> grid;
  std::vector<Digest> chunks;

  void sort() {
    std::ranges::sort(grid);
    std::ranges::sort(chunks);
  }
};

// Both models in one reading.
template <typename VisitGrid, typename VisitChunks>
Result<void> read_file(const SetFile& file, VisitGrid visit_grid, VisitChunks visit_chunk) {
  const auto source = open_source(file.path);
  if (!source) return std::unexpected(source.error());
  Hasher128 grid;
  uint64_t in_grid = 0;
  const auto end_grid = [&] {
    visit_grid(grid.digest(), in_grid);
    grid.reset();
    in_grid = 0;
  };
  auto read =
      for_each_chunk(**source, [&](uint64_t, std::span<const std::byte> chunk) -> Result<void> {
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

bool has_same(const SetFiles& set, const SetFile& file) {
  return std::ranges::any_of(set.files, [&](const SetFile& other) {
    return other.id == file.id && other.size_bytes == file.size_bytes;
  });
}

}  // namespace

Result<PatchSize> measure_patch(const SetFiles& old, const SetFiles& now) {
  const bool is_same =
      std::ranges::all_of(now.files, [&](const SetFile& file) { return has_same(old, file); });
  if (is_same) return PatchSize{};
  Known known;
  for (const SetFile& file : old.files) {
    auto read = read_file(
        file, [&](const Digest& digest, uint64_t) { known.grid.push_back(digest); },
        [&](const Digest& digest, uint64_t) { known.chunks.push_back(digest); });
    if (!read) return std::unexpected(read.error());
  }
  known.sort();
  PatchSize size;
  std::vector<std::pair<Digest, uint64_t>> new_grid;
  std::vector<std::pair<Digest, uint64_t>> new_chunks;
  for (const SetFile& file : now.files) {
    if (has_same(old, file)) continue;
    auto read = read_file(
        file,
        [&](const Digest& digest, uint64_t bytes) {
          if (!std::ranges::binary_search(known.grid, digest)) new_grid.emplace_back(digest, bytes);
        },
        [&](const Digest& digest, uint64_t bytes) {
          if (!std::ranges::binary_search(known.chunks, digest))
            new_chunks.emplace_back(digest, bytes);
        });
    if (!read) return std::unexpected(read.error());
  }
  const auto sum_once = [](std::vector<std::pair<Digest, uint64_t>>& chunks) {
    std::ranges::sort(chunks);
    const auto twice = std::ranges::unique(chunks);
    chunks.erase(twice.begin(), twice.end());
    uint64_t sum = 0;
    for (const auto& [digest, bytes] : chunks) sum += bytes;
    return sum;
  };
  size.grid_bytes = sum_once(new_grid);
  size.chunk_bytes = sum_once(new_chunks);
  return size;
}

}  // namespace seekless
