// Implements the model's arithmetic. Places are measured in turns of the platter (see drive.h),
// times in milliseconds of the drive's own clock.
#include "packer/drive/drive.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace seekless {
namespace {

// The parts of the seek curve meet at this share of the stroke.
constexpr double kShortSeekShare = 0.25;

// Sums of times round differently. The number of turns is near 1e6, so this is far above the
// rounding error and far below a sector.
constexpr double kRoundingTurns = 1e-7;

constexpr double kTieMs = 1e-6;  // if times differ by less, both approaches count as equally fast

// Number of steps for averaging over distances; the mean is then exact to 0.01 ms.
constexpr int kSteps = 400;

double fraction(double value) {
  return value - std::floor(value);
}

}  // namespace

Drive::Drive(const DriveProfile& profile, double angle_turns, Turn turn)
    : turn_(turn), start_angle_turns_(fraction(angle_turns)) {
  if (const auto* ssd = std::get_if<SolidState>(&profile.hardware)) {
    is_disk_ = false;
    disk_.capacity_bytes = kMaxCapacityBytes;
    disk_.overhead_ms = ssd->latency_ms;
    disk_.outer_bytes_per_s = ssd->bytes_per_s;
    return;
  }
  disk_ = std::get<HardDisk>(profile.hardware);
  disk_.segment_bytes = kept_bytes_of_a_segment(disk_);
  turn_ms_ = 60e3 / disk_.rpm;
  track_start_turns_ = start_angle_turns_;
  const double outer = disk_.outer_bytes_per_s;
  const double inner = disk_.inner_bytes_per_s;
  rate_slope_ = (outer - inner) * (outer + inner) / static_cast<double>(disk_.capacity_bytes);
  capacity_turns_ = turn_of(disk_.capacity_bytes);
}

double Drive::read(uint64_t position_bytes, uint64_t length_bytes) {
  position_bytes = std::min(position_bytes, capacity_bytes());
  length_bytes = std::min(length_bytes, capacity_bytes() - position_bytes);
  if (length_bytes == 0) return 0;
  course_ = {};
  const double busy_ms = is_disk_ ? read_disk(position_bytes, length_bytes)
                                  : disk_.overhead_ms + sweep_ms(position_bytes, length_bytes);
  now_ms_ += busy_ms;
  ++counters_.reads;
  counters_.bytes += length_bytes;
  counters_.busy_ms += busy_ms;
  return busy_ms;
}

double Drive::write(uint64_t position_bytes, uint64_t length_bytes) {
  if (!is_disk_) return read(position_bytes, length_bytes);
  position_bytes = std::min(position_bytes, capacity_bytes());
  length_bytes = std::min(length_bytes, capacity_bytes() - position_bytes);
  if (length_bytes == 0) return 0;
  course_ = {};
  const double busy_ms = write_disk(position_bytes, length_bytes);
  now_ms_ += busy_ms;
  return busy_ms;
}

// A write ends the stream, and the drive doesn't read ahead after it. The written bytes stay in
// memory as the new stream.
double Drive::write_disk(uint64_t position_bytes, uint64_t length_bytes) {
  const double extra_ms =
      disk_.write_overhead_ms > 0 ? disk_.write_overhead_ms - disk_.overhead_ms : 0;
  const uint64_t end_bytes = position_bytes + length_bytes;
  const double begin_turn = turn_of(position_bytes);
  const double end_turn = turn_of(end_bytes);
  last_end_bytes_ = end_bytes;
  last_end_turn_ = end_turn;
  const double done_ms = go_to(begin_turn, begin_turn, end_turn,
                               turns_of(disk_.segment_bytes, rate_bytes_per_s(end_bytes))) +
                         extra_ms;
  stream_begin_turn_ = begin_turn;
  if (length_bytes > disk_.write_cache_bytes) return done_ms - now_ms_;
  course_ = {};
  return disk_.overhead_ms + extra_ms + transfer_ms(length_bytes);
}

void Drive::wait(double idle_ms) {
  if (idle_ms > 0) now_ms_ += idle_ms;
}

