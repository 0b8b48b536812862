// Reads bytes through ByteSource or ByteStream, wherever they come from: usually files
// (packer/host/files.h), in tests values in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

// Represents bytes of known size that can be read at any offset. Reading is safe from any thread.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual const std::string& name() const = 0;  // the name shown in messages
  virtual uint64_t size_bytes() const = 0;
  // Fills the whole of `into`, or fails. Reading past the end is an error of kind `damaged`.
  virtual Result<void> read_at(uint64_t offset_bytes, std::span<std::byte> into) const = 0;
};

// Represents bytes that can be read only once, from front to back.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  virtual const std::string& name() const = 0;
  // Returns how many bytes it put at the front of `into`; 0 only at the end.
  virtual Result<size_t> read(std::span<std::byte> into) = 0;
};

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string name, std::vector<std::byte> bytes)
      : name_(std::move(name)), bytes_(std::move(bytes)) {}
  const std::string& name() const override { return name_; }
  uint64_t size_bytes() const override { return bytes_.size(); }
  Result<void> read_at(uint64_t offset_bytes, std::span<std::byte> into) const override;

 private:
  std::string name_;
  std::vector<std::byte> bytes_;
};

class MemoryStream final : public ByteStream {
 public:
  MemoryStream(std::string name, std::string bytes)
      : name_(std::move(name)), bytes_(std::move(bytes)) {}
  const std::string& name() const override { return name_; }
  Result<size_t> read(std::span<std::byte> into) override;

 private:
  std::string name_;
  std::string bytes_;
  size_t position_ = 0;
};

// Returns the error for reading past the end of a source of `size_bytes`.
std::unexpected<Error> past_the_end(const std::string& name, uint64_t offset_bytes,
                                    uint64_t length_bytes, uint64_t size_bytes);

}  // namespace seekless
