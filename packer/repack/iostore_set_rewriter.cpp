// Rewrites a container of Unreal's IoStore. The chunks that recordings read are copied, in their
// new order and block by block as they are, into new parts; a new directory names these. No
// existing part changes. So the old directory and the new one both fit what lies beside them,
// whatever is interrupted in between.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "packer/base/hashed_file.h"
#include "packer/base/hasher.h"
#include "packer/base/paths.h"
#include "packer/content/flat_archive.h"
#include "packer/content/iostore_set.h"
#include "packer/host/file_stamp.h"
#include "packer/host/pending_file.h"
#include "packer/repack/internal/archive_rewriter.h"
#include "packer/repack/internal/fetched_ahead.h"
#include "packer/repack/internal/sequential_output.h"
#include "packer/repack/internal/set_parts.h"
#include "runtime/pack_format.h"

namespace seekless {
namespace {

struct NewContainerPart {
  uint32_t number = 0;
  std::vector<uint32_t> blocks;  // blocks whose data are copied, front to back
  uint64_t size_bytes = 0;
};

struct ContainerPlan {
  std::vector<NewContainerPart> parts;
  std::vector<IoStoreBlock> blocks;  // all of the directory's, in their new places
  uint64_t part_bytes = 0;           // distance of the parts
};

struct WrittenContainerPart {
  PendingFile file;
  AddedFile added;
};

std::unexpected<Error> no_room_in_container(const std::string& path, std::string expected,
                                            std::string found) {
  return damaged({.file = path,
                  .expected = std::move(expected),
                  .found = std::move(found),
                  .advice = "the container stays as it is"});
}

class IoStoreSetRewriter final : public ArchiveRewriter {
 public:
  IoStoreSetRewriter(std::shared_ptr<const ByteSource> bytes, IoStoreSet set, std::string path,
                     std::vector<std::string> own)
      : bytes_(std::move(bytes)),
        set_(std::move(set)),
        path_(std::move(path)),
        own_(std::move(own)) {}

  size_t entry_count() const override { return set_.runs.size(); }

  std::string obstacle() const override {
    if (!set_.obstacle().empty() || !is_taken(set_.toc.part_count)) return set_.obstacle();
    return fmt::format(
        "a new part would be called '{}' like something beside it ('seekless restore' removes it "
        "if an earlier run left it)",
        name_of_part(set_.toc.part_count));
  }

  // A new part can have no other number than the next one. Another order needs another part, which
  // can't replace that one as long as a directory names it.
  bool can_be_repeated() const override { return false; }

  Result<uint64_t> expected_bytes(std::span<const uint32_t> read_entries,
                                  const RewriteOptions&) const override {
    SKL_TRY(const ContainerPlan plan, plan_parts(read_entries));
    uint64_t bytes = bytes_->size_bytes();
    for (const NewContainerPart& part : plan.parts) bytes += part.size_bytes;
    return bytes;
  }

  Result<std::string> prepare(bool) override { return obstacle(); }

  Result<RewriteReport> rewrite(std::span<const uint32_t> read_entries, const RewriteOptions&,
                                const std::string& new_path,
                                std::atomic<uint64_t>* done_bytes) const override {
    SKL_TRY(const ContainerPlan plan, plan_parts(read_entries));
    ReadFiles read;
    for (uint32_t part = 0; part < set_.toc.part_count; ++part)
      SKL_TRY_DO(read.add(set_.parts[part].path));
    RewriteReport report;
    report.read_entries = read_entries.size();
    report.hashes.resize(set_.toc.blocks.size());
    std::vector<WrittenContainerPart> parts;
    for (const NewContainerPart& part : plan.parts) {
      SKL_TRY(auto written, write_part(part, new_path, report, done_bytes));
      report.file_bytes += written.added.size_bytes;
      report.added.push_back(written.added);
      parts.push_back(std::move(written));
    }
    share_hashes(plan, report);
    // No checksum tells whether an update changed a part meanwhile.
    SKL_TRY_DO(read.check());
    SKL_TRY_DO(write_directory(plan, new_path, report));
    // The parts get their names last, so that nothing remains if something fails.
    for (WrittenContainerPart& part : parts) SKL_TRY_DO(part.file.commit(false));
    if (done_bytes != nullptr) *done_bytes += bytes_->size_bytes();
    return report;
  }

