#include "packer/pack/pack_writer.h"

#include <utility>

#include "packer/host/files.h"
#include "packer/host/pending_file.h"
#include "packer/pack/block_writer.h"
#include "packer/pack/pack_plan.h"

namespace seekless {
namespace {

void count_bytes(const LaidPack& pack, const std::vector<uint32_t>& same_as,
                 const BlockWriter& writer, WrittenPack& written) {
  uint64_t raw_bytes = 0;
  for (const format::Block& block : writer.blocks()) {
    raw_bytes += block.raw_bytes;
    written.saved_bytes += block.raw_bytes - block.stored_bytes;
    written.padding_bytes +=
        format::round_up(block.stored_bytes, format::kPageBytes) - block.stored_bytes;
    written.block_offsets.push_back(block.offset_bytes);
  }
  written.block_offsets.push_back(writer.end_bytes());
  for (size_t i = 0; i < pack.assets.size(); ++i) {
    written.content_bytes += pack.assets[i].size_bytes;
    if (same_as[i] != i) written.duplicate_bytes += pack.assets[i].size_bytes;
  }
  written.padding_bytes += raw_bytes - (written.content_bytes - written.duplicate_bytes);
}

}  // namespace

Result<WrittenPack> write_pack(const Layout& layout, const LaidPack& pack, ContentReader& content,
                               const PackWriteOptions& options, const std::string& path) {
  auto plan = plan_pack(layout, pack, content, options.threads);
  if (!plan) return std::unexpected(plan.error());

  // How long a compressed pack gets isn't known yet.
  const bool compressed = options.codec != format::Codec::raw;
  auto file = PendingFile::create(path, compressed ? 0 : end_of(*plan, raw_blocks(*plan)));
  if (!file) return std::unexpected(file.error());

  file->bypass_cache();

  BlockWriter writer({pack, content, *plan, *file, layout.block_bytes, options.codec,
                      options.done_bytes, options.threads});
  if (auto written = writer.run(); !written) return std::unexpected(written.error());
  auto tables = build_tables(layout, pack, *plan, writer.blocks(), writer.hashes(),
                             writer.end_bytes(), options.hash_seed);
  if (!tables) return std::unexpected(tables.error());
  const auto id = tables->write(*file);
  if (!id) return std::unexpected(id.error());
  if (auto committed = file->commit(); !committed) return std::unexpected(committed.error());

  WrittenPack written;
  written.file_name = pack.name + ".skl";
  written.pack_id = *id;
  written.file_bytes = writer.end_bytes();
  written.table_bytes = plan->data_offset_bytes;
  count_bytes(pack, plan->same_as, writer, written);
  written.placement = std::move(plan->placement);
  return written;
}

}  // namespace seekless
