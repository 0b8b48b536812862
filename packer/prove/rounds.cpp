#include "packer/prove/rounds.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "packer/host/first_in_line.h"
#include "packer/host/interrupt.h"
#include "packer/prove/internal/cold_files.h"
#include "packer/prove/internal/timed_sweep.h"
#include "packer/words/counted.h"

namespace seekless {
namespace {

constexpr uint64_t kParkedBytes = 4096;
constexpr uint64_t kParkStepBytes = uint64_t{4} << 20;
constexpr uint64_t kParkSteps = 61;
// During such a pause, other programs' use of the disk shows. All pauses together take a few
// seconds.
constexpr auto kWatched = std::chrono::milliseconds(150);

class OtherUseWatch {
 public:
  OtherUseWatch(const std::optional<HostDevice>& device, OtherUse& use)
      : device_(device), use_(use) {}

  // Watches the disk while nothing is measured.
  void watch_idle() {
    const auto before = counters();
    const auto begin = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(kWatched);
    const auto after = counters();
    if (!before || !after) return;
    use_.is_known = true;
    use_.watched_s +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    use_.busy_s += static_cast<double>(after->busy_ms - before->busy_ms) / 1e3;
    use_.requests += after->requests - before->requests;
  }

  void begin_load() {
    counters_before_ = counters();
    own_before_ = own_read_bytes();
  }

  // Returns the seconds for which the disk was busy since the load began, if the system counts
  // them.
  std::optional<double> end_load() {
    const auto after = counters();
    if (!after || !counters_before_) return std::nullopt;
    add_bytes(*after);
    return static_cast<double>(after->busy_ms - counters_before_->busy_ms) / 1e3;
  }

 private:
  void add_bytes(const HostCounters& after) {
    const auto own = own_read_bytes();
    if (!own || !own_before_) return;
    const uint64_t ours = *own - *own_before_;
    const uint64_t all = after.read_bytes - counters_before_->read_bytes +
                         (after.written_bytes - counters_before_->written_bytes);
    use_.loaded_bytes += ours;
    use_.other_bytes += all > ours ? all - ours : 0;
  }

  std::optional<HostCounters> counters() const {
    return device_ ? counters_of(*device_) : std::nullopt;
  }

  const std::optional<HostDevice>& device_;
  OtherUse& use_;
  std::optional<HostCounters> counters_before_;
  std::optional<uint64_t> own_before_;
};

class Rounds {
 public:
  Rounds(const RoundsToMake& work, HeadParking& parking, Proof& proof)
      : work_(work),
        parking_(parking),
        proof_(proof),
        watch_(work.device, proof.others),
        content_(work.content.paths),
        files_after_(work.files_after.paths) {}

  Result<std::optional<Error>> run() {
    SKL_TRY_DO(choose_way());
    for (uint32_t round = 0; round < work_.rounds && !is_late(); ++round) {
      // More rounds wouldn't help, because other programs keep the files in memory.
      if (round > 0 && !why_untold(proof_).empty()) break;
      for (size_t i = 0; i < work_.loads.size() && !is_late(); ++i) {
        if (work_.on_load) work_.on_load(round, i);
        if (auto measured = measure(i); !measured) {
          if (round == 0 || is_interrupted()) return std::unexpected(std::move(measured).error());
          keep_rounds(round);
          return std::move(measured).error();
        }
        proof_.rounds = round + 1;
      }
    }
    remove_unmeasured();
    return std::nullopt;
  }

 private:
  bool is_late() const { return std::chrono::steady_clock::now() > work_.deadline; }

  Result<void> choose_way() {
    Coldness cold = drop_files(work_.content.paths);
    cold.add(drop_files(work_.files_after.paths));
    proof_.knows_cold = cold.is_told;
    proof_.is_unbuffered = !cold.was_dropped;
    if (!proof_.is_unbuffered) return {};
    for (const LoadToProve& load : work_.loads) SKL_TRY_DO(content_.open(load.before.fetched));
    for (const auto& ranges : work_.fetched_after) SKL_TRY_DO(files_after_.open(ranges));
    return {};
  }

  void keep_rounds(uint32_t whole) {
    proof_.rounds = whole;
    for (ProvenLoad& load : proof_.loads)
      for (ProvenSide* side : {&load.before, &load.after})
        for (auto* seconds : {&side->measured_s, &side->worked_s})
          seconds->resize(std::min<size_t>(seconds->size(), whole));
    // This sentence goes to a page that may be sent to others, so it names no file.
    proof_.warnings.push_back(
        fmt::format("A load failed in round {}, so only {} before it count{}.", whole + 1,
                    counted(whole, "whole round"), whole == 1 ? "s" : ""));
  }

