// An archive read through a window, for records and small entries one after the other: a call to
// the operating system for hundreds of them.
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

// For one thread at a time, unlike other sources. What is read on and on comes in pieces of 1 MiB,
// what is read here and there in pieces of 64 KiB; long reads go past the window.
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