  // Everything but places must be as it was. Blocks that didn't move must be named where they were;
  // those in new parts must hold what was copied.
  Result<void> verify(const std::string& new_path, const RewriteReport& report,
                      std::atomic<uint64_t>* done_bytes) const override {
    SKL_TRY(const auto directory, open_source(new_path));
    SKL_TRY(const auto toc, read_iostore_toc(*directory));
    if (!toc || !toc->obstacle.empty() || toc->hash != set_.toc.hash)
      return set_differs(new_path, "the old directory but for the places");
    const uint32_t first_new = set_.toc.part_count;
    if (toc->part_count != first_new + report.added.size())
      return set_differs(new_path, "the number of parts");
    std::map<IoStorePlace, uint32_t> moved;  // one block of each place
    for (uint32_t i = 0; i < toc->blocks.size(); ++i) {
      const IoStoreBlock& block = toc->blocks[i];
      if (block == set_.toc.blocks[i] || block.size_bytes == 0) continue;
      const auto [same, is_new] = moved.try_emplace(place_of(block), i);
      if (block.part < first_new || report.hashes[i] != report.hashes[same->second])
        return set_differs(new_path, fmt::format("the place of block {}", i));
    }
    if (done_bytes != nullptr) *done_bytes += directory->size_bytes();
    return verify_blocks(new_path, *toc, moved, report, done_bytes);
  }

 private:
  using IoStorePlace = std::tuple<uint32_t, uint64_t, uint32_t>;  // part, offset, size

  static IoStorePlace place_of(const IoStoreBlock& block) {
    return {block.part, block.offset_bytes, block.size_bytes};
  }

  std::string name_of_part(uint32_t number) const {
    return std::string(file_name(iostore_part_path(path_, number)));
  }

  bool is_taken(uint32_t number) const {
    return std::ranges::binary_search(set_.taken, number) &&
           std::ranges::find(own_, name_of_part(number)) == own_.end();
  }

  // Blocks of equal places stay together, also if recordings read only one of them.
  Result<ContainerPlan> plan_parts(std::span<const uint32_t> read_entries) const {
    ContainerPlan plan = {.parts = {}, .blocks = set_.toc.blocks};
    const uint64_t most_bytes = set_.toc.part_count == 1 ? kMostIoStoreOffset : set_.toc.part_bytes;
    std::map<IoStorePlace, IoStoreBlock> placed;
    for (const uint32_t entry : read_entries)
      if (entry < set_.runs.size()) place_run(set_.runs[entry], most_bytes, plan, placed);
    for (IoStoreBlock& block : plan.blocks)
      if (const auto found = placed.find(place_of(block)); found != placed.end())
        block = found->second;
    plan.part_bytes = distance_of_parts(plan);
    for (const NewContainerPart& part : plan.parts) {
      if (part.size_bytes > kMostIoStoreOffset ||
          part.number > (kMostIoStoreOffset - part.size_bytes) / plan.part_bytes)
        return no_room_in_container(path_, "places below 2^40", "more data");
      if (part.number >= kMostIoStoreParts)
        return no_room_in_container(path_, fmt::format("fewer than {} parts", kMostIoStoreParts),
                                    "more");
      if (is_taken(part.number))
        return no_room_in_container(
            path_,
            fmt::format("no '{}' beside it, as a new part is called", name_of_part(part.number)),
            "one");
    }
    return plan;
  }

