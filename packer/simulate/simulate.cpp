#include "packer/simulate/simulate.h"

#include <algorithm>
#include <optional>

#include "packer/host/runtime_error.h"
#include "packer/simulate/charged_file_io.h"
#include "runtime/pack_set.h"
#include "runtime/sweep.h"

namespace seekless {
namespace {

constexpr uint32_t kNotContent = UINT32_MAX;
// Enough for a pack of the largest blocks, compressed.
constexpr uint64_t kBudgetBytes = uint64_t{2} * format::kMaxBlockBytes;

LoadCost cost_of(const Drive& drive) {
  const Drive::Counters& counters = drive.counters();
  return {counters.bytes, counters.reads, counters.seeks, counters.busy_ms / 1000};
}

// The head is somewhere else when a load begins: half way in, where what went before left it.
void send_head_away(Drive& drive) {
  drive.read(drive.capacity_bytes() / 2, format::kPageBytes);
  drive.reset_counters();
}

// The content's files on the simulated drive.
Result<std::vector<uint32_t>> lay_out(const Content& content, PageCache& cache,
                                      std::vector<uint64_t>& positions) {
  std::vector<uint32_t> files;
  uint64_t position = 0;
  for (const Source& source : content.sources) {
    const auto file = cache.add_file(position, source.size_bytes);
    if (!file) return std::unexpected(file.error());
    files.push_back(*file);
    positions.push_back(position);
    position += format::round_up(source.size_bytes, format::kPageBytes);
  }
  return files;
}

}  // namespace

Result<void> BaselineReplay::fits(const Content& content, const DriveProfile& profile) {
  Drive drive(profile);
  PageCache cache(drive, {});
  std::vector<uint64_t> positions;
  const auto files = lay_out(content, cache, positions);
  if (!files) return std::unexpected(files.error());
  return {};
}

BaselineReplay::BaselineReplay(const Content& content, const DriveProfile& drive)
    : content_(content), locator_(content), drive_(drive) {}

void BaselineReplay::start_trace(std::string scenario) {
  trace_scenario_ = scenario_ = std::move(scenario);
  files_.clear();
}

Result<void> BaselineReplay::begin(const TraceHeader& header) {
  if (!header.scenario.empty()) trace_scenario_ = scenario_ = header.scenario;
  return {};
}

Result<void> BaselineReplay::add_path(std::string_view path) {
  files_.push_back(locator_.find_file(path).value_or(kNotContent));
  return {};
}

Result<void> BaselineReplay::add_event(const Event& event) {
  if (files_[event.path] == kNotContent) return {};
  events_.push_back(event);
  events_.back().path = files_[event.path];
  return {};
}

Result<void> BaselineReplay::add_mark(const Mark& mark) {
  finish_run();
  scenario_ = mark.begins ? mark.scenario : trace_scenario_;
  return {};
}

void BaselineReplay::finish_run() {
  std::vector<Event> events = std::exchange(events_, {});
  const bool reads =
      std::ranges::any_of(events, [](const Event& event) { return event.kind != EventKind::open; });
  if (reads) replay(events, runs_[scenario_].emplace_back());
}

void BaselineReplay::replay(std::vector<Event>& events, Simulated& into) {
  std::ranges::stable_sort(events, {}, &Event::start_ns);
  Drive drive(drive_);
  send_head_away(drive);
  PageCache cache(drive, {});
  std::vector<uint64_t> positions;
  const auto files = lay_out(content_, cache, positions);
  if (!files) return;  // the caller has asked fits()
  // Descriptors aren't in traces: each opening of a file starts its window anew.
  std::vector<std::optional<OpenFile>> open(files->size());
  for (const Event& event : events) {
    std::optional<OpenFile>& file = open[event.path];
    if (event.kind == EventKind::open || !file) file = cache.open((*files)[event.path]);
    if (event.kind == EventKind::open) continue;
    const double start_ms = drive.counters().busy_ms;
    if (cache.read(*file, event.offset_bytes, event.length_bytes) > 0)
      into.moves.push_back({start_ms / 1000, positions[event.path] + event.offset_bytes,
                            std::min(event.length_bytes, content_.sources[event.path].size_bytes)});
  }
  into.cost = cost_of(drive);
}

Result<SimulatedSweep> simulate_sweep(const std::string& folder, const std::string& scenario,
                                      const DriveProfile& profile) {
  SimulatedSweep result;
  Drive drive(profile);
  send_head_away(drive);
  const ChargedFileIo io(drive, [&](uint64_t position, uint64_t length, double ms) {
    result.simulated.moves.push_back({(drive.counters().busy_ms - ms) / 1000, position, length});
  });
  const auto set = runtime::PackSet::open(io, folder);
  if (!set) return from_runtime(set.error());
  const format::Scenario* found =
      (*set)->catalog() != nullptr ? (*set)->catalog()->find_scenario(scenario) : nullptr;
  if (found == nullptr)
    return failed({.file = folder,
                   .expected = "a pack set with scenario '" + scenario + "'",
                   .found = "none",
                   .advice = "plan and pack again with its trace"});
  runtime::BlockPool pool(kBudgetBytes);
  const auto sweep = runtime::Sweep::open(**set, found, pool);
  if (!sweep) return from_runtime(sweep.error());
  for (;;) {
    runtime::SweptPiece piece;
    const auto answer = (*sweep)->next(piece);
    if (!answer) return from_runtime(answer.error());
    if (*answer != SKL_OK) break;
    if (piece.buffer != nullptr) piece.buffer->release();
  }
  result.simulated.cost = cost_of(drive);
  result.assets = found->need_count;
  result.needed_bytes = found->needed_bytes;
  return result;
}

double bound_seconds(const DriveProfile& profile, uint64_t needed_bytes) {
  const Drive drive(profile);
  return (drive.average_access_ms() + drive.sweep_ms(0, needed_bytes)) / 1000;
}

}  // namespace seekless
