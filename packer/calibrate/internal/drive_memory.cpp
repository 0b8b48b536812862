#include "packer/calibrate/internal/drive_memory.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

namespace seekless {
namespace {

constexpr uint64_t kPieceBytes = uint64_t{1} << 20;
constexpr uint64_t kFirstStreamBytes = uint64_t{4} << 20;
constexpr uint64_t kLongestStreamBytes = uint64_t{64} << 20;
constexpr uint64_t kMostCheckedBytes = uint64_t{256} << 20;
constexpr uint64_t kShortestDistance = uint64_t{32} << 10;
constexpr double kDistanceStep = 1.189207115002721;  // 2^(1/4)
constexpr uint64_t kFirstStreams = 8;
constexpr uint64_t kMostStreams = 256;
constexpr int kTries = 3;

// Counts how many places of a series are kept in memory. The series ends when two places in a row
// took too long, because a single slow read may have been disturbed.
class KeptCount {
 public:
  explicit KeptCount(double hit_ms) : hit_ms_(hit_ms) {}
  // Returns false if the search is over.
  bool add(const TimedRead& read) {
    ++asked_;
    const bool is_kept = read.is_good && read.ms() <= hit_ms_;
    if (is_kept) kept_ = asked_;
    return asked_ - kept_ < 2;
  }
  uint64_t count() const { return kept_; }

 private:
  double hit_ms_;
  uint64_t asked_ = 0;
  uint64_t kept_ = 0;
};

class MemoryMeasurement {
 public:
  MemoryMeasurement(Probe& probe, const MemorySearch& search) : probe_(probe), search_(search) {}

  Result<DriveMemory> run() {
    DriveMemory memory;
    SKL_TRY(const auto behind, find_kept_of_a_stream(memory));
    const uint64_t longest = behind + search_.read_ahead_bytes;
    SKL_TRY(const auto streams, find_kept_streams(memory));
    memory.segments = std::max<uint64_t>(1, streams);
    SKL_TRY(const auto shared, check_long_streams(memory.segments, longest));
    memory.segment_bytes = shared;
    return memory;
  }

 private:
  bool is_over() const { return probe_.share_over() > search_.until_share; }

  // Reads a stream of fresh bytes and returns its beginning; nothing if a part can't be read. Then
  // leaves the drive idle, so that it reads ahead by itself.
  Result<std::optional<uint64_t>> read_stream(uint64_t length_bytes, double idle_ms) {
    const uint64_t begin_bytes = probe_.fresh_place(probe_.random_share(), length_bytes);
    for (uint64_t done = 0; done < length_bytes;) {
      const uint64_t piece = std::min(kPieceBytes, length_bytes - done);
      SKL_TRY(const auto sample, probe_.read(begin_bytes + done, piece));
      if (!sample.timed.is_good) return std::nullopt;
      done += piece;
    }
    probe_.wait(idle_ms);
    return begin_bytes;
  }

  // Tests places in growing steps backward from the end of a stream.
  Result<uint64_t> kept_of_a_stream(uint64_t length_bytes) {
    SKL_TRY(const auto begin, read_stream(length_bytes, search_.ahead_ms));
    if (!begin) return 0;
    KeptCount kept(search_.hit_ms);
    for (const uint64_t distance : distances(length_bytes)) {
      SKL_TRY(const auto sample, probe_.read_again(*begin + length_bytes - distance));
      if (!kept.add(sample.timed)) break;
    }
    return kept.count() > 0 ? distances(length_bytes)[kept.count() - 1] : 0;
  }

  static std::vector<uint64_t> distances(uint64_t length_bytes) {
    std::vector<uint64_t> found;
    for (double at = kShortestDistance; at <= static_cast<double>(length_bytes);
         at *= kDistanceStep)
      found.push_back(static_cast<uint64_t>(at) / kTimedReadAlignment * kTimedReadAlignment);
    return found;
  }

