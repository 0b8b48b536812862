#include "packer/pack/pack_writer.h"

#include <algorithm>
#include <utility>

#include "packer/host/files.h"
#include "packer/host/pending_file.h"
#include "packer/pack/internal/block_writer.h"
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

// Chooses LZ4 if the archives compress the content at least as well as LZ4 has to. Content that is
// stored in its archives, or loose, stays raw: its makers knew that it doesn't compress, or wanted
// to read it unchanged.
Result<format::Codec> codec_that_suits(const LaidPack& pack, ContentReader& content) {
  uint64_t size_bytes = 0;
  uint64_t stored_bytes = 0;
  for (const LaidAsset& asset : pack.assets) {
    SKL_TRY(const auto stored, content.stored_bytes(ref_of(asset)));
    size_bytes += asset.size_bytes;
    stored_bytes += std::min(stored, asset.size_bytes);
  }
  return is_worth_compressing(size_bytes, stored_bytes) ? format::Codec::lz4 : format::Codec::raw;
}

}  // namespace

Result<WrittenPack> write_pack(const Layout& layout, const LaidPack& pack, ContentReader& content,
                               const PackWriteOptions& options, const std::string& path) {
  SKL_TRY(const auto codec, options.codec ? *options.codec : codec_that_suits(pack, content));
  SKL_TRY(auto plan, plan_pack(layout, pack, content, codec, options.threads));

  // Without compression the length is known in advance.
  const bool compressed = codec != format::Codec::raw;
  SKL_TRY(auto file, PendingFile::create(path, compressed ? 0 : end_of(plan, raw_blocks(plan))));

  file.bypass_cache();

  BlockWriter writer(
      {pack, content, plan, file, layout.block_bytes, codec, options.done_bytes, options.threads});
  SKL_TRY_DO(writer.run());
  SKL_TRY(auto tables, build_tables(layout, pack, plan, writer.blocks(), writer.frames(),
                                    writer.hashes(), writer.end_bytes(), options.hash_seed));
  SKL_TRY(const auto id, tables.write(file));
  if (options.checks_content) SKL_TRY_DO(content.check_unchanged());
  SKL_TRY_DO(file.commit());

  WrittenPack written;
  written.file_name = pack.name + ".skl";
  written.pack_id = id;
  written.file_bytes = writer.end_bytes();
  written.table_bytes = plan.data_offset_bytes;
  count_bytes(pack, plan.same_as, writer, written);
  written.placement = std::move(plan.placement);
  return written;
}

}  // namespace seekless
