// What a mount is to the rest of the reader: numbered assets, and for each the place where its
// bytes lie. Name spaces look paths up in mounts; reads, queues and sweeps take a Located, which
// keeps its mount alive. Pack sets, single packs, folders and zips each have a file of their own.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/error.h"
#include "runtime/file_io.h"
#include "runtime/include/seekless.h"
#include "runtime/pack_set.h"

namespace seekless::runtime {

// Where an asset's bytes lie.
struct Place {
  uint32_t number = 0;  // of the asset in its mount
  uint64_t size_bytes = 0;
  // The asset's bytes are one range of `file`, as they are. Else they have to be decoded: by blocks
  // if `pack` is set, or by Mount::read.
  bool is_range = false;
  const File* file = nullptr;          // never null; of a pack, its own
  uint64_t offset_bytes = 0;           // in `file`, of the first byte; 0 if it isn't a range
  const Pack* pack = nullptr;          // of an asset in a pack: block table, checksums
  uint32_t index = 0;                  // in `pack`
  std::shared_ptr<const File> opened;  // of a loose file, which is open only while it is wanted
};

using PathVisitor = std::function<Result<void>(uint32_t number, const std::string& path)>;

// One mounted thing. It doesn't change, but opens files on demand; every function is safe from any
// thread. Counted: the name space holds it while it is mounted, a MountPointer while it is used.
class Mount {
 public:
  Mount() = default;
  Mount(const Mount&) = delete;
  Mount& operator=(const Mount&) = delete;

  virtual uint32_t asset_count() const = 0;
  // Some numbers may stand for what isn't there any more.
  virtual bool has(uint32_t) const { return true; }
  virtual uint64_t size_bytes(uint32_t number) const = 0;
  // Whether a path names an asset in any case of its ASCII letters.
  virtual bool folds_case() const = 0;
  // The number of the asset with this own path, or kEmptySlot.
  virtual uint32_t find(std::string_view path) const = 0;
  // Calls `visit` for every asset, once, with its number and own path. May read tables.
  virtual Result<void> for_each_path(const PathVisitor& visit) const = 0;
  // May open a file, and may fail like any reading.
  virtual Result<Place> place(uint32_t number) const = 0;
  // The asset's own path, without the folder it is mounted at.
  virtual Result<std::string> path(uint32_t number) const = 0;
  virtual Result<format::ContentHash> content_hash(uint32_t number) const = 0;
  // Fills `into` from `offset_bytes` of the asset on, which has them. A whole asset is checked.
  virtual Result<void> read(const Place& place, uint64_t offset_bytes,
                            std::span<std::byte> into) const = 0;
  // Its flags, and its time if there is one; without I/O.
  virtual void describe(uint32_t number, skl_asset_info& info) const = 0;
  // Of a pack set or a single pack, which sweeps need; else null.
  virtual const PackSet* pack_set() const { return nullptr; }

  // It outlives the mount. Before others have it.
  void keep(std::shared_ptr<const FileIo> io) const { io_ = std::move(io); }

  void retain() const { holders_.fetch_add(1, std::memory_order_relaxed); }
  void release() const {
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 protected:
  virtual ~Mount() = default;

 private:
  mutable std::atomic<uint32_t> holders_ = 1;  // whoever makes it
  mutable std::shared_ptr<const FileIo> io_;
};

// Keeps a mount alive.
class MountPointer {
 public:
  MountPointer() = default;
  // Takes over one hold.
  static MountPointer adopt(const Mount* mount) { return MountPointer(mount); }
  static MountPointer retain(const Mount* mount) {
    mount->retain();
    return MountPointer(mount);
  }
  MountPointer(const MountPointer& other) : mount_(other.mount_) {
    if (mount_ != nullptr) mount_->retain();
  }
  MountPointer(MountPointer&& other) noexcept : mount_(std::exchange(other.mount_, nullptr)) {}
  MountPointer& operator=(MountPointer other) noexcept {
    std::swap(mount_, other.mount_);
    return *this;
  }
  ~MountPointer() {
    if (mount_ != nullptr) mount_->release();
  }

  const Mount* get() const { return mount_; }
  const Mount* operator->() const { return mount_; }
  const Mount& operator*() const { return *mount_; }
  explicit operator bool() const { return mount_ != nullptr; }

 private:
  explicit MountPointer(const Mount* mount) : mount_(mount) {}
  const Mount* mount_ = nullptr;
};

// An asset and its place, which stays good, unmounted or not, as long as this exists.
struct Located {
  skl_asset asset = 0;
  MountPointer mount;
  Place place;

  const File& file() const { return *place.file; }
  uint64_t size_bytes() const { return place.size_bytes; }
  Result<void> read(uint64_t offset_bytes, std::span<std::byte> into) const {
    return mount->read(place, offset_bytes, into);
  }
};

// A scenario and the mounted set that has it.
struct FoundScenario {
  MountPointer mount;                          // mount->pack_set() isn't null
  const format::Scenario* scenario = nullptr;  // null: all of a single pack
  skl_asset asset_base = 0;                    // | number in the set: the asset
  bool is_typical = false;                     // made for loads that nobody recorded
};

}  // namespace seekless::runtime
