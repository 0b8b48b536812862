// Moves files within file systems whose files can share what they hold: each is copied to a file
// without a name, in order, which most file systems place one after the other; then FIDEDUPERANGE,
// the call of duperemove, lets the file have the copy's pieces instead of its own. Linux compares
// both while nobody can write, and shares what is the same alone. So programs may write all the
// time, the file stays the same one with all its names, and what is without a name goes with this
// process. Earlier pieces stay where others share them: snapshots, clones.
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

// What Btrfs compares at once.
constexpr uint64_t kSharedAtOnce = uint64_t{16} << 20;

// The kernel's structure ends in an array whose length the caller chooses.
struct DedupeRequest {
  alignas(file_dedupe_range)
      std::array<std::byte, sizeof(file_dedupe_range) + sizeof(file_dedupe_range_info)> bytes = {};
  file_dedupe_range* range() { return reinterpret_cast<file_dedupe_range*>(bytes.data()); }
};

// 0, or why not: EBUSY where they differ.
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

// What isn't compressed has no reason to be so afterwards, nor the other way round.
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
    // XFS may not know how to share; Btrfs doesn't between what has checksums and what hasn't.
    if (*failure == EINVAL || *failure == EOPNOTSUPP || *failure == ENOTTY)
      return move_by(make_copying_mover(warn_), files_[i]);
    return after_failed_move(path, *failure, warn_);
  }

 private:
  // 0, or why not: then more may be wrong than with this file. Error: it can't be opened, or isn't
  // what a copy could be.
  Result<int> share_copy(const std::string& path) {
    const auto opened = open_to_move(path, O_RDONLY);
    if (!opened) return std::unexpected(opened.error());
    const int number = opened->file.get();
    const auto file = read_open_extents(number, path);
    if (!file) return std::unexpected(file.error());
    Descriptor copy(
        ::openat(opened->folder.get(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (copy.get() < 0) return errno;
    if (auto kept = keep_flags(number, path, copy.get()); !kept)
      return std::unexpected(kept.error());
    begin_after_last(copy.get());
    if (const int failure = write(number, *file, copy.get())) return failure;
    if (!is_kept_alike(*file, copy.get()))
      return failed({.file = path,
                     .expected = "a copy that is compressed if it is, and else not",
                     .found = "another one",
                     .advice = kStays});
    for (const Extent& piece : file->extents)
      if (const int failure = share(copy.get(), number, piece)) return failure;
    last_.emplace(std::move(copy));
    return 0;
  }

  // Btrfs looks for room from where the bytes lie that are written anew, so the copy begins by
  // sharing the last block of the copy before: else each goes to the first room that is large
  // enough. Only a wish: it may not be able to.
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

  // 0, or why not.
  static int write(int from, const FileExtents& file, int copy) {
    if (::ftruncate(copy, static_cast<off_t>(file.size_bytes)) != 0) return errno;
    if (file.encoded_bytes > 0) compress_like(from, copy);
    return copy_pieces(from, file.extents, copy, 0);
  }

  // By the file's own rule, or by one of a later time than the file's; is_kept_alike() sees.
  static void compress_like(int from, int copy) {
    constexpr const char* kRule = "btrfs.compression";
    std::array<char, 16> rule = {'z', 's', 't', 'd'};
    ssize_t length = ::fgetxattr(from, kRule, rule.data(), rule.size());
    if (length <= 0) length = 4;
    ::fsetxattr(copy, kRule, rule.data(), static_cast<size_t>(length), 0);
  }

  std::vector<FileExtents> files_;
  std::vector<std::vector<Extent>> places_;  // none
  Mover::Warn warn_;
  std::optional<Descriptor> last_;  // the copy before
};

}  // namespace

Mover make_sharing_mover(Mover::Warn warn) {
  return {.way = "moved within the file system, by sharing a copy",
          .reserve = [warn = std::move(warn)](std::vector<FileExtents> files) {
            return std::make_unique<SharingRoom>(std::move(files), warn);
          }};
}

}  // namespace seekless