  // The blocks lie one after the other, in one part if they fit.
  void place_run(const IoStoreRun& run, uint64_t most_bytes, ContainerPlan& plan,
                 std::map<IoStorePlace, IoStoreBlock>& placed) const {
    bool is_first = true;
    for (uint32_t i = run.first_block; i < run.first_block + run.block_count; ++i) {
      const IoStoreBlock& block = set_.toc.blocks[i];
      if (block.size_bytes == 0 || set_.toc.is_fixed[i] || placed.contains(place_of(block)))
        continue;
      const uint64_t needed_bytes =
          (is_first ? run.size_bytes : block.size_bytes) + 2 * kIoStoreAlignmentBytes;
      if (plan.parts.empty() || (plan.parts.back().size_bytes + needed_bytes > most_bytes &&
                                 plan.parts.back().size_bytes > 0))
        plan.parts.push_back(
            {.number = set_.toc.part_count + static_cast<uint32_t>(plan.parts.size()),
             .blocks = {}});
      NewContainerPart& part = plan.parts.back();
      placed[place_of(block)] = {part.number, part.size_bytes, block.size_bytes};
      part.blocks.push_back(i);
      part.size_bytes += padded_bytes(block);
      is_first = false;
    }
  }

  // Padding belongs to a block, because it is encrypted with it, and engines read both.
  static uint64_t padded_bytes(const IoStoreBlock& block) {
    return format::round_up(uint64_t{block.size_bytes}, uint64_t{kIoStoreAlignmentBytes});
  }

  // The only part of a container may be as long as it likes: then the distance says nothing yet,
  // and is as long as needed. Otherwise the places of other parts depend on it.
  uint64_t distance_of_parts(const ContainerPlan& plan) const {
    if (set_.toc.part_count > 1) return set_.toc.part_bytes;
    uint64_t most_bytes = set_.parts.empty() ? 0 : set_.parts[0].size_bytes;
    for (const IoStoreBlock& block : set_.toc.blocks)
      most_bytes = std::max(most_bytes, block.offset_bytes + 1);
    for (const NewContainerPart& part : plan.parts)
      most_bytes = std::max(most_bytes, part.size_bytes);
    return format::round_up(most_bytes, kIoStoreDistanceUnitBytes);
  }

  // The parts' names in a set consist of the directory's name, whatever the new directory is called
  // until it is in place.
  std::string new_part_path(const std::string& new_path, uint32_t number) const {
    return path_beside(new_path, file_name(iostore_part_path(path_, number)));
  }

  Result<WrittenContainerPart> write_part(const NewContainerPart& part, const std::string& new_path,
                                          RewriteReport& report,
                                          std::atomic<uint64_t>* done_bytes) const {
    const std::string path = new_part_path(new_path, part.number);
    // Its owner and permissions are those of a part that the engine reads already.
    SKL_TRY(auto file, PendingFile::create(path, part.size_bytes, set_.parts[0].path));
    SequentialOutput output(file);
    FetchedPieces fetched([this](uint32_t number) { return open_part(number); }, pieces_of(part));
    for (size_t i = 0; i < part.blocks.size(); ++i) {
      SKL_TRY_DO(fetched.before(i));
      const uint32_t number = part.blocks[i];
      SKL_TRY(report.hashes[number], copy_block(set_.toc.blocks[number], output));
      if (done_bytes != nullptr) *done_bytes += set_.toc.blocks[number].size_bytes;
    }
    SKL_TRY(const uint64_t hash, output.finish());
    AddedFile added = {std::string(file_name(path)), hash, part.size_bytes};
    return WrittenContainerPart{std::move(file), std::move(added)};
  }

  // Blocks at equal places have been copied once.
  void share_hashes(const ContainerPlan& plan, RewriteReport& report) const {
    std::map<IoStorePlace, uint64_t> hashes;
    for (const NewContainerPart& part : plan.parts)
      for (const uint32_t number : part.blocks)
        hashes[place_of(plan.blocks[number])] = report.hashes[number];
    for (uint32_t i = 0; i < plan.blocks.size(); ++i)
      if (const auto found = hashes.find(place_of(plan.blocks[i])); found != hashes.end())
        report.hashes[i] = found->second;
  }

