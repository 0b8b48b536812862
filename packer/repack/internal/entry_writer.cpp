#include "packer/repack/internal/entry_writer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <libdeflate.h>

#include "packer/base/glob.h"
#include "packer/repack/internal/deflate.h"
#include "packer/repack/internal/window_source.h"
#include "runtime/zip_fields.h"

namespace seekless {
namespace {

constexpr uint16_t kDeflateLevelFlags = 0x0006;
// Larger entries are deflated piece by piece.
constexpr uint64_t kMaxWholeBytes = uint64_t{8} << 20;

Compression wanted_compression(const ZipEntry& entry, bool is_read, const RewriteOptions& options) {
  Compression wanted = is_read ? options.compression : Compression::keep;
  if (wanted == Compression::store && !options.storing.is_for(entry.size_bytes, entry.stored_bytes))
    wanted = Compression::keep;
  for (const CompressionRule& rule : options.rules)
    if (matches_glob(rule.glob, entry.name)) wanted = rule.compression;
  return wanted;
}

}  // namespace

Compression treatment_of(const ZipEntry& entry, bool is_read, const RewriteOptions& options) {
  if (!can_unpack(entry.method, entry.is_encrypted())) return Compression::keep;
  const Compression wanted = wanted_compression(entry, is_read, options);
  const Compression is =
      entry.method == zip_method::kStored ? Compression::store : Compression::deflate;
  return wanted == is || (wanted == Compression::deflate && entry.size_bytes == 0)
             ? Compression::keep
             : wanted;
}

class EntryWriter::HashedStream final : public AssetStream {
 public:
  HashedStream(std::unique_ptr<AssetStream> stream, Hasher64& hash)
      : stream_(std::move(stream)), hash_(hash) {}
  Result<size_t> read(std::span<std::byte> into) override {
    auto got = stream_->read(into);
    if (got) hash_.add(into.first(*got));
    return got;
  }

