// Lets the runtime read real packs while a simulated drive is charged for each read: so the product
// itself says what it asks of the disk, and in which order.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "packer/drive/drive.h"
#include "runtime/file_io.h"

namespace seekless {

// Called with each read that goes to the drive: place on the drive, length, milliseconds.
using OnRead = std::function<void(uint64_t position_bytes, uint64_t length_bytes, double ms)>;

class ChargedFileIo final : public runtime::FileIo {
 public:
  // Files lie in the order they are first opened, one behind the other.
  // `drive` must outlive it. Not for several threads.
  ChargedFileIo(Drive& drive, OnRead on_read);

  runtime::Result<std::unique_ptr<runtime::File>> open(const std::string& path) const override;
  bool is_folder(const std::string& path) const override { return system_->is_folder(path); }

 private:
  Drive& drive_;
  OnRead on_read_;
  std::unique_ptr<runtime::FileIo> system_ = runtime::make_system_file_io();
  mutable std::map<std::string, uint64_t> positions_;
  mutable uint64_t next_position_ = 0;
};

}  // namespace seekless
