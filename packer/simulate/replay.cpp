#include "packer/simulate/replay.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <unordered_map>
#include <utility>

#include "packer/content/read_coverage.h"
#include "packer/drive/command_queue.h"
#include "packer/drive/page_cache.h"
#include "packer/simulate/internal/searching_events.h"

namespace seekless {
namespace {

constexpr uint32_t kNoEvent = UINT32_MAX;

// A recorder that stops the program at each call adds this much to the time between two of them.
constexpr int64_t kRecorderNs = 50'000;

// Computes how long no thread was reading before each event. If a read's duration
// wasn't recorded, the read is taken to end when it begins. So a pause may be too long but not too
// short, which makes the predicted gain smaller.
class Pauses {
 public:
  explicit Pauses(bool is_slowed) : recorder_ns_(is_slowed ? kRecorderNs : 0) {}

  double before_ms(const Event& event) {
    const int64_t from_ns = ended_ns_.value_or(event.start_ns) + recorder_ns_;
    const int64_t end_ns = event.start_ns + std::max<int64_t>(event.duration_ns, 0);
    ended_ns_ = std::max(ended_ns_.value_or(end_ns), end_ns);
    return static_cast<double>(std::max<int64_t>(event.start_ns - from_ns, 0)) / 1e6;
  }

 private:
  const int64_t recorder_ns_;
  std::optional<int64_t> ended_ns_;
};

// Simulates one run on one drive.
class RunOnDrive {
 public:
  RunOnDrive(const DriveProfile& drive, const LyingFiles& lying, const SimulationOptions& options,
             std::span<const Event> events, SimulatedLoad& into)
      : options_(options),
        events_(events),
        lying_(lying),
        drive_(drive),
        cache_(drive_, options.read_ahead),
        finder_(lying.folders),
        number_of_(lying.size(), kNotRead),
        into_(into) {
    for (const Event& event : events) {
      if (number_of_[event.path] != kNotRead) continue;
      number_of_[event.path] = static_cast<uint32_t>(open_.size());
      open_.emplace_back();
      const FileExtents& file = lying.place_of(event.path, scratch_);
      cache_.add_file(file.extents, file.size_bytes);
    }
    send_head_away(drive_);
  }

  void run(bool is_slowed) {
    if (options_.queue_depth > 1)
      run_queued();
    else
      run_one_by_one(Pauses(is_slowed));
    into_.cost = cost_of(drive_);
  }

  double bound_seconds(std::span<const DriveRead> needed) const {
    return bound_seconds_of(drive_, needed);
  }

 private:
  struct IssuedCommand {
    uint32_t thread;
    DriveRead read;
  };

  void run_one_by_one(Pauses pauses) {
    for (const Event& event : events_) {
      if (options_.has_pauses) drive_.wait(pauses.before_ms(event));
      for (const DriveRead& miss : ask(event))
        note(miss, drive_.read(miss.position_bytes, miss.length_bytes));
    }
  }

  // Traces have no descriptors, so each opening of a file starts its read-ahead again.
  std::span<const DriveRead> ask(const Event& event) {
    const uint32_t number = number_of_[event.path];
    std::optional<CachedFile>& file = open_[number];
    if (!file) finder_.find(lying_.place_of(event.path, scratch_), drive_);
    if (event.kind == EventKind::open || !file) file = cache_.open(number);
    if (event.kind == EventKind::open) return {};
    finder_.map(lying_.place_of(event.path, scratch_), event.offset_bytes, event.length_bytes,
                drive_);
    if (event.kind == EventKind::map)
      return cache_.faults(*file, event.offset_bytes, event.length_bytes);
    return cache_.misses(*file, event.offset_bytes, event.length_bytes);
  }

  void note(const DriveRead& read, double ms) {
    if (options_.keeps_moves)
      into_.moves.push_back(
          {(drive_.counters().busy_ms - ms) / 1000, read.position_bytes, read.length_bytes});
  }

  // Gives each event its thread, numbered by its first event, and links it to the thread's next
  // event.
  uint32_t chain_threads() {
    std::unordered_map<uint64_t, uint32_t> numbers;
    std::vector<uint32_t> last;
    thread_of_.resize(events_.size());
    next_of_.assign(events_.size(), kNoEvent);
    for (uint32_t i = 0; i < events_.size(); ++i) {
      const uint64_t id = (uint64_t{events_[i].process} << 32) | events_[i].thread;
      const auto [known, is_new] = numbers.emplace(id, static_cast<uint32_t>(numbers.size()));
      thread_of_[i] = known->second;
      if (is_new)
        last.push_back(kNoEvent);
      else
        next_of_[last[known->second]] = i;
      last[known->second] = i;
    }
    return static_cast<uint32_t>(last.size());
  }

