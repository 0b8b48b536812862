// Moves files within file systems whose files can share data. Each is copied to a file without a
// name, in order, which most file systems place contiguously. Then FIDEDUPERANGE, the call of
// duperemove, gives the file the copy's pieces instead of its own. Linux compares both while nobody
// can write, and shares only what is equal. So programs may write at any time, the file keeps its
// inode and names, and the kernel frees the file without a name when this process ends. The old
// pieces stay allocated if snapshots or clones share them.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "packer/host/interrupt.h"
#include "packer/host/reserved_extents.h"
#include "packer/place/internal/copied_pieces.h"
#include "packer/place/internal/kept_attributes.h"
#include "packer/place/internal/movers.h"
#include "packer/place/internal/opened_file.h"

namespace seekless {
namespace {

// Btrfs compares this much at once.
constexpr uint64_t kSharedAtOnce = uint64_t{16} << 20;

// The kernel's structure ends in an array whose length the caller chooses.
struct DedupeRequest {
  alignas(file_dedupe_range)
      std::array<std::byte, sizeof(file_dedupe_range) + sizeof(file_dedupe_range_info)> bytes = {};
  file_dedupe_range* range() { return reinterpret_cast<file_dedupe_range*>(bytes.data()); }
};

// Returns 0, or the error: EBUSY if the files differ.
int share(int copy, int file, const Extent& piece) {
  for (uint64_t done = 0; done < piece.length_bytes;) {
    stop_if_interrupted();
    DedupeRequest request;
    file_dedupe_range& range = *request.range();
    range.src_offset = piece.offset_bytes + done;
    range.src_length = std::min(piece.length_bytes - done, kSharedAtOnce);
    range.dest_count = 1;
    file_dedupe_range_info& to = range.info[0];
    to.dest_fd = file;
    to.dest_offset = range.src_offset;
    if (::ioctl(copy, FIDEDUPERANGE, &range) != 0) return errno;
    if (to.status < 0) return -to.status;
    if (to.status == FILE_DEDUPE_RANGE_DIFFERS || to.bytes_deduped == 0) return EBUSY;
    done += to.bytes_deduped;
  }
  return 0;
}

// Returns false if only one of file and copy is compressed; a move must not change that.
bool is_kept_alike(const FileExtents& file, int copy) {
  const auto copied = read_open_extents(copy, file.path);
  return copied && (file.encoded_bytes > 0) == (copied->encoded_bytes > 0);
}

class SharingRoom final : public ReservedRoom {
 public:
  SharingRoom(std::vector<FileExtents> files, Mover::Warn warn)
      : files_(std::move(files)), warn_(std::move(warn)) {}

  const std::vector<std::vector<Extent>>& places() const override { return places_; }

  Result<bool> move(size_t i) override {
    const std::string& path = files_[i].path;
    const auto failure = share_copy(path);
    if (!failure) return stays(warn_, failure.error().message);
    if (*failure == 0) return true;
    // XFS may not support sharing; Btrfs doesn't share between data with checksums and data
    // without.
    if (*failure == EINVAL || *failure == EOPNOTSUPP || *failure == ENOTTY)
      return move_by(make_copying_mover(warn_), files_[i]);
    return after_failed_move(path, *failure, warn_);
  }

 private:
  // Returns 0, or an error code with which other files may fail, too. Fails if the file can't be
  // opened or copied.
  Result<int> share_copy(const std::string& path) {
    SKL_TRY(const auto opened, open_to_move(path, O_RDONLY));
    const int number = opened.file.get();
    SKL_TRY(const auto file, read_open_extents(number, path));
    Descriptor copy(
        ::openat(opened.folder.get(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (copy.get() < 0) return errno;
    SKL_TRY_DO(keep_flags(number, path, copy.get()));
    begin_after_last(copy.get());
    if (const int failure = write(number, file, copy.get())) return failure;
    if (!is_kept_alike(file, copy.get()))
      return failed({.file = path,
                     .expected = "a copy that is compressed if it is, and else not",
                     .found = "another one",
                     .advice = kStays});
    for (const Extent& piece : file.extents)
      if (const int failure = share(copy.get(), number, piece)) return failure;
    last_.emplace(std::move(copy));
    return 0;
  }

  // Btrfs looks for room near the bytes that are overwritten, so the copy begins by sharing the
  // last block of the previous copy. Otherwise each copy goes to the first free space that is large
  // enough. This is only a hint, so errors are ignored.
  void begin_after_last(int copy) const {
    struct stat last = {};
    if (!last_ || ::fstat(last_->get(), &last) != 0 || last.st_size == 0) return;
    const auto block = static_cast<uint64_t>(last.st_blksize);
    const uint64_t size = static_cast<uint64_t>(last.st_size);
    const uint64_t begin = (size - 1) / block * block;
    file_clone_range request = {
        .src_fd = last_->get(), .src_offset = begin, .src_length = size - begin, .dest_offset = 0};
    ::ioctl(copy, FICLONERANGE, &request);
  }

  // Returns 0, or the error.
  static int write(int from, const FileExtents& file, int copy) {
    if (::ftruncate(copy, static_cast<off_t>(file.size_bytes)) != 0) return errno;
    if (file.encoded_bytes > 0) compress_like(from, copy);
    return copy_pieces(from, file.extents, copy, 0);
  }

  // Makes the copy compressed like the file. The rule may have been set after the file was written,
  // so is_kept_alike() checks the result.
  static void compress_like(int from, int copy) {
    constexpr const char* kRule = "btrfs.compression";
    std::array<char, 16> rule = {'z', 's', 't', 'd'};
    ssize_t length = ::fgetxattr(from, kRule, rule.data(), rule.size());
    if (length <= 0) length = 4;
    ::fsetxattr(copy, kRule, rule.data(), static_cast<size_t>(length), 0);
  }

  std::vector<FileExtents> files_;
  std::vector<std::vector<Extent>> places_;  // empty, because the places aren't known beforehand
  Mover::Warn warn_;
  std::optional<Descriptor> last_;  // the previous copy
};

}  // namespace

Mover make_sharing_mover(Mover::Warn warn) {
  return {.way = "moved within the file system, by sharing a copy",
          .reserve = [warn = std::move(warn)](std::vector<FileExtents> files) {
            return std::make_unique<SharingRoom>(std::move(files), warn);
          }};
}

}  // namespace seekless
