// The bytes of an upload; schemas/fleet-upload.md describes them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <xxhash.h>

#include "runtime/varint.h"

namespace seekless::fleet {

inline constexpr std::array<char, 8> kMagic = {'S', 'K', 'L', 'F', 'L', 'E', 'E', 'T'};
inline constexpr uint16_t kVersion = 1;
inline constexpr uint32_t kReadsBlock = 1;
inline constexpr uint32_t kDriveBlock = 2;
// A crash loses at most this many bytes.
inline constexpr uint32_t kMostPayloadBytes = 4096;

struct Header {
  std::array<char, 8> magic;
  uint16_t version;
  uint16_t header_bytes;
  uint32_t asset_count;
  uint64_t catalog_id;
  uint32_t scenario_count;
  uint32_t day;
  std::array<std::byte, 16> client;
  uint64_t reserved;
  uint64_t checksum;  // XXH3-64 of the bytes before it
};
static_assert(sizeof(Header) == 64 && offsetof(Header, checksum) == 56);

struct Block {
  uint32_t payload_bytes;
  uint32_t kind;
  uint32_t checksum;  // low half of XXH3-64 of the payload, seeded with the block's kind and number
};
static_assert(sizeof(Block) == 12);

inline uint64_t checksum_of(const Header& header) {
  return XXH3_64bits(&header, offsetof(Header, checksum));
}

inline uint32_t checksum_of(std::span<const std::byte> payload, uint32_t number, uint32_t kind) {
  const uint64_t seed = uint64_t{kind} << 32 | number;
  return static_cast<uint32_t>(XXH3_64bits_withSeed(payload.data(), payload.size(), seed));
}

// The client and the pack set of an upload.
struct Origin {
  uint32_t asset_count;
  uint64_t catalog_id;
  uint32_t scenario_count;
  uint32_t day;
  std::array<std::byte, 16> client;
};

inline Header header_of(const Origin& origin) {
  Header header = {.magic = kMagic,
                   .version = kVersion,
                   .header_bytes = sizeof(Header),
                   .asset_count = origin.asset_count,
                   .catalog_id = origin.catalog_id,
                   .scenario_count = origin.scenario_count,
                   .day = origin.day,
                   .client = origin.client,
                   .reserved = 0,
                   .checksum = 0};
  header.checksum = checksum_of(header);
  return header;
}

// `number` is the block's number, from 0.
inline Block block_of(std::span<const std::byte> payload, uint32_t number, uint32_t kind) {
  return {.payload_bytes = static_cast<uint32_t>(payload.size()),
          .kind = kind,
          .checksum = checksum_of(payload, number, kind)};
}

}  // namespace seekless::fleet