double Drive::read_disk(uint64_t position_bytes, uint64_t length_bytes) {
  const uint64_t end_bytes = position_bytes + length_bytes;
  const bool is_in_order = position_bytes == last_end_bytes_;
  const double begin_turn = is_in_order ? last_end_turn_ : turn_of(position_bytes);
  const double end_rate = rate_bytes_per_s(end_bytes);
  const double end_turn = turn_at(end_bytes, end_rate);
  const double ahead = turns_of(disk_.read_ahead_bytes, end_rate);
  const double segment = turns_of(disk_.segment_bytes, end_rate);
  last_end_bytes_ = end_bytes;
  last_end_turn_ = end_turn;
  double done_ms = 0;
  if (is_in_stream(begin_turn, segment)) {
    done_ms = finish_in_stream(end_turn, length_bytes);
  } else if (const auto kept = kept_with(begin_turn)) {
    if (end_turn <= kept_[*kept].end_turn + kRoundingTurns) {
      const auto used = kept_.begin() + static_cast<ptrdiff_t>(*kept);
      std::rotate(used, used + 1, kept_.end());
      return disk_.overhead_ms +
             transfer_ms(length_bytes);  // the head continues to read its stream
    }
    done_ms = go_on_from_kept(*kept, end_turn, length_bytes, segment);
  } else {
    const double medium_ms = go_to(begin_turn, begin_turn, end_turn, segment);
    done_ms = sent_ms(medium_ms - (end_turn - begin_turn) * turn_ms_, medium_ms, length_bytes);
  }
  const bool whole_tracks = disk_.reads_whole_tracks != 0;
  if (whole_tracks && (course_.is_chance || course_.seek_turns > 0))
    stream_begin_turn_ = std::min(stream_begin_turn_, track_of(begin_turn));
  if (whole_tracks) stream_limit_turn_ = std::max(stream_limit_turn_, track_of(end_turn) + 1);
  if (!whole_tracks || is_in_order)
    stream_limit_turn_ = std::max(stream_limit_turn_, end_turn + ahead);
  return done_ms - now_ms_;
}

// Returns the start, in turns, of the track that holds `turn`.
double Drive::track_of(double turn) const {
  return std::floor(turn - track_start_turns_) + track_start_turns_;
}

// Returns when the host has the bytes that the medium delivers between two times.
double Drive::sent_ms(double first_ms, double last_ms, uint64_t length_bytes) const {
  const double over_interface_ms = transfer_ms(length_bytes);
  if (disk_.sends_late != 0) return last_ms + over_interface_ms;
  return std::max(last_ms, first_ms + over_interface_ms);
}

// Moves the head to `from_turn` and reads from there to `end_turn`. If that begins another stream,
// the stream begins at `begin_turn`. Returns the time of the end.
double Drive::go_to(double begin_turn, double from_turn, double end_turn, double segment_turns) {
  const double head_turn = reached_turn();
  const Approach head = approach(from_turn);
  const double done_ms = head.at_ms + (end_turn - from_turn) * turn_ms_;
  if (head.is_seek || !stream_moves()) {
    keep_stream(segment_turns);
    stream_begin_turn_ = begin_turn;
  }
  course_.is_chance = head.is_chance;
  if (head.is_seek) {
    ++counters_.seeks;
    course_.seek_turns = std::abs(from_turn - head_turn);
    course_.seek_ms = seek_ms_over(course_.seek_turns);
  }
  if (head.is_chance) start_angle_turns_ = fraction(from_turn - head.at_ms / turn_ms_);
  stream_turn_ = end_turn;
  stream_ms_ = done_ms;
  stream_limit_turn_ = end_turn;
  return done_ms;
}

double Drive::reach_ms(uint64_t position_bytes, uint64_t length_bytes) const {
  if (!is_disk_) return disk_.overhead_ms;
  position_bytes = std::min(position_bytes, capacity_bytes());
  length_bytes = std::min(length_bytes, capacity_bytes() - position_bytes);
  const double turn = turn_of(position_bytes);
  const double rate = rate_bytes_per_s(position_bytes + length_bytes);
  if (!is_in_stream(turn, turns_of(disk_.segment_bytes, rate)))
    return kept_with(turn) ? disk_.overhead_ms : approach(turn).at_ms - now_ms_;
  const double medium_ms = stream_ms_ + (turn - stream_turn_) * turn_ms_;
  return std::max(disk_.overhead_ms, medium_ms - now_ms_);
}

double Drive::turns_of(uint64_t bytes, double rate_bytes_per_s) const {
  return static_cast<double>(bytes) / rate_bytes_per_s * 1e3 / turn_ms_;
}

double Drive::transfer_ms(uint64_t length_bytes) const {
  return static_cast<double>(length_bytes) / disk_.interface_bytes_per_s * 1e3;
}

// Returns true if the drive's memory holds the place, or will hold it by reading ahead. It keeps at
// most one segment of the stream.
bool Drive::is_in_stream(double begin_turn, double segment_turns) const {
  return begin_turn >= kept_from(segment_turns) && begin_turn <= stream_limit_turn_;
}

double Drive::kept_from(double segment_turns) const {
  return std::max(stream_begin_turn_, reached_turn() - segment_turns);
}

