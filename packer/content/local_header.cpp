#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "packer/content/asset_stream.h"
#include "packer/content/zip_directory.h"
#include "runtime/zip_fields.h"

namespace seekless {
namespace {

constexpr uint64_t kMaxLeadBytes = 16 << 10;  // copying this much costs less than a second read

// Returns true if a size in the local header agrees with the known one. A size of 0xffffffff has
// its value in the extra field, and agrees too.
bool agrees(uint32_t local, uint64_t known) {
  return local == UINT32_MAX || local == known;
}

std::unexpected<Error> mismatch(const ByteSource& archive, const ZipEntry& entry,
                                std::string expected, std::string found) {
  return damaged({.file = archive.name(),
                  .place = "local header of " + place_of(entry),
                  .expected = std::move(expected),
                  .found = std::move(found),
                  .advice = kArchiveAdvice});
}

Result<void> check_fields(const ByteSource& archive, const ZipEntry& entry,
                          std::span<const std::byte> header) {
  if (const auto signature = load<uint32_t>(header, 0); signature != kLocalHeaderSignature)
    return mismatch(archive, entry, "its signature PK\\3\\4", fmt::format("{:#010x}", signature));
  const auto name_bytes = load<uint16_t>(header, 26);
  const std::string_view name = text_of(header.subspan(kLocalHeaderBytes, entry.raw_name.size()));
  if (name_bytes != entry.raw_name.size() || name != entry.raw_name)
    return mismatch(archive, entry, "the name that the directory gives", "another name");
  if (const auto method = load<uint16_t>(header, 8); method != entry.method)
    return mismatch(archive, entry, zip_method_name(entry.method), zip_method_name(method));
  const auto flags = load<uint16_t>(header, 6);
  if (((flags ^ entry.flags) & zip_flag::kEncrypted) != 0)
    return mismatch(archive, entry, "an entry without encryption", "an encrypted one");
  // If there is a data descriptor, sizes and CRC weren't known when the header was written.
  if ((flags & zip_flag::kDataDescriptor) != 0 || entry.has_data_descriptor()) return {};
  if (const auto crc = load<uint32_t>(header, 14); crc != entry.crc32)
    return mismatch(archive, entry, fmt::format("CRC-32 {:08x}", entry.crc32),
                    fmt::format("{:08x}", crc));
  const auto stored = load<uint32_t>(header, 18);
  const auto size = load<uint32_t>(header, 22);
  if (!agrees(stored, entry.stored_bytes) || !agrees(size, entry.size_bytes))
    return mismatch(archive, entry,
                    fmt::format("sizes {} and {}", entry.stored_bytes, entry.size_bytes),
                    fmt::format("{} and {}", stored, size));
  return {};
}

}  // namespace

Result<EntryData> read_local_header(std::shared_ptr<const ByteSource> archive,
                                    const ZipEntry& entry) {
  // The directory's checks ensure that at least the name and the data fit below the limit.
  const uint64_t room = entry.limit_bytes - entry.header_offset_bytes;
  const uint64_t wanted = entry.header_bytes() + std::min(entry.stored_bytes, kMaxLeadBytes);
  std::vector<std::byte> bytes(std::min(room, wanted));
  SKL_TRY_DO(archive->read_at(entry.header_offset_bytes, bytes));
  SKL_TRY_DO(check_fields(*archive, entry, bytes));
  const uint64_t header_bytes =
      kLocalHeaderBytes + load<uint16_t>(bytes, 26) + load<uint16_t>(bytes, 28);
  if (header_bytes > room - entry.stored_bytes)
    return mismatch(*archive, entry, fmt::format("at most {} bytes", room - entry.stored_bytes),
                    fmt::format("{}, so that the data would run into what follows", header_bytes));
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(
                                                 std::min<uint64_t>(header_bytes, bytes.size())));
  if (bytes.size() > entry.stored_bytes) bytes.resize(entry.stored_bytes);
  return EntryData{.archive = std::move(archive),
                   .place = place_of(entry),
                   .offset_bytes = entry.header_offset_bytes + header_bytes,
                   .stored_bytes = entry.stored_bytes,
                   .size_bytes = entry.size_bytes,
                   .crc32 = entry.crc32,
                   .method = entry.method,
                   .lead = std::move(bytes)};
}

}  // namespace seekless
