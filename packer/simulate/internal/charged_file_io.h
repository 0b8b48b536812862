// Lets the runtime read packs, real or virtual, while a simulated drive is charged for what isn't
// in memory: so the product itself says what it asks of the disk, and in which order.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "packer/drive/drive.h"
#include "packer/drive/page_cache.h"
#include "packer/simulate/disk_map.h"
#include "runtime/file_io.h"

namespace seekless {

// Called with each read that goes to the drive: place on the drive, length, milliseconds.
using OnRead = std::function<void(uint64_t position_bytes, uint64_t length_bytes, double ms)>;

class ChargedFileIo final : public runtime::FileIo {
 public:
  // `files` lie at `positions` of the drive; others can't be opened. `io` gives their bytes. It and
  // `drive` must outlive this. Not for several threads.
  ChargedFileIo(const runtime::FileIo& io, Drive& drive, const ReadAhead& read_ahead,
                std::span<const FileToPlace> files, std::span<const uint64_t> positions,
                OnRead on_read);

  // From now on.
  void set_read_ahead(const ReadAhead& read_ahead) { cache_.set_read_ahead(read_ahead); }

  runtime::Result<std::unique_ptr<runtime::File>> open(const std::string& path) const override;
  bool is_folder(const std::string& path) const override { return io_.is_folder(path); }

 private:
  friend class ChargedFile;
  void charge(CachedFile& open_file, uint64_t offset_bytes, uint64_t length_bytes) const;

  const runtime::FileIo& io_;
  Drive& drive_;
  mutable PageCache cache_;
  OnRead on_read_;
  std::map<std::string, uint32_t> numbers_;  // in the cache, by path
};

}  // namespace seekless
