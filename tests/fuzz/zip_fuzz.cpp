// Opens any bytes as a zip archive. The result must be an error, or a directory whose entries have
// the places, sizes and CRCs that it claims.
#include <array>
#include <cstdint>
#include <memory>

#include <libdeflate.h>

#include "packer/content/asset_stream.h"
#include "packer/content/zip_directory.h"
#include "tests/fuzz/require.h"

namespace {

using namespace seekless;

// Limit for all entries together, so that an input ends soon.
constexpr uint64_t kMaxContentBytes = 8 << 20;

void check_entry(const ZipEntry& entry, const ZipDirectory& directory) {
  const bool is_in_front = directory.is_in_front();
  const uint64_t begin = is_in_front ? directory.offset_bytes() + directory.size_bytes() : 0;
  require(entry.header_offset_bytes >= begin);
  require(entry.limit_bytes <=
          (is_in_front ? directory.end_offset_bytes() : directory.offset_bytes()));
  require(entry.header_offset_bytes <= entry.limit_bytes);
  require(entry.stored_bytes <= entry.limit_bytes - entry.header_offset_bytes);
  if (entry.name_fault == PathFault::none && !entry.is_directory)
    require(check_asset_path(entry.name) == PathFault::none);
}

void read_content(std::shared_ptr<const ByteSource> source, const ZipEntry& entry) {
  auto data = read_local_header(std::move(source), entry);
  if (!data) return;
  const auto stream = make_entry_stream(*std::move(data));
  std::array<std::byte, 5000> piece;
  uint64_t size = 0;
  uint32_t crc = 0;
  for (;;) {
    const auto got = stream->read(piece);
    if (!got) return;
    if (*got == 0) break;
    size += *got;
    crc = libdeflate_crc32(crc, piece.data(), *got);
  }
  require(size == entry.size_bytes && crc == entry.crc32);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto source = std::make_shared<MemorySource>(
      "fuzz.zip", std::vector<std::byte>(bytes.begin(), bytes.end()));
  require(looks_like_zip(*source).has_value());
  const auto directory = read_zip_directory(*source);
  if (!directory) {
    require(directory.error().kind == ErrorKind::damaged && !directory.error().message.empty());
    return 0;
  }
  uint64_t content_bytes = 0;
  for (size_t i = 0; i < directory->entry_count(); ++i) {
    const ZipEntry entry = directory->entry(i);
    check_entry(entry, *directory);
    if (!can_unpack(entry.method, entry.is_encrypted())) continue;
    content_bytes += entry.size_bytes;
    if (content_bytes <= kMaxContentBytes) read_content(source, entry);
  }
  return 0;
}
