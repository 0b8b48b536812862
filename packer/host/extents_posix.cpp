#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "packer/host/close_folder.h"
#include "packer/host/descriptor.h"
#include "packer/host/extents.h"
#include "packer/host/os_error.h"
#include "packer/host/reserved_extents.h"

namespace seekless {
namespace {

constexpr size_t kExtentsPerCall = 512;

constexpr const char* kTellingFileSystems =
    "use a file system that tells: ext4, XFS, Btrfs, F2FS, NTFS (ntfs3)";

// The kernel's structure ends in an array whose length the caller chooses.
struct ExtentRequest {
  alignas(fiemap)
      std::array<std::byte, sizeof(fiemap) + kExtentsPerCall * sizeof(fiemap_extent)> bytes = {};
  fiemap* map() { return reinterpret_cast<fiemap*>(bytes.data()); }
};

void add_found(const fiemap_extent& found, bool with_reserved, FileExtents& file) {
  const bool is_reserved = (found.fe_flags & FIEMAP_EXTENT_UNWRITTEN) != 0;
  if (is_reserved && !with_reserved) return;  // reads as zeros, without the disk
  const uint64_t begin = std::min<uint64_t>(found.fe_logical, file.size_bytes);
  const uint64_t length = std::min<uint64_t>(found.fe_length, file.size_bytes - begin);
  if (length == 0) return;
  if ((found.fe_flags & (FIEMAP_EXTENT_DATA_INLINE | FIEMAP_EXTENT_DATA_TAIL)) != 0) {
    file.inline_bytes += length;
    return;
  }
  if ((found.fe_flags & FIEMAP_EXTENT_ENCODED) != 0) file.encoded_bytes += length;
  add_extent({begin, found.fe_physical, length}, file);
}

std::unexpected<Error> no_places(const std::string& path, int os_error) {
  const bool is_unable = os_error == EOPNOTSUPP || os_error == ENOTTY || os_error == EBADR ||
                         os_error == EINVAL || os_error == ENOSYS;
  if (!is_unable) return failed_call(path, "ask for the place of", os_error);
  return failed({.file = path,
                 .expected = "a file system that tells where its files lie",
                 .found = "one that doesn't (memory, network and FUSE file systems don't)",
                 .advice = kTellingFileSystems});
}

Result<void> ask(int descriptor, bool with_reserved, FileExtents& file) {
  auto request = std::make_unique<ExtentRequest>();
  uint64_t at = 0;
  while (at < file.size_bytes) {
    fiemap& map = *request->map();
    // Clears the structure by memset, because an initialiser can't clear one that ends with an
    // array of no length.
    std::memset(&map, 0, sizeof(map));
    map.fm_start = at;
    map.fm_length = file.size_bytes - at;
    map.fm_flags = FIEMAP_FLAG_SYNC;
    map.fm_extent_count = kExtentsPerCall;
    if (ioctl(descriptor, FS_IOC_FIEMAP, &map) != 0) return no_places(file.path, errno);
    if (map.fm_mapped_extents == 0) return {};
    for (uint32_t i = 0; i < std::min<uint32_t>(map.fm_mapped_extents, kExtentsPerCall); ++i) {
      const fiemap_extent& found = map.fm_extents[i];
      if ((found.fe_flags & (FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_UNKNOWN)) != 0)
        return failed({.file = file.path,
                       .place = fmt::format("byte {}", uint64_t{found.fe_logical}),
                       .expected = "a place on the disk",
                       .found = "none yet: it is being written",
                       .advice = "wait until it is written, or run sync"});
      add_found(found, with_reserved, file);
      if ((found.fe_flags & FIEMAP_EXTENT_LAST) != 0) return {};
      if (found.fe_logical + found.fe_length <= at) return {};  // a faulty driver makes no progress
      at = found.fe_logical + found.fe_length;
    }
  }
  return {};
}

Result<FileExtents> read_extents_of(int descriptor, const std::string& path, mode_t kind,
                                    const char* expected) {
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) return failed_call(path, "look at", errno);
  if ((status.st_mode & S_IFMT) != kind)
    return failed({.file = path, .expected = expected, .found = "something else"});
  FileExtents file;
  file.path = path;
  file.size_bytes = static_cast<uint64_t>(status.st_size);
  file.device = status.st_dev;
  struct statfs system = {};
  if (fstatfs(descriptor, &system) == 0 && system.f_type == EXT4_SUPER_MAGIC)
    file.ext4_inode = status.st_ino;
  SKL_TRY_DO(ask(descriptor, false, file));
  return file;
}

Result<FileExtents> read_extents_of(const std::string& path, mode_t kind, const char* expected) {
  const Descriptor descriptor(calls::open_to_read(path, false));
  if (descriptor.get() < 0) return failed_call(path, "open", errno);
  return read_extents_of(descriptor.get(), path, kind, expected);
}

// Longer lists are read in part: a number too low only makes a forecast a little wrong.
constexpr size_t kMostListedNames = 20'000;

uint64_t last_inode_in(const std::string& folder) {
  uint64_t last = 0;
  const std::unique_ptr<DIR, CloseFolder> list(::opendir(folder.c_str()));
  for (size_t names = 0; list && names < kMostListedNames; ++names) {
    const dirent* entry = ::readdir(list.get());
    if (entry == nullptr) break;
    if (std::string_view(entry->d_name) != "..") last = std::max<uint64_t>(last, entry->d_ino);
  }
  return last;
}

}  // namespace

Result<FileExtents> read_extents(const std::string& path) {
  return read_extents_of(path, S_IFREG, "a regular file");
}

Result<FileExtents> read_list_extents(const std::string& folder) {
  return read_extents_of(folder, S_IFDIR, "a folder");
}

Result<FileExtents> read_folder_extents(const std::string& path) {
  SKL_TRY(auto folder, read_list_extents(path));
  if (folder.ext4_inode != 0) folder.ext4_last_inode = last_inode_in(path);
  return folder;
}

Result<FileExtents> read_open_extents(int descriptor, const std::string& name) {
  return read_extents_of(descriptor, name, S_IFREG, "a regular file");
}

Result<FileExtents> read_reserved_extents(int descriptor, const std::string& name,
                                          uint64_t size_bytes) {
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) return failed_call(name, "look at", errno);
  FileExtents file;
  file.path = name;
  file.size_bytes = size_bytes;
  file.device = status.st_dev;
  SKL_TRY_DO(ask(descriptor, true, file));
  return file;
}

Result<Descriptor> reserve_room(const std::string& folder, uint64_t size_bytes) {
  Descriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.get() < 0) return failed_call(folder, "make a file without a name in", errno);
  if (::fallocate(file.get(), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(size_bytes)) != 0)
    return failed_call(folder, fmt::format("reserve {} bytes in", size_bytes), errno);
  return file;
}

Result<std::vector<Extent>> find_free_room(const std::string& folder, uint64_t size_bytes) {
  SKL_TRY(const auto file, reserve_room(folder, size_bytes));
  SKL_TRY(auto room, read_reserved_extents(file.get(), "the reserved room", size_bytes));
  return std::move(room.extents);
}

}  // namespace seekless
