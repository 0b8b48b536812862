// Simulates a run's reads of files that lie in pieces on their drive. Takes recorded events and the
// files' real places; counts the drive's work.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "packer/base/error.h"
#include "packer/drive/drive.h"
#include "packer/drive/file_finder.h"
#include "packer/drive/load_cost.h"
#include "packer/drive/page_cache.h"
#include "packer/drive/profile.h"
#include "packer/drive/read_ahead.h"
#include "packer/prove/internal/fetched_range.h"
#include "packer/simulate/lying_files.h"
#include "packer/trace/event.h"

namespace seekless {

struct PiecesOptions {
  // If given, files are found in their folders first. It must outlive the run.
  const FolderPlaces* folders = nullptr;
  Drive::Turn turn = Drive::Turn::exact;
  std::optional<uint64_t> head_bytes = {};  // where the head is at first; none means far away
  bool keeps_moves = false;                 // needed for pictures
};

// Reads parts of files at their places, without any cache of the system.
class PiecesOnDrive {
 public:
  // `places` must outlive it.
  PiecesOnDrive(const DriveProfile& profile, const FilePlaces& places,
                const PiecesOptions& options);

  void read(const FetchedRange& range);

  Drive& drive() { return drive_; }
  LoadCost cost() const;
  const std::vector<HeadMove>& moves() const { return moves_; }

 private:
  Drive drive_;
  const FilePlaces& places_;
  bool keeps_moves_;
  std::vector<HeadMove> moves_;
};

// The page cache model expects files in one piece. So it sees them one after the other, and its
// requests to the drive are then translated to the real pieces.
class RunOnPieces {
 public:
  // `places` must outlive it.
  RunOnPieces(const DriveProfile& profile, const ReadAhead& read_ahead, const FilePlaces& places,
              const PiecesOptions& options);

  // Event::path is an index in the places. Fails if the files are larger than the drive.
  Result<void> add(const Event& event);

  LoadCost cost() const { return pieces_.cost(); }
  const std::vector<HeadMove>& moves() const { return pieces_.moves(); }
  // Returns what was fetched, in order.
  const std::vector<FetchedRange>& fetched() const { return fetched_; }

 private:
  void read(const DriveRead& miss);

  PiecesOnDrive pieces_;
  PageCache cache_;
  std::vector<std::optional<std::pair<uint32_t, CachedFile>>> opened_;  // indexed by file
  const FolderPlaces no_folders_;
  const bool finds_files_;
  FileFinder finder_;
  const FilePlaces& places_;
  std::vector<uint64_t> begins_;
  std::vector<uint32_t> files_;
  std::vector<FetchedRange> fetched_;
  uint64_t next_ = 0;
};

}  // namespace seekless
