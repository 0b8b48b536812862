#include <algorithm>
#include <cassert>

#include "packer/fleet/upload.h"
#include "runtime/upload_format.h"

namespace seekless {
namespace {

template <typename T>
void append(std::vector<std::byte>& out, const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  out.insert(out.end(), bytes.begin(), bytes.end());
}

void put_varint(std::vector<std::byte>& out, uint64_t value) {
  std::array<std::byte, varint::kLongestBytes> code;
  out.insert(out.end(), code.data(), varint::put(code.data(), value));
}

}  // namespace

UploadWriter::UploadWriter(const FleetCatalog& catalog, const ClientToken& client, uint32_t day) {
  append(bytes_, fleet::header_of({.asset_count = catalog.asset_count,
                                   .catalog_id = catalog.id,
                                   .scenario_count = catalog.scenario_count,
                                   .day = day,
                                   .client = client}));
}

void UploadWriter::add_block(uint32_t kind, std::span<const std::byte> payload) {
  assert(payload.size() <= fleet::kMostPayloadBytes);
  append(bytes_, fleet::block_of(payload, blocks_++, kind));
  bytes_.insert(bytes_.end(), payload.begin(), payload.end());
}

void UploadWriter::add_run(const FleetRun& run) {
  size_t rank = 0;
  do {
    std::vector<std::byte> payload;
    put_varint(payload, run.scenario);
    put_varint(payload, runs_);
    put_varint(payload, rank);
    int64_t expected = 0;
    for (; rank < run.assets.size() &&
           payload.size() + varint::kLongestBytes <= fleet::kMostPayloadBytes;
         ++rank) {
      put_varint(payload, varint::zigzag(int64_t{run.assets[rank]} - expected));
      expected = int64_t{run.assets[rank]} + 1;
    }
    add_block(fleet::kReadsBlock, payload);
  } while (rank < run.assets.size());
  ++runs_;
}

void UploadWriter::add_drive(const FleetDrive& drive) {
  std::vector<std::byte> payload;
  for (const uint64_t value : {uint64_t{static_cast<uint8_t>(drive.media)}, drive.seek_us,
                               drive.reads, drive.seeks, drive.read_bytes})
    put_varint(payload, value);
  add_block(fleet::kDriveBlock, payload);
}

}  // namespace seekless
