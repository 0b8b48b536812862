// Reads any bytes as an upload. The first byte says whether its checksums are corrected first. The
// result must be an error of kind damaged, or possible runs.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "packer/fleet/upload.h"
#include "runtime/upload_format.h"
#include "tests/fuzz/require.h"

namespace {

using namespace seekless;

void make_right(std::vector<std::byte>& bytes) {
  fleet::Header header;
  if (bytes.size() < sizeof(header)) return;
  std::memcpy(&header, bytes.data(), sizeof(header));
  header.magic = fleet::kMagic;
  header.version = fleet::kVersion;
  header.header_bytes = sizeof(header);
  header.reserved = 0;
  header.checksum = fleet::checksum_of(header);
  std::memcpy(bytes.data(), &header, sizeof(header));
  size_t at = sizeof(header);
  for (uint32_t number = 0; bytes.size() - at >= sizeof(fleet::Block); ++number) {
    fleet::Block block;
    std::memcpy(&block, bytes.data() + at, sizeof(block));
    const size_t left = bytes.size() - at - sizeof(block);
    block.payload_bytes = std::min<uint32_t>(block.payload_bytes % 64, static_cast<uint32_t>(left));
    block.kind %= 4;
    const auto payload = std::span(bytes).subspan(at + sizeof(block), block.payload_bytes);
    block.checksum = fleet::checksum_of(payload, number, block.kind);
    std::memcpy(bytes.data() + at, &block, sizeof(block));
    at += sizeof(block) + block.payload_bytes;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const auto given = std::as_bytes(std::span(data, size)).subspan(1);
  std::vector<std::byte> bytes(given.begin(), given.end());
  if (data[0] % 2 == 1) make_right(bytes);
  const auto upload = read_upload(bytes, "upload");
  if (!upload) {
    require(upload.error().kind == ErrorKind::damaged && !upload.error().message.empty());
    return 0;
  }
  UploadWriter writer(upload->catalog, upload->client, upload->day);
  for (const FleetRun& run : upload->runs) {
    require(run.scenario < upload->catalog.scenario_count && !run.assets.empty());
    require(std::ranges::max(run.assets) < upload->catalog.asset_count);
    writer.add_run(run);
  }
  for (const FleetDrive& drive : upload->drives) writer.add_drive(drive);
  const auto again = read_upload(writer.bytes(), "again");
  require(again && again->runs == upload->runs && again->drives == upload->drives);
  return 0;
}
