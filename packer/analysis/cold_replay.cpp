#include "packer/analysis/cold_replay.h"

#include <algorithm>
#include <unordered_map>

#include "packer/analysis/sum.h"
#include "packer/drive/drive.h"
#include "packer/simulate/simulate.h"

namespace seekless {
namespace {

uint64_t round_up_to_page(uint64_t bytes) {
  return bytes / kPageBytes * kPageBytes + (bytes % kPageBytes == 0 ? 0 : kPageBytes);
}

}  // namespace

// A drive and the system before it, with nothing in memory.
struct ColdReplay::Machine {
  struct File {
    uint32_t number;  // in the cache
    OpenFile open;
  };

  explicit Machine(const DriveProfile& profile) : drive(profile), cache(drive, {}) {
    // The head is somewhere else when a load begins: half way in.
    drive.read(drive.capacity_bytes() / 2, kPageBytes);
    drive.reset_counters();
  }

  Drive drive;
  PageCache cache;
  std::unordered_map<uint32_t, File> files;  // those that were read so far, by place in files_
  bool has_events = false;
  bool has_reads = false;
  std::optional<uint64_t> last_end_bytes;
  uint64_t travel_bytes = 0;
};

ColdReplay::ColdReplay(const DriveProfile& drive) : profile_(drive) {}

ColdReplay::~ColdReplay() = default;

Result<std::unique_ptr<ColdReplay>> ColdReplay::create(const DriveProfile& drive,
                                                       const KnownContent* content,
                                                       const std::vector<TracePath>& paths) {
  std::unique_ptr<ColdReplay> replay(new ColdReplay(drive));
  uint64_t position = 0;
  const auto lay = [&](uint64_t size_bytes) {
    replay->files_.push_back({position, size_bytes});
    add_to(position, round_up_to_page(size_bytes));
  };
  if (content != nullptr) {
    for (const Source& source : content->content.sources) lay(source.size_bytes);
    for (const TracePath& path : paths)
      replay->file_of_path_.push_back(path.source.value_or(kNowhere));
  } else {
    for (const TracePath& path : paths) {
      replay->file_of_path_.push_back(static_cast<uint32_t>(replay->files_.size()));
      lay(path.end_bytes);
    }
  }
  const uint64_t capacity = Drive(drive).capacity_bytes();
  if (position > capacity)
    return failed(
        {.expected = "files that fit on the drive " + drive.name,
         .found = std::to_string(position) + " bytes of them, as far as the trace reads"});
  return replay;
}

void ColdReplay::begin_run(const std::string&, std::optional<int64_t>) {
  machine_ = std::make_unique<Machine>(profile_);
}

void ColdReplay::add_event(const Event& event) {
  machine_->has_events = true;
  // A trace may have grown since the first pass.
  if (event.path >= file_of_path_.size() || file_of_path_[event.path] == kNowhere) return;
  const uint32_t place = file_of_path_[event.path];
  const Lying& lying = files_[place];
  if (event.kind == EventKind::map || lying.size_bytes == 0) return;
  auto file = machine_->files.find(place);
  if (file == machine_->files.end()) {
    const auto number = machine_->cache.add_file(lying.position_bytes, lying.size_bytes);
    if (!number) return;  // can't be: create() has seen to it
    file =
        machine_->files.emplace(place, Machine::File{*number, machine_->cache.open(*number)}).first;
  }
  // Descriptors aren't in traces: each opening of a file starts its read-ahead anew.
  if (event.kind == EventKind::open) {
    if (event.os_error == 0) file->second.open = machine_->cache.open(file->second.number);
    return;
  }
  if (event.length_bytes == 0 || event.offset_bytes >= lying.size_bytes) return;
  machine_->has_reads = true;
  const uint64_t length = std::min(event.length_bytes, lying.size_bytes - event.offset_bytes);
  const uint64_t begin = lying.position_bytes + event.offset_bytes;
  const uint64_t from = machine_->last_end_bytes.value_or(begin);
  add_to(machine_->travel_bytes, from < begin ? begin - from : from - begin);
  machine_->last_end_bytes = begin + length;
  machine_->cache.read(file->second.open, event.offset_bytes, length);
}

void ColdReplay::end_run(std::optional<int64_t>) {
  if (machine_->has_events) {
    const Drive::Counters& counters = machine_->drive.counters();
    costs_.emplace_back();
    if (machine_->has_reads)
      costs_.back() = {counters.bytes, counters.reads, counters.seeks, counters.busy_ms / 1000};
    travels_bytes_.push_back(machine_->travel_bytes);
  }
  machine_ = nullptr;
}

void add_cold_figures(const ColdReplay& replay, const DriveProfile& drive,
                      std::vector<RunFigures>& runs) {
  const size_t count = std::min(runs.size(), replay.costs().size());
  for (size_t i = 0; i < count; ++i) {
    RunFigures& run = runs[i];
    if (!replay.costs()[i]) continue;
    const uint64_t needed = run.content ? run.content->needed_bytes : run.needed_bytes;
    run.cold = {.cost = *replay.costs()[i],
                .travel_bytes = replay.travels_bytes()[i],
                .bound_seconds = bound_seconds(drive, needed)};
  }
}

}  // namespace seekless
