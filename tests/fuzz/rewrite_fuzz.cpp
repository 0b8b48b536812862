// Rewrites any bytes as a zip archive. It must be refused, or our own reader must find every entry
// in the new archive, with the content of the old one.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <libdeflate.h>

#include "packer/content/asset_stream.h"
#include "packer/repack/rewrite_zip.h"
#include "tests/fuzz/own_file.h"
#include "tests/fuzz/require.h"

namespace {

using namespace seekless;

// Limit for all entries together, so that an input ends soon.
constexpr uint64_t kMaxContentBytes = 8 << 20;

uint32_t crc_of_content(const std::shared_ptr<const ByteSource>& source, const ZipEntry& entry) {
  auto data = read_local_header(source, entry);
  require(data.has_value());
  const auto stream = make_entry_stream(*std::move(data));
  std::vector<std::byte> piece(5000);
  uint32_t crc = 0;
  for (;;) {
    const auto got = stream->read(piece);
    require(got.has_value());
    if (*got == 0) return crc;
    crc = libdeflate_crc32(crc, piece.data(), *got);
  }
}

void compare(const ZipDirectory& old_directory, const std::string& path,
             const RewriteReport& report) {
  const std::shared_ptr<const ByteSource> source = open_source(path).value();
  require(source->size_bytes() == report.file_bytes);
  const auto directory = read_zip_directory(*source);
  require(directory.has_value() && directory->entry_count() == old_directory.entry_count());
  for (size_t i = 0; i < directory->entry_count(); ++i) {
    const ZipEntry after = directory->entry(i);
    const ZipEntry before = old_directory.entry(report.directory_order[i]);
    require(after.raw_name == before.raw_name && after.size_bytes == before.size_bytes &&
            after.crc32 == before.crc32 && after.raw_comment == before.raw_comment);
    const bool was_unpacked = before.method == zip_method::kStored || after.method != before.method;
    if (was_unpacked && can_unpack(after.method, after.is_encrypted()))
      require(crc_of_content(source, after) == before.crc32);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  // The first byte chooses the options.
  RewriteOptions options{
      .alignment = {.bytes = 1U << (data[0] & 0xFU), .is_for_all = (data[0] & 0x80U) != 0},
      .sort_directory = (data[0] & 0x10U) != 0};
  if ((data[0] & 0x20U) != 0) options.rules.push_back({"*", Compression::deflate});
  if ((data[0] & 0x40U) != 0) options.compression = Compression::keep;
  const auto bytes = std::as_bytes(std::span(data, size)).subspan(1);
  const auto source = std::make_shared<MemorySource>(
      "fuzz.zip", std::vector<std::byte>(bytes.begin(), bytes.end()));
  const auto directory = read_zip_directory(*source);
  if (!directory) return 0;
  std::vector<uint32_t> read_entries;
  uint64_t content_bytes = 0;
  for (size_t i = directory->entry_count(); i-- > 0;) {
    content_bytes += directory->entry(i).size_bytes;
    if (i % 3 != 1) read_entries.push_back(static_cast<uint32_t>(i));
  }
  if (content_bytes > kMaxContentBytes) return 0;
  const auto old = survey_archive(source, *directory);
  if (!old || !old->obstacle.empty()) return 0;
  const std::string path = own_file("rewrite.zip");
  const auto report = rewrite_zip(source, *directory, *old, read_entries, options, path);
  if (report)
    compare(*directory, path, *report);
  else
    require(report.error().kind == ErrorKind::damaged);
  std::filesystem::remove(path);
  return 0;
}
