// Moves files within NTFS: FSCTL_MOVE_FILE copies clusters of a file to free ones, and then changes
// the file's list of clusters within the journal. So each cluster is always in one of the two
// places, and programs that read or write the file don't notice.
//
// NTFS has no call that reserves clusters. If another program takes one of them first, the rest of
// the file goes to another hole.
#include "packer/place/internal/ntfs_mover.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "packer/host/interrupt.h"
#include "packer/host/os_error.h"
#include "packer/place/internal/free_clusters.h"
#include "packer/place/internal/movers.h"

namespace seekless {
namespace {

// Checks for Ctrl-C after each part of this size.
constexpr uint64_t kBytesAtOnce = uint64_t{16} << 20;
// Tries this many other holes for one file.
constexpr int kMostOtherHoles = 3;
// NTFS refuses clusters that were freed since its last checkpoint. It makes one about every 5 s.
constexpr auto kCheckpoint = std::chrono::seconds(6);
constexpr auto kPause = std::chrono::milliseconds(100);  // after each, Ctrl-C is checked

struct OpenedVolume {
  std::unique_ptr<NtfsVolume> volume;
  NtfsLayout layout;
  FreeClusters free;
  bool has_waited = false;  // for a checkpoint, which makes all of `free` usable
};

// `from` is a cluster of the file, `to` one of the volume.
struct ClusterMove {
  uint64_t from = 0;
  uint64_t to = 0;
  uint64_t count = 0;
};

constexpr const char* kRestStays = "the rest of it stays where it is";

std::unexpected<Error> cannot_ask(const std::string& folder, const NtfsError& error) {
  if (error.os_error == EACCES)
    return failed({.file = folder,
                   .expected = "an administrator, since only these may see and move the clusters "
                               "of a drive",
                   .found = "another user",
                   .advice = "open the command prompt with 'Run as administrator'"});
  if (error.os_error == EINVAL || error.os_error == ENOTSUP)
    return failed({.file = folder,
                   .expected = "a drive of NTFS that can move files' clusters",
                   .found = "one that can't"});
  return failed({.file = folder,
                 .place = "cannot ask for the clusters of its drive",
                 .found = error.text,
                 .advice = advice_for_os_error(error.os_error)});
}

// Opens the volume, and asks for the first part of its bitmap, which only administrators get.
Result<OpenedVolume> open_volume(const std::string& folder, const OpenNtfsVolume& open) {
  auto volume = open();
  if (!volume) return cannot_ask(folder, volume.error());
  const auto layout = (*volume)->layout();
  if (!layout) return cannot_ask(folder, layout.error());
  if (layout->cluster_bytes == 0) return cannot_ask(folder, {EINVAL, "clusters without a size"});
  if (const auto part = (*volume)->bitmap(0); !part) return cannot_ask(folder, part.error());
  return OpenedVolume{*std::move(volume), *layout, {}};
}

// Returns the file's pieces in whole clusters of the file.
std::vector<ClusterRun> clusters_of(const FileExtents& file, uint64_t cluster_bytes) {
  std::vector<ClusterRun> runs;
  for (const Extent& piece : file.extents) {
    const uint64_t begin = piece.offset_bytes / cluster_bytes;
    const uint64_t end =
        (piece.offset_bytes + piece.length_bytes + cluster_bytes - 1) / cluster_bytes;
    runs.push_back({begin, end - begin});
  }
  return runs;
}

// Returns how many clusters these runs or moves have.
template <typename Run>
uint64_t count_of(const std::vector<Run>& runs) {
  return std::accumulate(runs.begin(), runs.end(), uint64_t{0},
                         [](uint64_t sum, const Run& run) { return sum + run.count; });
}

// Lays runs of a file's clusters one after the other into room on the volume, and uses up the room.
std::vector<ClusterMove> moves_into(std::vector<ClusterRun>& room,
                                    const std::vector<ClusterRun>& clusters) {
  std::vector<ClusterMove> moves;
  auto hole = room.begin();
  for (ClusterRun rest : clusters)
    while (rest.count > 0) {
      const uint64_t count = std::min(rest.count, hole->count);
      moves.push_back({rest.begin, hole->begin, count});
      rest = {rest.begin + count, rest.count - count};
      *hole = {hole->begin + count, hole->count - count};
      if (hole->count == 0) ++hole;
    }
  room.erase(room.begin(), hole);
  return moves;
}

// Returns why NTFS can't move such a file, or can move it only in units of 16 clusters.
const char* why_not_moved(const NtfsFile& file) {
  const NtfsAttributes& of = file.attributes();
  if (of.is_reparse_point) return "is a link, or is stored by another driver";
  if (of.is_compressed) return "is compressed";
  if (of.is_sparse) return "has holes";
  if (of.is_encrypted) return "is encrypted";
  // Windows hides that these are links to compressed data.
  if (!file.extents())
    return "has no clusters that Windows tells, as if 'compact /exe' had compressed it";
  return nullptr;
}

std::string cannot_open(const std::string& path, const NtfsError& error) {
  return fmt::format("{}: cannot open, found {}; {}", path, error.text, kStays);
}

class NtfsRoom final : public ReservedRoom {
 public:
  NtfsRoom(std::shared_ptr<OpenedVolume> opened, std::vector<FileExtents> files,
           const std::set<std::string>& staying, std::vector<ClusterRun> room, Mover::Warn warn)
      : opened_(std::move(opened)), files_(std::move(files)), warn_(std::move(warn)) {
    for (const FileExtents& file : files_) {
      stays_.push_back(staying.contains(file.path));
      if (stays_.back()) {
        moves_.emplace_back();
        places_.push_back(file.extents);
        continue;
      }
      moves_.push_back(moves_into(room, clusters_of(file, cluster_bytes())));
      FileExtents moved = {.path = file.path, .size_bytes = file.size_bytes};
      for (const ClusterMove& move : moves_.back())
        add_extent(
            {move.from * cluster_bytes(), move.to * cluster_bytes(), move.count * cluster_bytes()},
            moved);
      places_.push_back(std::move(moved.extents));
    }
  }
  NtfsRoom(const NtfsRoom&) = delete;
  NtfsRoom& operator=(const NtfsRoom&) = delete;
  ~NtfsRoom() override {
    for (const auto& moves : moves_) give_back(moves);
  }