  void run_queued() {
    const uint32_t threads = chain_threads();
    std::vector<uint32_t> left(threads, 0);  // number of each thread's waiting commands
    std::vector<uint32_t> current(threads, kNoEvent);
    std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
    for (uint32_t i = 0; i < events_.size(); ++i)
      if (std::exchange(current[thread_of_[i]], i) == kNoEvent) ready.push(i);
    CommandQueue queue(drive_, options_.queue_depth);
    std::vector<IssuedCommand> commands;
    uint32_t waiting_threads = 0;
    const auto go_on = [&](uint32_t event) {
      if (next_of_[event] != kNoEvent) ready.push(next_of_[event]);
    };
    while (!ready.empty() || waiting_threads > 0) {
      if (!ready.empty() && waiting_threads < options_.queue_depth) {
        const uint32_t event = ready.top();
        ready.pop();
        const uint32_t thread = thread_of_[event];
        current[thread] = event;
        for (const DriveRead& miss : ask(events_[event])) {
          queue.submit(commands.size(), miss.position_bytes, miss.length_bytes);
          commands.push_back({thread, miss});
          ++left[thread];
        }
        if (left[thread] > 0)
          ++waiting_threads;
        else
          go_on(event);
        continue;
      }
      const auto served = queue.serve_next();
      const IssuedCommand& command = commands[served->id];
      note(command.read, served->busy_ms);
      if (--left[command.thread] > 0) continue;
      --waiting_threads;
      go_on(current[command.thread]);
    }
  }

  const SimulationOptions& options_;
  const std::span<const Event> events_;
  const LyingFiles& lying_;
  FileExtents scratch_;
  Drive drive_;
  PageCache cache_;
  FileFinder finder_;
  static constexpr uint32_t kNotRead = UINT32_MAX;
  // Maps a source of the content to its number among the few files that a run reads.
  std::vector<uint32_t> number_of_;
  std::vector<std::optional<CachedFile>> open_;
  SimulatedLoad& into_;
  std::vector<uint32_t> thread_of_;
  std::vector<uint32_t> next_of_;
};

// Lets the page cache read files as if they lay one after the other, and splits its requests by
// file.
class Requests {
 public:
  Requests(std::span<const uint64_t> file_bytes, const ReadAhead& read_ahead)
      : file_bytes_(file_bytes),
        drive_({.name = "", .hardware = SolidState{.latency_ms = 0, .bytes_per_s = 1e9}}),
        cache_(drive_, read_ahead) {}

  void add(const Event& event) {
    const auto [known, is_new] = open_.try_emplace(event.path);
    RequestedFile& file = known->second;
    if (is_new) {
      const auto number = cache_.add_file(next_bytes_, file_bytes_[event.path]);
      if (!number) return;
      file = {*number, next_bytes_, cache_.open(*number)};
      next_bytes_ += whole_pages(file_bytes_[event.path]);
    }
    if (!file.cached) return;  // the files together are larger than any drive
    if (event.kind == EventKind::open) {
      file.cached = cache_.open(file.number);
      return;
    }
    const auto misses = event.kind == EventKind::map
                            ? cache_.faults(*file.cached, event.offset_bytes, event.length_bytes)
                            : cache_.misses(*file.cached, event.offset_bytes, event.length_bytes);
    for (const DriveRead& miss : misses)
      ranges_.push_back({event.path, miss.position_bytes - file.begin_bytes, miss.length_bytes});
  }

  std::vector<RequestedRange> take() { return std::move(ranges_); }

 private:
  struct RequestedFile {
    uint32_t number = 0;
    uint64_t begin_bytes = 0;
    std::optional<CachedFile> cached = {};
  };

