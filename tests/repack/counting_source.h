// A file in memory that notes what is read of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "packer/base/bytes.h"

namespace seekless {

class CountingSource final : public ByteSource {
 public:
  explicit CountingSource(std::vector<std::byte> bytes) : source_("a", std::move(bytes)) {}
  const std::string& name() const override { return source_.name(); }
  uint64_t size_bytes() const override { return source_.size_bytes(); }
  Result<void> read_at(uint64_t offset_bytes, std::span<std::byte> into) const override {
    ++reads;
    read_bytes += into.size();
    places.push_back(offset_bytes);
    return source_.read_at(offset_bytes, into);
  }
  mutable size_t reads = 0;
  mutable uint64_t read_bytes = 0;
  mutable std::vector<uint64_t> places;  // where each read begins

 private:
  MemorySource source_;
};

}  // namespace seekless