// Returns the number of the earlier stream's kept stretch that holds `turn`.
std::optional<size_t> Drive::kept_with(double turn) const {
  for (size_t i = kept_.size(); i-- > 0;)
    if (turn >= kept_[i].begin_turn && turn < kept_[i].end_turn) return i;
  return std::nullopt;
}

// Call this when the head leaves its stream. The part of the stream in memory stays there, in place
// of the least recently used stretch.
void Drive::keep_stream(double segment_turns) {
  if (disk_.segments < 2) return;
  const KeptStretch stream = {kept_from(segment_turns), reached_turn()};
  if (stream.end_turn <= stream.begin_turn) return;
  std::erase_if(kept_, [&](const KeptStretch& kept) {
    return kept.begin_turn >= stream.begin_turn && kept.end_turn <= stream.end_turn;
  });
  if (kept_.size() == disk_.segments - 1) kept_.erase(kept_.begin());
  kept_.push_back(stream);
}

// The read begins within a kept stretch of an earlier stream and ends past it. The head moves to
// the end of that stretch and continues reading, while the beginning comes over the interface.
double Drive::go_on_from_kept(size_t number, double end_turn, uint64_t length_bytes,
                              double segment_turns) {
  const KeptStretch kept = kept_[number];
  kept_.erase(kept_.begin() + static_cast<ptrdiff_t>(number));
  const double ready_ms = now_ms_ + disk_.overhead_ms;
  return std::max(go_to(kept.begin_turn, kept.end_turn, end_turn, segment_turns),
                  ready_ms + transfer_ms(length_bytes));
}

// The read begins within bytes that the drive has read, or will read ahead. They come over the
// interface, but no sooner than the medium delivers them.
double Drive::finish_in_stream(double end_turn, uint64_t length_bytes) {
  const double ready_ms = now_ms_ + disk_.overhead_ms;
  const bool rests = !stream_moves();
  if (rests && end_turn > stream_limit_turn_) {
    stream_turn_ = stream_limit_turn_;
    stream_ms_ = next_pass_ms(stream_turn_, ready_ms);
    course_.is_chance = turn_ == Turn::unknown;
  }
  const double medium_ms = stream_ms_ + (end_turn - stream_turn_) * turn_ms_;
  const double over_interface_ms = transfer_ms(length_bytes);
  const double done_ms = disk_.sends_late != 0 ? std::max(medium_ms, ready_ms) + over_interface_ms
                                               : std::max(medium_ms, ready_ms + over_interface_ms);
  if (rests && end_turn <= stream_limit_turn_) {
    // Memory was full, and has room again. A turn is lost until the head resumes, but the bytes
    // still in memory hide that: real drives resume in time, and have more than one segment.
    stream_turn_ = stream_limit_turn_;
    stream_ms_ = done_ms;
  }
  return done_ms;
}

// Computes when and how the head gets to a place outside of the stream: by passing over the gap or
// by a seek, whichever is sooner. Both end when the same angle passes under the head, so a seek
// never pays for a gap of less than about a track.
Drive::Approach Drive::approach(double turn) const {
  const double ready_ms = std::max(now_ms_ + disk_.overhead_ms, stream_ms_);
  const double head_turn = reached_turn();
  const double gap_turns = turn - head_turn;
  double over_ms = std::numeric_limits<double>::infinity();
  if (gap_turns >= 0 && stream_moves())
    over_ms = std::max(ready_ms, now_ms_ + gap_turns * turn_ms_);
  else if (gap_turns >= 0 && gap_turns < 1)
    over_ms = next_pass_ms(turn, ready_ms);  // the head already rests on that track
  const double moved_ms = ready_ms + seek_ms_over(std::abs(gap_turns));
  const bool is_chance =
      turn_ == Turn::unknown || (turn_ == Turn::average && std::abs(gap_turns) > 1);
  const double sought_ms = is_chance ? moved_ms + turn_ms_ / 2 : next_pass_ms(turn, moved_ms);
  if (sought_ms < over_ms - kTieMs) return {sought_ms, true, is_chance};
  return {over_ms, false, turn_ == Turn::unknown && !stream_moves()};
}

// Returns the first time, at or after the given one, at which the angle of `turn` is under the
// head.
double Drive::next_pass_ms(double turn, double not_before_ms) const {
  if (turn_ == Turn::unknown) return not_before_ms + turn_ms_ / 2;
  const double wait_turns = fraction(turn - not_before_ms / turn_ms_ - start_angle_turns_);
  if (wait_turns > 1 - kRoundingTurns) return not_before_ms;
  return not_before_ms + wait_turns * turn_ms_;
}

double Drive::reached_turn() const {
  // Until a write has reached the medium, the head counts as already at the write's place.
  const double read_ms = std::max(0.0, now_ms_ - stream_ms_);
  return std::min(stream_limit_turn_, stream_turn_ + read_ms / turn_ms_);
}