  Result<const ByteSource*> open_part(uint32_t number) const {
    return old_parts_.open(set_.parts[number].path, set_.parts[number].size_bytes);
  }

  std::vector<ArchivePiece> pieces_of(const NewContainerPart& part) const {
    std::vector<ArchivePiece> pieces;
    for (const uint32_t number : part.blocks) {
      const IoStoreBlock& block = set_.toc.blocks[number];
      pieces.push_back({block.offset_bytes, block.offset_bytes + block.size_bytes, block.part});
    }
    return pieces;
  }

  // Returns the hash of the block and its padding, which may be missing at the end of a part.
  Result<uint64_t> copy_block(const IoStoreBlock& block, SequentialOutput& output) const {
    SKL_TRY(const auto source, open_part(block.part));
    const uint64_t there_bytes =
        std::min(padded_bytes(block), source->size_bytes() - block.offset_bytes);
    Hasher64 hasher;
    SKL_TRY_DO(output.append_from(*source, block.offset_bytes, there_bytes,
                                  [&](std::span<const std::byte> piece) { hasher.add(piece); }));
    const std::string missing(padded_bytes(block) - there_bytes, '\0');
    hasher.add(std::as_bytes(std::span(missing)));
    SKL_TRY_DO(output.append(missing));
    return hasher.digest();
  }

  Result<void> write_directory(const ContainerPlan& plan, const std::string& new_path,
                               RewriteReport& report) const {
    SKL_TRY(const std::string front,
            new_iostore_front(*bytes_, set_.toc, plan.blocks,
                              set_.toc.part_count + static_cast<uint32_t>(plan.parts.size()),
                              plan.part_bytes));
    SKL_TRY(auto file, PendingFile::create(new_path, bytes_->size_bytes(), path_));
    SequentialOutput output(file);
    SKL_TRY_DO(output.append(front));
    SKL_TRY_DO(output.append_from(*bytes_, front.size(), bytes_->size_bytes() - front.size(),
                                  [](std::span<const std::byte>) {}));
    report.file_bytes += output.position_bytes();
    SKL_TRY(report.file_hash, output.finish());
    return file.commit(false);
  }

  Result<void> verify_blocks(const std::string& new_path, const IoStoreToc& toc,
                             const std::map<IoStorePlace, uint32_t>& moved,
                             const RewriteReport& report, std::atomic<uint64_t>* done_bytes) const {
    OldParts parts;
    for (const auto& [place, number] : moved) {
      const IoStoreBlock& block = toc.blocks[number];
      const AddedFile& added = report.added[block.part - set_.toc.part_count];
      SKL_TRY(const auto part, parts.open(path_beside(new_path, added.name), added.size_bytes));
      if (block.offset_bytes + padded_bytes(block) > part->size_bytes())
        return set_differs(new_path, fmt::format("the place of block {}", number));
      Hasher64 hasher;
      SKL_TRY_DO(add_range(hasher, *part, block.offset_bytes, padded_bytes(block)));
      if (hasher.digest() != report.hashes[number])
        return set_differs(new_path, fmt::format("the data of block {}", number));
      if (done_bytes != nullptr) *done_bytes += block.size_bytes;
    }
    return {};
  }

  const std::shared_ptr<const ByteSource> bytes_;
  const IoStoreSet set_;
  const std::string path_;
  const std::vector<std::string> own_;
  mutable OldParts old_parts_;
};

}  // namespace

Result<std::unique_ptr<ArchiveRewriter>> open_iostore_set_rewriter(
    std::shared_ptr<const ByteSource> bytes, const std::string& path,
    std::vector<std::string> own) {
  SKL_TRY(auto set, read_iostore_set(*bytes, path));
  if (set) {
    return std::make_unique<IoStoreSetRewriter>(std::move(bytes), *std::move(set), path,
                                                std::move(own));
  }
  return damaged({.file = bytes->name(),
                  .expected = "the directory of a container",
                  .found = "something else",
                  .advice = "it changed since it was scanned; run this again"});
}

}  // namespace seekless
