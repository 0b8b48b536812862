// Lets the runtime read packs, real or virtual, and charges a simulated drive for reads that miss
// the page cache. So the product's own code decides what is read from the disk, and in which order.
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

// Called for each read that goes to the drive, with the place on the drive, the length and
// milliseconds.
using OnRead = std::function<void(uint64_t position_bytes, uint64_t length_bytes, double ms)>;

class ChargedFileIo final : public runtime::FileIo {
 public:
  // `files` lie at `positions` on the drive; other files can't be opened. `io` provides their
  // bytes. `io` and `drive` must outlive this object. For one thread only.
  ChargedFileIo(const runtime::FileIo& io, Drive& drive, const ReadAhead& read_ahead,
                std::span<const FileToPlace> files, std::span<const uint64_t> positions,
                OnRead on_read);

  // Sets the read-ahead for later reads.
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
  std::map<std::string, uint32_t> numbers_;  // path -> number in the cache
};

}  // namespace seekless
