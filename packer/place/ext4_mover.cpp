// Moves files within ext4: EXT4_IOC_MOVE_EXT exchanges a range of a file with one of a donor, page
// by page, each within the journal. So at every moment each page is either here or there, and what
// reads and writes the file meanwhile sees nothing of it. The donor has no name: it goes with this
// process, and with it the room that nothing was moved to, or that was moved out of.
#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "packer/host/descriptor.h"
#include "packer/host/interrupt.h"
#include "packer/host/reserved_extents.h"
#include "packer/place/movers.h"
#include "packer/place/placed_loads.h"

namespace seekless {
namespace {

// fs/ext4/ext4.h of Linux; no header for programs has it.
struct MoveExtent {
  uint32_t reserved;
  uint32_t donor_descriptor;
  uint64_t from_block;
  uint64_t donor_block;
  uint64_t block_count;
  uint64_t moved_count;
};
constexpr unsigned long kMoveExtent = _IOWR('f', 15, MoveExtent);

// An interrupt is looked for in between.
constexpr uint64_t kBlocksAtOnce = (uint64_t{16} << 20) / kBlockBytes;

// What lies in [begin, end) of the donor, as offsets from `begin` on.
std::vector<Extent> part_of(const FileExtents& donor, uint64_t begin, uint64_t end) {
  std::vector<Extent> part;
  for (const Extent& piece : donor.extents) {
    const uint64_t from = std::max(begin, piece.offset_bytes);
    const uint64_t to = std::min(end, piece.offset_bytes + piece.length_bytes);
    if (from < to)
      part.push_back({from - begin, piece.place_bytes + (from - piece.offset_bytes), to - from});
  }
  return part;
}

class Ext4Room final : public ReservedRoom {
 public:
  Ext4Room(Descriptor donor, std::vector<FileExtents> files, Mover::Warn warn)
      : donor_(std::move(donor)), files_(std::move(files)), warn_(std::move(warn)) {}

  Result<void> find_places() {
    const auto extents = read_reserved_extents(donor_.get(), "the reserved room");
    if (!extents) return std::unexpected(extents.error());
    uint64_t at = 0;
    for (const FileExtents& file : files_) {
      begins_.push_back(at);
      places_.push_back(part_of(*extents, at, at + file.size_bytes));
      at += whole_blocks(file.size_bytes);
    }
    return {};
  }

  const std::vector<std::vector<Extent>>& places() const override { return places_; }

  Result<bool> move(size_t i) override {
    const FileExtents& file = files_[i];
    const Descriptor opened(::open(file.path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    if (opened.get() < 0) return stays(file, errno);
    // Linux 6.18 waits for a commit of the journal with each page in memory that was moved before:
    // 8 MB then took 27 s instead of 0.1.
    ::posix_fadvise(opened.get(), 0, 0, POSIX_FADV_DONTNEED);
    for (const Extent& piece : file.extents) {
      const uint64_t first = piece.offset_bytes / kBlockBytes;
      const uint64_t end = whole_blocks(piece.offset_bytes + piece.length_bytes) / kBlockBytes;
      for (uint64_t at = first; at < end;) {
        stop_if_interrupted();
        const auto moved = exchange(opened.get(), at, begins_[i] / kBlockBytes + at,
                                    std::min(end - at, kBlocksAtOnce));
        if (!moved) return stays(file, moved.error());
        if (*moved == 0) return stays(file, EIO);
        at += *moved;
      }
    }
    return true;
  }

 private:
  std::expected<uint64_t, int> exchange(int file, uint64_t from, uint64_t donor, uint64_t count) {
    MoveExtent request = {.reserved = 0,
                          .donor_descriptor = static_cast<uint32_t>(donor_.get()),
                          .from_block = from,
                          .donor_block = donor,
                          .block_count = count,
                          .moved_count = 0};
    if (::ioctl(file, kMoveExtent, &request) != 0 && request.moved_count == 0)
      return std::unexpected(errno);
    return request.moved_count;
  }

  Result<bool> stays(const FileExtents& file, int os_error) {
    if (os_error == ENOSPC || os_error == EIO || os_error == EROFS)
      return failed_call(file.path, "move", os_error, "its bytes are as they were");
    warn_(failed_call(file.path, "move", os_error, "it stays where it is").error().message);
    return false;
  }

  Descriptor donor_;
  std::vector<FileExtents> files_;
  std::vector<uint64_t> begins_;  // in the donor
  std::vector<std::vector<Extent>> places_;
  Mover::Warn warn_;
};

class Ext4Mover final : public Mover {
 public:
  Ext4Mover(std::string folder, Warn warn) : folder_(std::move(folder)), warn_(std::move(warn)) {}
  const char* way() const override { return "moved within ext4"; }

  Result<std::unique_ptr<ReservedRoom>> reserve(std::vector<FileExtents> files) override {
    uint64_t bytes = 0;
    for (const FileExtents& file : files) bytes += whole_blocks(file.size_bytes);
    Descriptor donor(::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (donor.get() < 0) return failed_call(folder_, "make a file without a name in", errno);
    if (const int error = ::posix_fallocate(donor.get(), 0, static_cast<off_t>(bytes)); error != 0)
      return failed_call(folder_, fmt::format("reserve {} bytes in", bytes), error);
    // So that pages can be dropped from memory before each move.
    if (::syncfs(donor.get()) != 0) return failed_call(folder_, "flush", errno);
    auto room = std::make_unique<Ext4Room>(std::move(donor), std::move(files), warn_);
    if (auto found = room->find_places(); !found) return std::unexpected(found.error());
    return room;
  }

 private:
  std::string folder_;
  Warn warn_;
};

}  // namespace

std::unique_ptr<Mover> make_ext4_mover(std::string folder, Mover::Warn warn) {
  return std::make_unique<Ext4Mover>(std::move(folder), std::move(warn));
}

}  // namespace seekless
