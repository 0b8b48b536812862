// Reads an archive through a window, so that hundreds of records and small entries in sequence take
// one call to the operating system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/files.h"

namespace seekless {

// For one thread at a time, unlike other sources. A read elsewhere fetches 16 KiB. While reads
// go on from there, the next pieces have 128 KiB, and then 1 MiB: entries that are read in another
// order than theirs are much shorter. Long reads bypass the window.
class WindowSource final : public ByteSource {
 public:
  explicit WindowSource(std::shared_ptr<const ByteSource> source) : source_(std::move(source)) {}
  const std::string& name() const override { return source_->name(); }
  uint64_t size_bytes() const override { return source_->size_bytes(); }
  Result<void> read_at(uint64_t offset_bytes, std::span<std::byte> into) const override;

 private:
  std::shared_ptr<const ByteSource> source_;
  mutable std::vector<std::byte> window_;
  mutable uint64_t window_offset_bytes_ = 0;
};

}  // namespace seekless
