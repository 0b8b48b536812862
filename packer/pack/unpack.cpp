#include "packer/pack/unpack.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "packer/base/glob.h"
#include "packer/base/hashed_file.h"
#include "packer/base/hasher.h"
#include "packer/base/none.h"
#include "packer/base/windows_names.h"
#include "packer/host/fence.h"
#include "packer/host/files.h"
#include "packer/host/native_path.h"
#include "packer/host/pending_file.h"
#include "packer/host/runtime_error.h"
#include "packer/output/folder_tree.h"
#include "packer/pack/live_assets.h"
#include "runtime/asset_path.h"

namespace seekless {
namespace {

// Returns true if the file has this content, and false if it can't be read.
bool has_content(const std::string& path, const runtime::Pack& pack, uint32_t asset) {
  const auto expected = pack.content_hash(asset);
  const auto file = open_source(path);
  if (!expected || !file || (*file)->size_bytes() != pack.assets()[asset].size_bytes) return false;
  const auto found = hash_file(**file);
  return found && *found == *expected;
}

// Reads assets of one pack in their order, each block once.
class BlockReader {
 public:
  explicit BlockReader(const runtime::Pack& pack)
      : pack_(pack), buffer_(pack.header().block_bytes), scratch_(pack.header().block_bytes) {}

  template <typename Visit>
  Result<void> for_each_part(const format::Asset& asset, Visit visit) {
    uint64_t at = runtime::offset_in_block(asset);
    uint64_t left = asset.size_bytes;
    for (uint32_t block = asset.block; left > 0; ++block, at = 0) {
      SKL_TRY_DO(load(block));
      const auto part = raw_.subspan(at, std::min<uint64_t>(left, raw_.size() - at));
      SKL_TRY_DO(visit(part));
      left -= part.size();
    }
    return {};
  }

 private:
  Result<void> load(uint32_t block) {
    if (block == loaded_) return {};
    loaded_ = kNone;
    const auto raw = pack_.read_block(block, buffer_.bytes(), scratch_.bytes());
    if (!raw) return from_runtime(raw.error());
    raw_ = *raw;
    loaded_ = block;
    return {};
  }

  const runtime::Pack& pack_;
  runtime::TableMemory buffer_;
  runtime::TableMemory scratch_;
  std::span<const std::byte> raw_;
  uint32_t loaded_ = kNone;
};

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class Unpacker {
 public:
  Unpacker(const UnpackOptions& options, std::string folder)
      : options_(options), folder_(std::move(folder)) {}

  Result<Unpacked> run(const runtime::PackSet& set) {
    SKL_TRY_DO(make_folders(folder_));
    SKL_TRY(const auto fence, Fence::around(folder_));
    for (uint32_t i = 0; i < set.pack_count(); ++i) {
      const auto pack = set.pack(i);
      if (!pack) return from_runtime(pack.error());
      SKL_TRY_DO(unpack_pack(set, i, **pack));
    }
    // One flush for all files is enough: each got its name only when it was complete.
    SKL_TRY_DO(sync_file_system(folder_));
    return unpacked_;
  }

 private:
  bool is_wanted(const std::string& path) const {
    return options_.globs.empty() || matches_any_glob(options_.globs, path);
  }

  // Works chunk by chunk, because all names together can be many times as long as the file.
  Result<void> unpack_pack(const runtime::PackSet& set, uint32_t number,
                           const runtime::Pack& pack) {
    BlockReader blocks(pack);
    uint32_t index = 0;
    for (uint32_t chunk = 0; chunk < pack.chunk_count(); ++chunk) {
      const auto paths = pack.paths_of_chunk(chunk);
      if (!paths) return from_runtime(paths.error());
      for (const std::string& path : *paths) {
        const uint32_t asset = index++;
        const uint64_t hash = pack.assets()[asset].path_hash;
        const bool is_dead =
            set.catalog() != nullptr && !names_asset(*set.catalog(), number, asset, hash);
        if (is_dead || !is_wanted(path) || !known_.insert(hash).second) continue;
        SKL_TRY_DO(bring_out(pack, asset, path, blocks));
      }
    }
    return {};
  }

  Result<void> check_name(const std::string& path) {
    constexpr const char* kLeaveOut = "extract the others by their names, or all on another system";
    const std::string fault = windows_name_fault(path);
    if (!fault.empty())
      return failed({.file = folder_,
                     .place = fmt::format("asset '{}'", path),
                     .expected = "a name that files may have on Windows",
                     .found = fault,
                     .advice = kLeaveOut});
    if (!taken_.insert(hash_asset_path(fold_case(path), 0, false)).second)
      return failed({.file = folder_,
                     .place = fmt::format("asset '{}'", path),
                     .expected = "names that differ in more than upper and lower case",
                     .found = "another asset of that name",
                     .advice = kLeaveOut});
    return {};
  }

  Result<void> bring_out(const runtime::Pack& pack, uint32_t number, const std::string& path,
                         BlockReader& blocks) {
    const std::string target = folder_ + "/" + path;
    const format::Asset& asset = pack.assets()[number];
    if (has_windows_names()) SKL_TRY_DO(check_name(path));
    if (const std::string parent = parent_of(target); folders_.insert(parent).second)
      SKL_TRY_DO(make_folders(parent));
    if (!options_.overwrite && kind_of_path(target) != PathKind::missing) {
      if (!has_content(target, pack, number))
        return failed({.file = target,
                       .expected = "no such file yet, or one with the same content",
                       .found = "another one",
                       .advice = "choose another folder, or allow it with --overwrite"});
      ++unpacked_.kept_assets;
    } else if (auto written = unpack_asset(asset, target, blocks); !written) {
      return written;
    }
    ++unpacked_.assets;
    unpacked_.bytes += asset.size_bytes;
    if (options_.done_bytes != nullptr) *options_.done_bytes += asset.size_bytes;
    return {};
  }

  Result<void> unpack_asset(const format::Asset& asset, const std::string& target,
                            BlockReader& blocks) {
    SKL_TRY(auto file, PendingFile::create(target));
    auto written = blocks.for_each_part(
        asset, [&](std::span<const std::byte> part) { return file.append(as_text(part)); });
    return written ? file.commit(false) : written;
  }

  const UnpackOptions& options_;
  const std::string folder_;
  Unpacked unpacked_;
  std::unordered_set<uint64_t> known_;  // hashes of paths that were written
  std::unordered_set<uint64_t> taken_;  // hashes of names in lower case, where case doesn't matter
  std::unordered_set<std::string> folders_;  // folders that exist
};

}  // namespace

Result<Unpacked> unpack(const runtime::PackSet& set, const UnpackOptions& options,
                        const std::string& folder) {
  return Unpacker(options, folder).run(set);
}

Result<void> unpack_one(const runtime::PlacedAsset& asset,
                        const std::function<Result<void>(std::span<const std::byte>)>& visit) {
  return BlockReader(*asset.pack).for_each_part(asset.record(), visit);
}

}  // namespace seekless