  // Drops one side's files from memory, measures its load, and notes how much stayed in memory.
  template <typename Timed>
  Result<void> measure_side(const ProvenFiles& files, std::span<const FetchedRange> fetched,
                            ProvenSide& side, Timed timed) {
    watch_.watch_idle();
    if (!proof_.is_unbuffered) {
      const Coldness cold = drop_files(files.paths);
      proof_.knows_cold = proof_.knows_cold && cold.is_told;
      proof_.most_left_bytes = std::max(proof_.most_left_bytes, cold.left_bytes);
      if (cold.left_bytes > 0) {
        SKL_TRY(const uint64_t left, bytes_in_memory(files.paths, fetched));
        side.left_bytes = std::max(side.left_bytes, left);
      }
    }
    parking_.park();
    watch_.begin_load();
    SKL_TRY(const double seconds, timed());
    const auto worked_s = watch_.end_load();
    side.measured_s.push_back(seconds);
    // The system counts in ticks, so its count may be a little more than the whole time.
    if (worked_s) side.worked_s.push_back(std::min(*worked_s, seconds));
    return {};
  }

  Result<void> measure(size_t i) {
    const LoadToProve& load = work_.loads[i];
    SKL_TRY_DO(measure_side(work_.content, load.before.fetched, proof_.loads[i].before, [&] {
      return proof_.is_unbuffered ? content_.time_reads(load.before.fetched)
                                  : time_reads(work_.content.paths, load.events);
    }));
    return measure_side(work_.files_after, work_.fetched_after[i], proof_.loads[i].after, [&] {
      if (proof_.is_unbuffered) return files_after_.time_reads(work_.fetched_after[i]);
      return work_.packs.empty() ? time_reads(work_.files_after.paths, load.events_after)
                                 : time_sweep(work_.packs, load.scenario, load.assets);
    });
  }

  void remove_unmeasured() {
    const size_t removed = std::erase_if(proof_.loads, [](const ProvenLoad& load) {
      return load.before.measured_s.empty() || load.after.measured_s.empty();
    });
    if (removed > 0)
      proof_.warnings.push_back(fmt::format("{} left out, since time was over.",
                                            counted(removed, "load is", "loads are")));
  }

  const RoundsToMake& work_;
  HeadParking& parking_;
  Proof& proof_;
  OtherUseWatch watch_;
  UnbufferedFiles content_;
  UnbufferedFiles files_after_;
  // Without priority, other programs on the processors would make the disk seem slow, more so
  // before than after.
  const FirstInLine first_in_line_;
};

}  // namespace

HeadParking HeadParking::find(const std::optional<HostDevice>& device, const ProvenFiles& files) {
  HeadParking parking;
  if (device)
    if (auto whole = DirectFile::open(device->path, kParkedBytes)) {
      parking.place_bytes_ = whole->size_bytes() / 2 / kParkedBytes * kParkedBytes;
      parking.offset_bytes_ = parking.place_bytes_;
      parking.file_ = std::make_unique<DirectFile>(*std::move(whole));
      return parking;
    }
  const auto largest = std::ranges::max_element(files.places, {}, &FileExtents::size_bytes);
  if (largest == files.places.end() || largest->extents.empty()) return parking;
  const Extent& last = largest->extents.back();
  parking.offset_bytes_ = last.offset_bytes / kParkedBytes * kParkedBytes;
  parking.place_bytes_ = last.place_bytes;
  if (auto file = DirectFile::open(largest->path, kParkedBytes))
    parking.file_ = std::make_unique<DirectFile>(*std::move(file));
  return parking;
}

void HeadParking::park() {
  if (!file_) return;
  const uint64_t step = times_++ % kParkSteps * kParkStepBytes;
  const uint64_t at = offset_bytes_ + step;
  const bool is_within = at + kParkedBytes <= file_->size_bytes();
  // Even a failed read has moved the head, so the result is ignored.
  (void)file_->read(is_within ? at : offset_bytes_, kParkedBytes);
}

Result<std::optional<Error>> make_rounds(const RoundsToMake& work, HeadParking& parking,
                                         Proof& proof) {
  return Rounds(work, parking, proof).run();
}

}  // namespace seekless
