// The checksum of zip files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace seekless::runtime {

// CRC-32 of ISO 3309 (polynomial 0xEDB88320, reflected).
uint32_t crc32(std::span<const std::byte> bytes) noexcept;

}  // namespace seekless::runtime
