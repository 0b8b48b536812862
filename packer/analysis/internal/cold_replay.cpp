#include "packer/analysis/internal/cold_replay.h"

#include <algorithm>
#include <unordered_map>

#include "packer/analysis/internal/byte_set.h"
#include "packer/analysis/sum.h"
#include "packer/drive/drive.h"
#include "packer/simulate/simulated.h"

namespace seekless {
namespace {

uint64_t round_up_to_page(uint64_t bytes) {
  return bytes / kPageBytes * kPageBytes + (bytes % kPageBytes == 0 ? 0 : kPageBytes);
}

// Returns where a file lies if files lie all over the drive. Steps of the golden ratio spread any
// number of files evenly, and put neighbours far apart.
uint64_t scattered_position(size_t number, uint64_t room_bytes) {
  constexpr double kGoldenRatio = 0.6180339887498949;
  const double turns = static_cast<double>(number + 1) * kGoldenRatio;
  const double share = turns - static_cast<double>(static_cast<uint64_t>(turns));
  return static_cast<uint64_t>(share * static_cast<double>(room_bytes)) / kPageBytes * kPageBytes;
}

}  // namespace

// A drive and the operating system that reads it, with an empty page cache.
class ColdReplay::Machine {
 public:
  explicit Machine(const DriveProfile& profile) : drive_(profile), cache_(drive_, {}) {
    send_head_away(drive_);
  }

  void replay(const Event& event, uint32_t file_number, uint64_t position_bytes,
              uint64_t size_bytes) {
    auto file = files_.find(file_number);
    if (file == files_.end()) {
      const auto number = cache_.add_file(position_bytes, size_bytes);
      if (!number) return;  // never, because create() has checked the path
      file = files_.emplace(file_number, ReplayedFile{*number, cache_.open(*number)}).first;
    }
    // Descriptors aren't in traces, so each opening of a file restarts its read-ahead.
    if (event.kind == EventKind::open)
      file->second.open = cache_.open(file->second.number);
    else
      cache_.read(file->second.open, event.offset_bytes, event.length_bytes);
  }

  LoadCost cost() const { return cost_of(drive_); }

 private:
  struct ReplayedFile {
    uint32_t number;  // number in the cache
    CachedFile open;
  };

  Drive drive_;
  PageCache cache_;
  std::unordered_map<uint32_t, ReplayedFile>
      files_;  // files read so far, by index in ColdReplay::files_
};

struct ColdReplay::Run {
  explicit Run(const DriveProfile& profile) : side_by_side(profile), scattered(profile) {}

  void travel(uint64_t begin, uint64_t end) {
    const uint64_t from = last_end_bytes.value_or(begin);
    add_to(travel_bytes, from < begin ? begin - from : from - begin);
    last_end_bytes = end;
  }

  Machine side_by_side;
  Machine scattered;
  bool has_events = false;
  std::optional<uint64_t> last_end_bytes;  // empty before the first read
  uint64_t travel_bytes = 0;
  std::unordered_map<uint32_t, ByteSet> needed;  // indexed by index in ColdReplay::files_
};

ColdReplay::ColdReplay(const DriveProfile& drive) : profile_(drive) {}

ColdReplay::~ColdReplay() = default;

Result<std::unique_ptr<ColdReplay>> ColdReplay::create(const DriveProfile& drive,
                                                       const KnownContent* content,
                                                       const std::vector<TracePath>& paths) {
  std::unique_ptr<ColdReplay> replay(new ColdReplay(drive));
  const uint64_t capacity = Drive(drive).capacity_bytes();
  uint64_t position = 0;
  const auto lay = [&](uint64_t size_bytes, bool is_archive) {
    const uint64_t room = capacity - std::min(capacity, size_bytes);
    const uint64_t scattered = scattered_position(replay->files_.size(), room);
    replay->files_.push_back({position, scattered, size_bytes, is_archive});
    add_to(position, round_up_to_page(size_bytes));
  };
  if (content != nullptr) {
    for (const Source& source : content->content.sources)
      lay(source.size_bytes, source.is_archive());
    for (const TracePath& path : paths)
      replay->file_of_path_.push_back(path.source.value_or(kNowhere));
  } else {
    for (const TracePath& path : paths) {
      replay->file_of_path_.push_back(static_cast<uint32_t>(replay->files_.size()));
      lay(path.end_bytes, false);
    }
  }
  if (position > capacity)
    return failed(
        {.expected = "files that fit on the drive " + drive.name,
         .found = std::to_string(position) + " bytes of them, as far as the trace reads"});
  return replay;
}

void ColdReplay::begin_run(const std::string&, std::optional<int64_t>) {
  run_ = std::make_unique<Run>(profile_);
}

void ColdReplay::add_event(const Event& event) {
  run_->has_events = true;
  // A trace may have grown since the first pass.
  if (event.path >= file_of_path_.size() || file_of_path_[event.path] == kNowhere) return;
  const uint32_t number = file_of_path_[event.path];
  const ReplayedPlace& lying = files_[number];
  if (event.kind == EventKind::map || event.os_error != 0 || lying.size_bytes == 0) return;
  Event inside = event;
  if (event.kind == EventKind::read) {
    if (event.length_bytes == 0 || event.offset_bytes >= lying.size_bytes) return;
    if (event.length_bytes == kWholeFile && lying.is_archive) return;
    inside.length_bytes = std::min(event.length_bytes, lying.size_bytes - event.offset_bytes);
    const uint64_t begin = lying.position_bytes + event.offset_bytes;
    run_->travel(begin, begin + inside.length_bytes);
    run_->needed[number].add(event.offset_bytes, inside.length_bytes);
  }
  run_->side_by_side.replay(inside, number, lying.position_bytes, lying.size_bytes);
  run_->scattered.replay(inside, number, lying.scattered_bytes, lying.size_bytes);
}

// The needed bytes of a file count as if they lay at its front.
double ColdReplay::bound_seconds(uint64_t ReplayedPlace::*position_bytes) const {
  std::vector<DriveRead> places;
  for (const auto& [number, needed] : run_->needed)
    places.push_back({files_[number].*position_bytes, needed.size_bytes()});
  std::ranges::sort(places, {}, &DriveRead::position_bytes);
  return bound_seconds_of(Drive(profile_), places);
}

void ColdReplay::end_run(std::optional<int64_t>) {
  if (run_->has_events) {
    figures_.emplace_back();
    if (run_->last_end_bytes)
      figures_.back() = {.cost = run_->side_by_side.cost(),
                         .scattered = run_->scattered.cost(),
                         .travel_bytes = run_->travel_bytes,
                         .bound_seconds = bound_seconds(&ReplayedPlace::position_bytes),
                         .scattered_bound_seconds = bound_seconds(&ReplayedPlace::scattered_bytes)};
  }
  run_ = nullptr;
}

void add_cold_figures(const ColdReplay& replay, std::vector<RunFigures>& runs) {
  const size_t count = std::min(runs.size(), replay.figures().size());
  for (size_t i = 0; i < count; ++i) runs[i].cold = replay.figures()[i];
}

}  // namespace seekless