  const std::vector<std::vector<Extent>>& places() const override { return places_; }

  Result<bool> move(size_t i) override {
    const FileExtents& file = files_[i];
    if (stays_[i]) return false;
    const auto opened = opened_->volume->open(file.path);
    if (!opened) return stays(warn_, cannot_open(file.path, opened.error()));
    const auto now = (*opened)->extents();
    if (!now) return stays(warn_, now.error().message);
    if (now->extents != file.extents || now->size_bytes != file.size_bytes)
      return stays(warn_, fmt::format("{}: is being written; {}", file.path, kStays));
    const uint64_t all = count_of(moves_[i]);
    const auto moved = move_all(**opened, moves_[i]);
    if (moved) return true;
    return not_moved(file.path, moved.error(), count_of(moves_[i]) == all ? kStays : kRestStays);
  }

 private:
  uint64_t cluster_bytes() const { return opened_->layout.cluster_bytes; }

  void give_back(const std::vector<ClusterMove>& moves) const {
    for (const ClusterMove& move : moves) opened_->free.give_back({move.to, move.count});
  }

  // Removes from `moves` what is done.
  NtfsResult<void> move_all(NtfsFile& file, std::vector<ClusterMove>& moves) const {
    for (int other_holes = 0; !moves.empty();) {
      stop_if_interrupted();
      ClusterMove& next = moves.front();
      const uint64_t count =
          std::min(next.count, std::max<uint64_t>(kBytesAtOnce / cluster_bytes(), 1));
      const auto moved = file.move(next.from, next.to, count);
      if (!moved && moved.error().os_error == EACCES) {
        if (waited_for_checkpoint()) continue;
        if (other_holes++ < kMostOtherHoles && take_other_hole(moves, count)) continue;
      }
      if (!moved) return moved;
      next = {next.from + count, next.to + count, next.count - count};
      if (next.count == 0) moves.erase(moves.begin());
    }
    return {};
  }

  // Waits once; returns false from then on.
  bool waited_for_checkpoint() const {
    if (std::exchange(opened_->has_waited, true)) return false;
    for (auto waited = kPause * 0; waited < kCheckpoint; waited += kPause) {
      stop_if_interrupted();
      opened_->volume->pause(kPause);
    }
    return true;
  }

  // Replaces the targets of `moves`. The first `refused` clusters are no longer taken for free.
  // Returns false if there isn't enough other room.
  bool take_other_hole(std::vector<ClusterMove>& moves, uint64_t refused) const {
    std::vector<ClusterRun> clusters;
    for (const ClusterMove& move : moves) clusters.push_back({move.from, move.count});
    auto room = opened_->free.take(count_of(clusters));
    if (!room) return false;
    moves.front() = {moves.front().from, moves.front().to + refused, moves.front().count - refused};
    give_back(moves);
    moves = moves_into(*room, clusters);
    return true;
  }