bool Drive::stream_moves() const {
  return reached_turn() < stream_limit_turn_ - kRoundingTurns;
}

uint64_t Drive::capacity_bytes() const {
  return disk_.capacity_bytes;
}

double Drive::rate_bytes_per_s(uint64_t position_bytes) const {
  const double outer = disk_.outer_bytes_per_s;
  if (!is_disk_) return outer;
  const double position = static_cast<double>(std::min(position_bytes, capacity_bytes()));
  return std::sqrt(std::max(0.0, outer * outer - rate_slope_ * position));
}

double Drive::turn_of(uint64_t position_bytes) const {
  return turn_at(position_bytes, rate_bytes_per_s(position_bytes));
}

double Drive::turn_at(uint64_t position_bytes, double rate_bytes_per_s) const {
  const double position = static_cast<double>(std::min(position_bytes, capacity_bytes()));
  const double seconds = 2 * position / (disk_.outer_bytes_per_s + rate_bytes_per_s);
  return seconds * 1e3 / turn_ms_;
}

double Drive::seek_ms_over(double turns) const {
  const double share = turns / capacity_turns_;
  if (share <= 0) return 0;
  if (turns <= static_cast<double>(disk_.near_tracks)) return disk_.near_seek_ms;
  if (share < kShortSeekShare) return disk_.seek_t0_ms + disk_.seek_b_ms * std::sqrt(share);
  return disk_.seek_c_ms + disk_.seek_e_ms * share;
}

double Drive::seek_ms(uint64_t from_bytes, uint64_t to_bytes) const {
  if (!is_disk_) return 0;
  return seek_ms_over(std::abs(turn_of(from_bytes) - turn_of(to_bytes)));
}

double Drive::access_ms(uint64_t from_bytes, uint64_t to_bytes) const {
  return disk_.overhead_ms + seek_ms(from_bytes, to_bytes) + turn_ms_ / 2;
}

double Drive::average_access_ms() const {
  if (!is_disk_) return disk_.overhead_ms;
  // The density of positions over the share of all turns is first + growth * share, because the
  // rate falls evenly with the turns. So the density of the distance of two positions, as such a
  // share, is 2 * integral from 0 to 1 - distance of
  // (first + growth * x) (first + growth * (x + distance)).
  const double rates = disk_.outer_bytes_per_s + disk_.inner_bytes_per_s;
  const double first = 2 * disk_.outer_bytes_per_s / rates;
  const double growth = 2 * (disk_.inner_bytes_per_s - disk_.outer_bytes_per_s) / rates;
  double seek_ms = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double distance = (i + 0.5) / kSteps;
    const double rest = 1 - distance;
    const double density =
        2 * rest *
        (first * first + first * growth + growth * growth * rest * (rest / 3 + distance / 2));
    seek_ms += density / kSteps * seek_ms_over(distance * capacity_turns_);
  }
  return disk_.overhead_ms + seek_ms + turn_ms_ / 2;
}

double Drive::least_access_ms(uint64_t from_bytes, uint64_t to_bytes) const {
  const bool reads_on =
      to_bytes >= from_bytes && to_bytes - from_bytes <= 2 * disk_.read_ahead_bytes;
  return disk_.overhead_ms + (reads_on ? 0 : seek_ms(from_bytes, to_bytes));
}

double Drive::sweep_ms(uint64_t position_bytes, uint64_t length_bytes) const {
  if (!is_disk_) return static_cast<double>(length_bytes) / disk_.outer_bytes_per_s * 1e3;
  position_bytes = std::min(position_bytes, capacity_bytes());
  length_bytes = std::min(length_bytes, capacity_bytes() - position_bytes);
  return (turn_of(position_bytes + length_bytes) - turn_of(position_bytes)) * turn_ms_;
}

uint64_t Drive::break_even_gap_bytes(uint64_t position_bytes) const {
  if (!is_disk_) return static_cast<uint64_t>(disk_.overhead_ms / 1e3 * disk_.outer_bytes_per_s);
  if (position_bytes >= capacity_bytes()) return 0;
  // The time of reading through a gap grows faster with the gap than a seek's time, so the two are
  // equal at one gap.
  uint64_t cheaper_through = 0;
  uint64_t cheaper_around = capacity_bytes() - position_bytes;
  while (cheaper_around - cheaper_through > 1) {
    const uint64_t gap = cheaper_through + (cheaper_around - cheaper_through) / 2;
    if (sweep_ms(position_bytes, gap) <= access_ms(position_bytes, position_bytes + gap))
      cheaper_through = gap;
    else
      cheaper_around = gap;
  }
  return cheaper_through;
}

}  // namespace seekless
