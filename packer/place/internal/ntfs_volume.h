// The system's calls by which files are moved within an NTFS volume. On Windows these are
// FSCTL_GET_NTFS_VOLUME_DATA, FSCTL_GET_VOLUME_BITMAP, FSCTL_GET_RETRIEVAL_POINTERS and
// FSCTL_MOVE_FILE; tests answer them like NTFS.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/extents.h"

namespace seekless {

// A failed call.
struct NtfsError {
  // POSIX's number; 0 if it has none for this. EIO only stands for errors of the device itself.
  int os_error = 0;
  std::string text;  // the system's, with its own number
};
template <typename T>
using NtfsResult = std::expected<T, NtfsError>;

// Adjoining clusters of a volume.
struct ClusterRun {
  uint64_t begin = 0;
  uint64_t count = 0;

  bool operator==(const ClusterRun&) const = default;
};

struct NtfsLayout {
  uint64_t cluster_bytes = 0;
  uint64_t cluster_count = 0;
  ClusterRun zone;  // NTFS keeps it for the growth of its table of files (MFT)
};

// A part of the volume's bitmap. The lowest bit of the first byte is cluster `first`; a set bit is
// a cluster in use.
struct NtfsBitmap {
  uint64_t first = 0;  // NTFS rounds the requested cluster down
  uint64_t count = 0;  // of all clusters from `first` on; `bits` may have fewer
  std::vector<std::byte> bits;
};

struct NtfsAttributes {
  bool is_compressed = false;
  bool is_sparse = false;
  bool is_encrypted = false;
  bool is_reparse_point = false;  // a link, or a file that another driver stores
};

class NtfsFile {
 public:
  virtual ~NtfsFile() = default;
  virtual const NtfsAttributes& attributes() const = 0;
  // Returns where the file lies now.
  virtual Result<FileExtents> extents() const = 0;
  // Moves `count` clusters from cluster `from` of the file on to the free clusters from `to` on.
  // Fails with EACCES if one of these isn't free, or was freed since NTFS' last checkpoint, or if
  // the file is held in its place; Windows' own numbers don't tell these apart.
  virtual NtfsResult<void> move(uint64_t from, uint64_t to, uint64_t count) = 0;
};

class NtfsVolume {
 public:
  virtual ~NtfsVolume() = default;
  virtual NtfsResult<NtfsLayout> layout() = 0;
  // Returns as much of the bitmap as one call gives, from `cluster` on.
  virtual NtfsResult<NtfsBitmap> bitmap(uint64_t cluster) = 0;
  virtual NtfsResult<std::unique_ptr<NtfsFile>> open(const std::string& path) = 0;
  virtual void pause(std::chrono::milliseconds time) = 0;
};

// Opens the volume for moving files. Fails with EACCES for everybody but administrators.
using OpenNtfsVolume = std::function<NtfsResult<std::unique_ptr<NtfsVolume>>()>;

}  // namespace seekless
