// The interface of a mount: numbered assets, each with the place of its bytes. Name spaces look
// paths up in mounts. Reads, queues and sweeps take a Located, which keeps its mount alive. Pack
// sets, single packs, folders and zips are implemented in separate files.
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

// Describes where an asset's bytes lie.
struct Place {
  uint32_t number = 0;  // the asset's number in its mount
  uint64_t size_bytes = 0;
  // True if the asset's bytes are one range of `file`, stored unchanged. Otherwise they must be
  // decoded: by blocks if `pack` is set, or by Mount::read.
  bool is_range = false;
  const File* file = nullptr;  // never null; for a pack, its own file
  uint64_t offset_bytes = 0;   // where the asset begins in `file`; 0 if it must be decoded
  const Pack* pack = nullptr;  // set for an asset in a pack; has the block table and the checksums
  uint32_t index = 0;          // the asset's index in `pack`
  // Set for a loose file, which is open only while needed.
  std::shared_ptr<const File> opened;
};

using PathVisitor = std::function<Result<void>(uint32_t number, const std::string& path)>;

// A mount is immutable, but opens files on demand. Any thread may call any function. It is
// reference-counted: the name space holds it while it is mounted, a MountPointer while it is used.
class Mount {
 public:
  Mount() = default;
  Mount(const Mount&) = delete;
  Mount& operator=(const Mount&) = delete;

  virtual uint32_t asset_count() const = 0;
  // Returns false for a number whose asset no longer exists.
  virtual bool has(uint32_t) const { return true; }
  virtual uint64_t size_bytes(uint32_t number) const = 0;
  // Returns true if paths ignore the case of ASCII letters.
  virtual bool folds_case() const = 0;
  // Returns the number of the asset whose path in the mount is `path`, or kEmptySlot.
  virtual uint32_t find(std::string_view path) const = 0;
  // Calls `visit` once for every asset, with its number and its path in the mount. May read tables.
  virtual Result<void> for_each_path(const PathVisitor& visit) const = 0;
  // May open a file, and so fail like any read.
  virtual Result<Place> place(uint32_t number) const = 0;
  // Returns the asset's path in the mount, without the folder it is mounted at.
  virtual Result<std::string> path(uint32_t number) const = 0;
  virtual Result<format::ContentHash> content_hash(uint32_t number) const = 0;
  // Fills `into` from `offset_bytes` of the asset on. The caller ensures that the asset is long
  // enough. A whole asset is checked.
  virtual Result<void> read(const Place& place, uint64_t offset_bytes,
                            std::span<std::byte> into) const = 0;
  // Fills in the asset's flags, and its time if it has one. Does no I/O.
  virtual void describe(uint32_t number, skl_asset_info& info) const = 0;
  // Returns the set of a pack set or a single pack, for sweeps; otherwise null.
  virtual const PackSet* pack_set() const { return nullptr; }

  // Makes `io` outlive the mount. Call this before sharing the mount.
  void keep(std::shared_ptr<const FileIo> io) const { io_ = std::move(io); }

  void retain() const { holders_.fetch_add(1, std::memory_order_relaxed); }
  void release() const {
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 protected:
  virtual ~Mount() = default;

 private:
  mutable std::atomic<uint32_t> holders_ = 1;  // the creator is the first holder
  mutable std::shared_ptr<const FileIo> io_;
};

// Keeps a mount alive.
class MountPointer {
 public:
  MountPointer() = default;
  // Takes over one reference.
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

// An asset and its place. The place stays valid as long as this object exists, even after
// unmounting.
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

// A scenario, with the mounted set that has it.
struct FoundScenario {
  MountPointer mount;                          // mount->pack_set() isn't null
  const format::Scenario* scenario = nullptr;  // null means all of a single pack
  skl_asset asset_base = 0;                    // asset_base | number in the set is the asset
  bool is_typical = false;  // true if the scenario was made for loads that nobody recorded
};

}  // namespace seekless::runtime