  // Returns what move() returns after the system has refused to move clusters.
  Result<bool> not_moved(const std::string& path, const NtfsError& error,
                         const char* stays_text) const {
    switch (error.os_error) {
      case ENOSPC:
      case EIO:
      case EROFS:
        return failed({.file = path,
                       .place = "cannot move",
                       .found = error.text,
                       .advice = "its bytes are as they were"});
      case EACCES:
        return stays(warn_,
                     fmt::format("{}: Windows doesn't let it be moved now: it is held in its "
                                 "place, or others take the free room first; {}",
                                 path, stays_text));
      default:
        return stays(warn_,
                     fmt::format("{}: cannot move, found {}; {}", path, error.text, stays_text));
    }
  }

  std::shared_ptr<OpenedVolume> opened_;
  std::vector<FileExtents> files_;
  std::vector<bool> stays_;                      // for a reason that was told
  std::vector<std::vector<ClusterMove>> moves_;  // of each file, those still to make
  std::vector<std::vector<Extent>> places_;
  Mover::Warn warn_;
};

class NtfsReserver {
 public:
  NtfsReserver(std::string folder, OpenNtfsVolume open, Mover::Warn warn)
      : folder_(std::move(folder)), open_(std::move(open)), warn_(std::move(warn)) {}

  Result<std::unique_ptr<ReservedRoom>> reserve(std::vector<FileExtents> files) {
    auto opened = opened_.lock();
    if (!opened) {
      SKL_TRY(auto volume, open_volume(folder_, open_));
      opened = std::make_shared<OpenedVolume>(std::move(volume));
      // To try whether this user may move files, one part of the bitmap is enough.
      if (files.empty()) return std::make_unique<NtfsRoom>(opened, files, staying_, Runs(), warn_);
      auto free = FreeClusters::read(*opened->volume, opened->layout);
      if (!free) return cannot_ask(folder_, free.error());
      opened->free = *std::move(free);
      opened_ = opened;
    }
    uint64_t needed = 0;
    for (const FileExtents& file : files)
      if (can_move(*opened->volume, file.path))
        needed += count_of(clusters_of(file, opened->layout.cluster_bytes));
    auto room = opened->free.take(needed);
    if (!room)
      return failed({.file = folder_,
                     .expected = fmt::format("{} free clusters outside of the room that NTFS keeps "
                                             "for its table of files",
                                             needed),
                     .found = std::to_string(opened->free.count()),
                     .advice = "free some room on the drive"});
    return std::make_unique<NtfsRoom>(std::move(opened), std::move(files), staying_,
                                      *std::move(room), warn_);
  }

  bool has_rooms() const { return !opened_.expired(); }

 private:
  using Runs = std::vector<ClusterRun>;

  // Looks at each file once, and warns of those that stay.
  bool can_move(NtfsVolume& volume, const std::string& path) {
    if (!looked_at_.insert(path).second) return !staying_.contains(path);
    const auto opened = volume.open(path);
    const char* const why = opened ? why_not_moved(**opened) : nullptr;
    if (opened && why == nullptr) return true;
    staying_.insert(path);
    warn_(why != nullptr ? fmt::format("{}: {}; {}", path, why, kStays)
                         : cannot_open(path, opened.error()));
    return false;
  }

  std::string folder_;
  OpenNtfsVolume open_;
  Mover::Warn warn_;
  std::set<std::string> looked_at_;
  std::set<std::string> staying_;
  // As long as rooms live, they share what is free. Without any, the bitmap is read anew, since
  // moves and other programs have changed it.
  std::weak_ptr<OpenedVolume> opened_;
};

}  // namespace

Mover make_ntfs_mover(std::string folder, OpenNtfsVolume open, Mover::Warn warn) {
  auto reserver =
      std::make_shared<NtfsReserver>(std::move(folder), std::move(open), std::move(warn));
  return {.way = "moved within NTFS", .reserve = [reserver](std::vector<FileExtents> files) {
            return reserver->reserve(std::move(files));
          }};
}

FindRoom make_ntfs_room_finder(std::string folder, OpenNtfsVolume open, Mover::Warn warn) {
  const auto reserver = std::make_shared<NtfsReserver>(std::move(folder), std::move(open), warn);
  return [reserver, warn, has_told = false](
             const std::vector<FileExtents>& files) mutable -> Result<std::unique_ptr<FoundRoom>> {
    const bool has_rooms = reserver->has_rooms();
    auto room = reserver->reserve(files);
    if (!room && !has_rooms && !std::exchange(has_told, true))
      warn(room.error().message + "; until then this assumes free room in one piece");
    return room;
  };
}

}  // namespace seekless