  std::span<const uint64_t> file_bytes_;
  Drive drive_;
  PageCache cache_;
  std::unordered_map<uint32_t, RequestedFile> open_;
  uint64_t next_bytes_ = 0;
  std::vector<RequestedRange> ranges_;
};

struct NeededExtent {
  uint32_t file;
  uint64_t begin_bytes;
  uint64_t end_bytes;
};

// Returns the ranges that the events read of each file, each byte once. No event may reach
// past its file's end.
std::vector<NeededExtent> needed_extents(std::span<const Event> events) {
  std::vector<NeededExtent> extents;
  for (const Event& event : events) {
    if (event.kind == EventKind::open || event.length_bytes == 0) continue;
    const uint64_t end = event.offset_bytes + event.length_bytes;
    if (!extents.empty() && extents.back().file == event.path &&
        extents.back().end_bytes == event.offset_bytes)
      extents.back().end_bytes = end;
    else
      extents.push_back({event.path, event.offset_bytes, end});
  }
  std::ranges::sort(extents, [](const NeededExtent& a, const NeededExtent& b) {
    return std::pair(a.file, a.begin_bytes) < std::pair(b.file, b.begin_bytes);
  });
  size_t kept = 0;
  for (const NeededExtent& extent : extents) {
    if (kept > 0 && extents[kept - 1].file == extent.file &&
        extent.begin_bytes <= extents[kept - 1].end_bytes)
      extents[kept - 1].end_bytes = std::max(extents[kept - 1].end_bytes, extent.end_bytes);
    else
      extents[kept++] = extent;
  }
  extents.resize(kept);
  return extents;
}

bool reads_bytes(std::span<const Event> events) {
  return std::ranges::any_of(events, [](const Event& event) {
    return event.kind != EventKind::open && event.length_bytes > 0;
  });
}

// Returns the assets that reads are meant for, as in profiles; assets that a read only spills into,
// or that a search for the directory covers, don't count.
std::vector<uint32_t> assets_in_order(const Content& content, const Locator& locator,
                                      std::span<const Event> events) {
  std::vector<uint32_t> order;
  std::unordered_map<uint32_t, ReadCoverage> coverage;
  const std::vector<bool> is_search = searching_events(content, events);
  for (size_t number = 0; number < events.size(); ++number) {
    const Event& event = events[number];
    if (event.kind == EventKind::open || is_search[number]) continue;
    locator.touched(event.path, event.offset_bytes, event.length_bytes, [&](const Touch& touch) {
      if (touch.part != TouchedPart::data) return;
      ReadCoverage& of = coverage[touch.index];
      if (of.is_meant()) return;
      of.add(content.assets[touch.index].place, {event.offset_bytes, event.length_bytes},
             {touch.offset_bytes, touch.length_bytes});
      if (of.is_meant()) order.push_back(touch.index);
    });
  }
  return order;
}

}  // namespace

SimulatedLoad load_of(std::span<const Event> events, const DriveProfile& drive,
                      const LyingFiles& lying, const SimulationOptions& options, bool is_slowed) {
  SimulatedLoad load;
  std::vector<DriveRead> places;
  FileExtents scratch;
  for (const NeededExtent& extent : needed_extents(events)) {
    load.needed_bytes += extent.end_bytes - extent.begin_bytes;
    for_each_piece(lying.place_of(extent.file, scratch).extents, extent.begin_bytes,
                   extent.end_bytes, [&](const Extent& piece, size_t) {
                     places.push_back({piece.place_bytes, piece.length_bytes});
                   });
  }
  RunOnDrive on_drive(drive, lying, options, events, load);
  on_drive.run(is_slowed);
  load.bound_seconds = on_drive.bound_seconds(places);
  load.swept_seconds = swept_seconds_of(Drive(drive), std::move(places));
  return load;
}

std::vector<RequestedRange> requested_ranges(std::span<const Event> events,
                                             std::span<const uint64_t> file_bytes,
                                             const ReadAhead& read_ahead) {
  Requests requests(file_bytes, read_ahead);
  for (const Event& event : events) requests.add(event);
  return requests.take();
}

std::vector<FileToPlace> files_of(const Content& content, const MovedContent& moved) {
  std::vector<FileToPlace> files;
  files.reserve(content.sources.size());
  for (uint32_t i = 0; i < content.sources.size(); ++i)
    files.push_back({std::string(content.sources[i].path), moved_size_bytes(content, moved, i)});
  for (size_t i = content.sources.size(); i < moved.size(); ++i)
    files.push_back({moved[i].added_path, moved[i].size_bytes});
  return files;
}

BaselineReplay::BaselineReplay(const Content& content, std::vector<ReplayDrive> drives,
                               const SimulationOptions& options, MovedContent moved)
    : ContentRuns(content),
      drives_(std::move(drives)),
      options_(options),
      moved_(std::move(moved)) {}

void BaselineReplay::replay(const ContentRun& recorded) {
  knows_sizes_ = knows_sizes_ || recorded.knows_sizes;
  std::vector<Event> elsewhere;
  if (!moved_.empty()) elsewhere = moved_reads(content_, locator_, moved_, recorded.events);
  const std::vector<Event>& events = moved_.empty() ? recorded.events : elsewhere;
  if (!reads_bytes(events)) return;
  ReplayedRun& run = runs_[recorded.scenario].emplace_back();
  run.id = recorded.id;
  run.assets = assets_in_order(content_, locator_, recorded.events);
  run.besides_seconds = recorded.besides_seconds;
  run.is_slowed = recorded.is_slowed;
  for (const ReplayDrive& drive : drives_)
    run.loads.push_back(load_of(events, drive.profile, drive.lying, options_, recorded.is_slowed));
}

const ReplayedRun& median_run(const std::vector<ReplayedRun>& runs, size_t drive) {
  std::vector<const ReplayedRun*> sorted;
  for (const ReplayedRun& run : runs) sorted.push_back(&run);
  std::ranges::stable_sort(sorted, {},
                           [&](const ReplayedRun* run) { return run->loads[drive].cost.seconds; });
  return *sorted[(sorted.size() - 1) / 2];
}

const SimulatedLoad& median(const std::vector<const SimulatedLoad*>& loads) {
  std::vector<const SimulatedLoad*> sorted = loads;
  std::ranges::stable_sort(sorted, {},
                           [](const SimulatedLoad* load) { return load->cost.seconds; });
  return *sorted[(sorted.size() - 1) / 2];
}

}  // namespace seekless