  // Tests the beginning of each stream, from the last one backward. The drive also reads ahead
  // after each, but not enough to push the beginning out of a segment of this length.
  Result<uint64_t> kept_streams(uint64_t streams, uint64_t length_bytes) {
    std::vector<uint64_t> begins;
    while (begins.size() < streams) {
      SKL_TRY(const auto begin, read_stream(length_bytes, search_.half_ahead_ms));
      if (begin) begins.push_back(*begin);
    }
    KeptCount kept(search_.hit_ms);
    for (size_t i = begins.size(); i-- > 0;) {
      SKL_TRY(const auto sample, probe_.read_again(begins[i]));
      if (!kept.add(sample.timed)) break;
    }
    return kept.count();
  }

  // Returns the maximum of several tries, and stops once a try reaches `whole`. Disturbed reads
  // make less seem kept, while no read from the platter seems kept, so the maximum counts.
  Result<uint64_t> kept_in_tries(uint64_t whole, const std::function<Result<uint64_t>()>& measure) {
    uint64_t most = 0;
    for (int i = 0; i < kTries && (i == 0 || !is_over()); ++i) {
      const auto kept = measure();
      if (!kept) return kept;
      most = std::max(most, *kept);
      if (is_whole(most, whole)) break;
    }
    return most;
  }

  // Distances grow in steps, so the last one of a stream may lie before its end.
  static bool is_whole(uint64_t kept, uint64_t tried) { return kept + kept / 4 >= tried; }

  // Tries larger and larger amounts until the drive no longer keeps everything.
  Result<uint64_t> find_kept(uint64_t first, uint64_t most, uint64_t factor, DriveMemory& memory,
                             const std::function<Result<uint64_t>(uint64_t)>& measure) {
    uint64_t kept = 0;
    for (uint64_t tried = std::min(first, most); !is_over(); tried *= factor) {
      const auto found = kept_in_tries(tried, [&] { return measure(tried); });
      if (!found) return found;
      kept = *found;
      if (!is_whole(kept, tried)) return kept;
      if (tried * factor > most) break;
    }
    memory.is_least = true;
    return kept;
  }

  Result<uint64_t> find_kept_of_a_stream(DriveMemory& memory) {
    const uint64_t longest = std::min(kLongestStreamBytes, probe_.size_bytes() / 16);
    return find_kept(kFirstStreamBytes, longest, 4, memory,
                     [this](uint64_t length) { return kept_of_a_stream(length); });
  }

  Result<uint64_t> find_kept_streams(DriveMemory& memory) {
    return find_kept(kFirstStreams, kMostStreams, 2, memory, [this](uint64_t streams) {
      return kept_streams(streams, kTimedReadAlignment);
    });
  }

  // Returns the segment length at which as many streams are kept as with short ones. No stream is
  // longer than `longest_bytes`.
  Result<uint64_t> check_long_streams(uint64_t segments, uint64_t longest_bytes) {
    const uint64_t own_bytes = longest_bytes - search_.read_ahead_bytes;
    const uint64_t length_bytes = own_bytes * 3 / 4 / kTimedReadAlignment * kTimedReadAlignment;
    if (segments < 2 || length_bytes <= kTimedReadAlignment) return longest_bytes;
    const uint64_t most =
        std::min(segments, std::min(kMostCheckedBytes, probe_.size_bytes() / 16) / length_bytes);
    uint64_t kept = 1;
    if (most > 1 && !is_over()) {
      const auto found = kept_in_tries(most, [&] { return kept_streams(most, length_bytes); });
      if (!found) return found;
      kept = std::max<uint64_t>(1, *found);
    }
    if (kept >= segments) return longest_bytes;
    const uint64_t shared =
        kept * longest_bytes / segments / kTimedReadAlignment * kTimedReadAlignment;
    return std::max({shared, search_.read_ahead_bytes, kTimedReadAlignment});
  }

  Probe& probe_;
  MemorySearch search_;
};

}  // namespace

Result<DriveMemory> measure_memory(Probe& probe, const MemorySearch& search) {
  return MemoryMeasurement(probe, search).run();
}

}  // namespace seekless