 private:
  std::unique_ptr<AssetStream> stream_;
  Hasher64& hash_;
};

EntryWriter::EntryWriter(const std::shared_ptr<const ByteSource>& source,
                         const ZipDirectory& directory, const OldArchive& old,
                         const RewriteOptions& options, SequentialOutput& output,
                         uint64_t shift_bytes, std::atomic<uint64_t>* done_bytes)
    : source_(std::make_shared<WindowSource>(source)),
      directory_(directory),
      old_(old),
      options_(options),
      output_(output),
      shift_bytes_(shift_bytes),
      done_bytes_(done_bytes),
      written_(directory.entry_count()) {
  counts_.hashes.resize(directory.entry_count());
  hash_.reset();
}

Result<void> EntryWriter::write_prefix() {
  return copy(0, old_.prefix_bytes, nullptr);
}

Result<void> EntryWriter::append_record(std::string& records, uint32_t index) const {
  const ZipEntry entry = directory_.entry(index);
  if (!has_room_for_record(entry, written_[index]))
    return damaged({.file = source_->name(),
                    .place = place_of(entry),
                    .expected = "room for a zip64 field",
                    .found = "extra fields that fill all of it"});
  seekless::append_record(records, entry, written_[index]);
  return {};
}

Result<void> EntryWriter::write_entry(uint32_t index, bool is_read) {
  const ZipEntry entry = directory_.entry(index);
  SKL_TRY(auto extra, local_extra(*source_, old_, index));
  extra_ = std::move(extra);
  is_read_ = is_read;
  counts_.read_entries += is_read ? 1 : 0;
  hash_.reset();
  Result<void> done;
  switch (old_.is_first[index] ? Compression::keep : treatment_of(entry, is_read, options_)) {
    case Compression::keep:
      done = write_kept(entry, index);
      break;
    case Compression::store:
      ++counts_.unpacked_entries;
      done = write_stored(entry, index);
      break;
    case Compression::deflate:
      done = entry.size_bytes <= kMaxWholeBytes ? write_deflated(entry, index)
                                                : write_long_deflated(entry, index);
      break;
  }
  counts_.hashes[index] = hash_.digest();
  if (done_bytes_ != nullptr) *done_bytes_ += entry.stored_bytes;
  return done;
}

Result<void> EntryWriter::write_header(const ZipEntry& entry, uint32_t index, uint16_t method,
                                       uint64_t stored_bytes) {
  WrittenEntry& written = written_[index];
  written.offset_bytes = output_.position_bytes() - shift_bytes_;
  written.stored_bytes = stored_bytes;
  written.method = method;
  written.flags = entry.flags;
  // Encrypted entries keep this flag: with it, readers check the password against the time instead
  // of the CRC.
  if (!entry.is_encrypted()) written.flags &= static_cast<uint16_t>(~zip_flag::kDataDescriptor);
  if (method != entry.method) written.flags &= static_cast<uint16_t>(~kDeflateLevelFlags);
  const bool is_stored = method == zip_method::kStored;
  const uint32_t wanted_bytes =
      old_.is_first[index] ? 1 : options_.alignment.of(stored_bytes, is_stored, is_read_);
  const uint32_t align_bytes = std::max(wanted_bytes, is_stored ? kept_alignment(entry, index) : 1);
  auto put =
      output_.append(local_header(entry, written, extra_, output_.position_bytes(), align_bytes));
  if (wanted_bytes > 1 && output_.position_bytes() % wanted_bytes == 0) ++counts_.aligned_entries;
  return put;
}

// An entry that stays at the front keeps its own alignment only. An added field would move the
// bytes that programs look for there.
uint32_t EntryWriter::kept_alignment(const ZipEntry& entry, uint32_t index) const {
  const uint64_t data = old_.data_offset_bytes[index];
  const bool was_stored = entry.method == zip_method::kStored;
  const uint32_t kept_bytes = old_.alignment.of(was_stored ? std::optional(data) : std::nullopt);
  return old_.is_first[index] && data % kept_bytes != 0 ? 1 : kept_bytes;
}

Result<void> EntryWriter::write_kept(const ZipEntry& entry, uint32_t index) {
  SKL_TRY_DO(write_header(entry, index, entry.method, entry.stored_bytes));
  uint32_t crc = 0;
  const uint64_t at = old_.data_offset_bytes[index];
  const bool is_plain = entry.method == zip_method::kStored && !entry.is_encrypted();
  SKL_TRY_DO(copy(at, entry.stored_bytes, is_plain ? &crc : nullptr));
  if (is_plain && crc != entry.crc32)
    return damaged({.file = source_->name(),
                    .place = place_of(entry),
                    .expected = fmt::format("content with CRC-32 {:08x}", entry.crc32),
                    .found = fmt::format("{:08x}", crc),
                    .advice = "the archive is damaged: get it again"});
  if (!written_[index].has_data_descriptor()) return {};
  return output_.append(data_descriptor(entry, written_[index]));
}

Result<void> EntryWriter::write_stored(const ZipEntry& entry, uint32_t index) {
  SKL_TRY_DO(write_header(entry, index, zip_method::kStored, entry.size_bytes));
  const auto content = open_content(entry, index);
  for (;;) {
    SKL_TRY(const auto room, output_.room());
    SKL_TRY(const auto got, content->read(room));
    if (got == 0) return {};
    hash_.add(room.first(got));
    output_.advance(got);
  }
}

Result<void> EntryWriter::write_deflated(const ZipEntry& entry, uint32_t index) {
  std::vector<std::byte> content(entry.size_bytes);
  const auto stream = open_content(entry, index);
  SKL_TRY_DO(read_whole(*stream, content));
  std::vector<std::byte> packed = deflate_whole(content);
  const bool is_shorter = packed.size() < content.size();
  counts_.packed_entries += is_shorter ? 1 : 0;
  const std::vector<std::byte>& data = is_shorter ? packed : content;
  hash_.add(content);
  auto put = write_header(entry, index, is_shorter ? zip_method::kDeflated : zip_method::kStored,
                          data.size());
  return put ? output_.append(text_of(data)) : put;
}

// The header holds the length of the deflated data. A large entry's data is too long to keep in
// memory, so it is deflated twice.
Result<void> EntryWriter::write_long_deflated(const ZipEntry& entry, uint32_t index) {
  uint64_t stored_bytes = 0;
  auto counted = deflate_stream(*open_content(entry, index), [&](auto bytes) -> Result<void> {
    stored_bytes += bytes.size();
    return {};
  });
  if (!counted) return counted;
  if (stored_bytes >= entry.size_bytes) return write_kept(entry, index);
  ++counts_.packed_entries;
  SKL_TRY_DO(write_header(entry, index, zip_method::kDeflated, stored_bytes));
  HashedStream content(open_content(entry, index), hash_);
  return deflate_stream(content, [&](auto bytes) { return output_.append(text_of(bytes)); });
}

std::unique_ptr<AssetStream> EntryWriter::open_content(const ZipEntry& entry, uint32_t index) {
  return make_entry_stream({.archive = source_,
                            .place = place_of(entry),
                            .offset_bytes = old_.data_offset_bytes[index],
                            .stored_bytes = entry.stored_bytes,
                            .size_bytes = entry.size_bytes,
                            .crc32 = entry.crc32,
                            .method = entry.method,
                            .lead = {}});
}

// Copies bytes of the old archive and hashes them. Adds them to the CRC if one is wanted.
Result<void> EntryWriter::copy(uint64_t at, uint64_t count, uint32_t* crc) {
  return output_.append_from(*source_, at, count, [&](std::span<const std::byte> piece) {
    if (crc != nullptr) *crc = libdeflate_crc32(*crc, piece.data(), piece.size());
    hash_.add(piece);
  });
}

}  // namespace seekless
