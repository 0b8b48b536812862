// Moves files within ext4: EXT4_IOC_MOVE_EXT exchanges a range of a file with one of a donor file,
// page by page, within the journal. So each page is always in one of the two places, and programs
// that read or write the file don't notice. The donor has no name. When this process ends, the
// kernel frees the donor and its space: the unused part, and the files' old places.
#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "packer/host/descriptor.h"
#include "packer/host/interrupt.h"
#include "packer/host/os_error.h"
#include "packer/place/internal/movers.h"
#include "packer/place/internal/opened_file.h"
#include "packer/place/internal/reserved_file.h"
#include "packer/place/placed_loads.h"

namespace seekless {
namespace {

// From fs/ext4/ext4.h of Linux; no userspace header has it.
struct MoveExtent {
  uint32_t reserved;
  uint32_t donor_descriptor;
  uint64_t from_block;
  uint64_t donor_block;
  uint64_t block_count;
  uint64_t moved_count;
};
constexpr unsigned long kMoveExtent = _IOWR('f', 15, MoveExtent);

// Checks for Ctrl-C after each part of this size.
constexpr uint64_t kBlocksAtOnce = (uint64_t{16} << 20) / kBlockBytes;

class Ext4Room final : public ReservedRoom {
 public:
  Ext4Room(ReservedFile donor, std::vector<FileExtents> files, Mover::Warn warn)
      : donor_(std::move(donor)), files_(std::move(files)), warn_(std::move(warn)) {}

  const std::vector<std::vector<Extent>>& places() const override { return donor_.places(); }

  Result<bool> move(size_t i) override {
    const FileExtents& file = files_[i];
    const auto failure = exchange_all(file, donor_.begins()[i]);
    if (!failure) return stays(warn_, failure.error().message);
    if (*failure == 0) return true;
    // The file isn't stored in extents.
    if (*failure == EOPNOTSUPP) return move_by(make_copying_mover(warn_), file);
    return after_failed_move(file.path, *failure, warn_);
  }

 private:
  // Returns 0, or the error code. Fails if the file can't be opened.
  Result<int> exchange_all(const FileExtents& file, uint64_t begin) const {
    SKL_TRY(const auto opened, open_to_move(file.path, O_RDWR));
    const int number = opened.file.get();
    // For each cached page that was moved before, Linux 6.18 waits for a commit of the journal: 8
    // MB then took 27 s instead of 0.1.
    ::posix_fadvise(number, 0, 0, POSIX_FADV_DONTNEED);
    for (const Extent& piece : file.extents) {
      const uint64_t end = whole_blocks(piece.offset_bytes + piece.length_bytes) / kBlockBytes;
      for (uint64_t at = piece.offset_bytes / kBlockBytes; at < end;) {
        stop_if_interrupted();
        const auto moved =
            exchange(number, at, begin / kBlockBytes + at, std::min(end - at, kBlocksAtOnce));
        if (!moved) return moved.error();
        if (*moved == 0) return EIO;
        at += *moved;
      }
    }
    return 0;
  }

  std::expected<uint64_t, int> exchange(int file, uint64_t from, uint64_t donor,
                                        uint64_t count) const {
    MoveExtent request = {.reserved = 0,
                          .donor_descriptor = static_cast<uint32_t>(donor_.descriptor()),
                          .from_block = from,
                          .donor_block = donor,
                          .block_count = count,
                          .moved_count = 0};
    if (::ioctl(file, kMoveExtent, &request) != 0 && request.moved_count == 0)
      return std::unexpected(errno);
    return request.moved_count;
  }

  ReservedFile donor_;
  std::vector<FileExtents> files_;
  Mover::Warn warn_;
};

Result<std::unique_ptr<ReservedRoom>> reserve_in_ext4(const std::string& folder,
                                                      const Mover::Warn& warn,
                                                      std::vector<FileExtents> files) {
  SKL_TRY(auto donor, ReservedFile::create(folder, files));
  // Blocks past a file's end aren't exchanged.
  if (::ftruncate(donor.descriptor(), static_cast<off_t>(donor.reserved_bytes())) != 0)
    return failed_call(folder, "make a file without a name in", errno);
  // Only clean pages can be dropped from the page cache before each move.
  if (::syncfs(donor.descriptor()) != 0) return failed_call(folder, "flush", errno);
  return std::make_unique<Ext4Room>(std::move(donor), std::move(files), warn);
}

}  // namespace

Mover make_ext4_mover(std::string folder, Mover::Warn warn) {
  return {.way = "moved within ext4",
          .reserve = std::bind_front(reserve_in_ext4, std::move(folder), std::move(warn))};
}

}  // namespace seekless
