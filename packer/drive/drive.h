// One drive, simulated: takes reads as positions on the medium and says how many milliseconds the
// drive is busy with each. Pure arithmetic on a profile; its clock runs only by what it is asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "packer/drive/profile.h"

namespace seekless {

// How a read over the medium goes, for a profile that passes check_profile.
//
//   f       = position / capacity                       0 is the outer edge
//   rate(f) = sqrt(Ro^2 - (Ro^2 - Ri^2) * f)            bytes/s; zones, with their steps smoothed
//   turn(p) = integral of dp / rate, in revolutions     = 2 p / (Ro + rate(p)), over the time of
//   one x       = |turn(a) - turn(b)| / turn(capacity)      equals |(rate(a) - rate(b)) / (Ro -
//   Ri)|
//
// The whole medium is one long track, counted in turns: the whole part of turn(p) is the track, its
// fraction the angle, and reading from a to b takes as many revolutions as lie between them (tracks
// are skewed so that reading on loses nothing).
class Drive {
 public:
  // Where the platter stands when the head arrives. Of places further apart than a turn that is
  // chance: some bytes more in front of them change it. What is planned for any place and any drive
  // of the kind takes half a turn, the average; nearer places keep their angle.
  enum class Turn : uint8_t { exact, average };

  struct Counters {
    uint64_t reads = 0;
    uint64_t bytes = 0;
    uint64_t seeks = 0;  // the head was moved away from where it was reading or resting
    double busy_ms = 0;
  };

  // The head rests at position 0, and that position has just passed it by `angle_turns` (0 to 1).
  explicit Drive(const DriveProfile& profile, double angle_turns = 0, Turn turn = Turn::exact);

  // Milliseconds from the command to the last byte. What lies beyond the end of the drive is cut
  // off; nothing left to read costs nothing and isn't counted. Not for two threads at once.
  double read(uint64_t position_bytes, uint64_t length_bytes);

  // Milliseconds from the command to the first byte, if it were read next: seek and rotation as
  // they would be, or what the drive's memory holds. Changes nothing.
  double reach_ms(uint64_t position_bytes, uint64_t length_bytes) const;

  // The host leaves the drive alone for so long: the platter turns, and the drive reads ahead.
  void wait(double idle_ms);

  const Counters& counters() const { return counters_; }
  void reset_counters() { counters_ = {}; }
  // Busy and idle time together.
  double now_ms() const { return now_ms_; }

  // kMaxCapacityBytes for solid state, where positions don't matter.
  uint64_t capacity_bytes() const;
  bool holds(uint64_t position_bytes, uint64_t length_bytes) const {
    return position_bytes <= capacity_bytes() && length_bytes <= capacity_bytes() - position_bytes;
  }

  // For bounds and plans: the state of the drive plays no part, and a rotation is what it is on
  // average, half a turn.

  double rate_bytes_per_s(uint64_t position_bytes) const;
  // The head's movement alone; 0 for solid state.
  double seek_ms(uint64_t from_bytes, uint64_t to_bytes) const;
  // From the command to the first byte: overhead + seek + half a turn; latency of solid state.
  double access_ms(uint64_t from_bytes, uint64_t to_bytes) const;
  // The same between two positions drawn at random.
  double average_access_ms() const;
  // The least that it can be: without waiting for the platter, and no seek where the head gets
  // there by reading on.
  double least_access_ms(uint64_t from_bytes, uint64_t to_bytes) const;
  // Reading the range in one go, once the head is there.
  double sweep_ms(uint64_t position_bytes, uint64_t length_bytes) const;
  // The forward gap after `position_bytes` that takes as long to read through as to go around with
  // a second command. Below it, reading through is cheaper on average.
  uint64_t break_even_gap_bytes(uint64_t position_bytes) const;

 private:
  struct Approach {
    double at_ms;  // when the head is over the first byte
    bool is_seek;
    bool is_chance = false;  // after half a turn, wherever the platter stands
  };

  double turn_of(uint64_t position_bytes) const;
  double turn_at(uint64_t position_bytes, double rate_bytes_per_s) const;
  double seek_ms_over(double turns) const;
  double read_disk(uint64_t position_bytes, uint64_t length_bytes);
  double next_pass_ms(double turn, double not_before_ms) const;
  double turns_of(uint64_t bytes, double rate_bytes_per_s) const;
  double kept_from(double segment_turns) const;
  bool is_in_stream(double begin_turn, double segment_turns) const;
  std::optional<size_t> kept_with(double turn) const;
  void keep_stream(double segment_turns);
  double go_to(double begin_turn, double from_turn, double end_turn, double segment_turns);
  double reached_turn() const;
  bool stream_moves() const;
  double finish_in_stream(double end_turn, uint64_t length_bytes);
  double go_on_from_kept(size_t number, double end_turn, uint64_t length_bytes,
                         double segment_turns);
  double transfer_ms(uint64_t length_bytes) const;
  Approach approach(double turn) const;

  // A solid state drive uses only the capacity, overhead_ms (its latency) and outer_bytes_per_s.
  HardDisk disk_;
  bool is_disk_ = true;
  Turn turn_ = Turn::exact;
  double turn_ms_ = 0;
  double start_angle_turns_ = 0;
  double capacity_turns_ = 0;
  double rate_slope_ = 0;  // (Ro^2 - Ri^2) / capacity

  double now_ms_ = 0;
  // The stream: what the head has been reading since it last settled. It was at stream_turn_ at
  // stream_ms_ and goes on by itself up to the limit, where it rests.
  double stream_begin_turn_ = 0;
  double stream_turn_ = 0;
  double stream_ms_ = 0;
  double stream_limit_turn_ = 0;
  // What the drive's memory holds besides: stretches of earlier streams, the latest used last.
  struct KeptStretch {
    double begin_turn;
    double end_turn;
  };
  std::vector<KeptStretch> kept_;
  // Where the latest read ended: the next often begins there.
  uint64_t last_end_bytes_ = 0;
  double last_end_turn_ = 0;
  Counters counters_;
};

}  // namespace seekless
