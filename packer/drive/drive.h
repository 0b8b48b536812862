// Simulates one drive: takes reads as positions on the medium, and tells how many milliseconds each
// read keeps the drive busy. Pure arithmetic on a profile; the clock advances only with the calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "packer/drive/profile.h"

namespace seekless {

// The formulas for a read over the medium, for a profile that passes check_profile:
//
//   f       = position / capacity; 0 is the outer edge
//   rate(f) = sqrt(Ro^2 - (Ro^2 - Ri^2) * f) in bytes/s; the steps between zones are smoothed
//   turn(p) = integral of dp / rate, in revolutions
//           = 2 p / (Ro + rate(p)), divided by the time of one revolution
//   x       = |turn(a) - turn(b)| / turn(capacity) = |(rate(a) - rate(b)) / (Ro - Ri)|,
//             the share of the stroke between a and b
//
// The whole medium is one long track, counted in turns. The whole part of turn(p) is the track, its
// fraction is the angle. Reading from a to b takes as many revolutions as lie between them, because
// tracks are skewed so that reading on loses no time.
class Drive {
 public:
  // Chooses the platter's angle when the head arrives. Between places more than a turn apart the
  // exact angle is random: a few more bytes in front of them change it. `average` counts half a
  // turn there, for plans that should hold at any place on any such drive; nearer places keep their
  // angle. `unknown` counts half a turn for every wait, for requests whose times say nothing about
  // the angle.
  enum class Turn : uint8_t { exact, average, unknown };

  // Tells how the latest request was served.
  struct Course {
    bool is_chance = false;  // half a turn was counted for its wait
    double seek_turns = 0;   // turns that the head passed over in a seek; 0 if there was no seek
    double seek_ms = 0;      // the seek's part of the time
  };

  struct Counters {
    uint64_t reads = 0;
    uint64_t bytes = 0;
    uint64_t seeks = 0;  // how often the head left the place where it was reading or resting
    double busy_ms = 0;
  };

  // The head starts at position 0, which is already `angle_turns` (0 to 1) past it.
  explicit Drive(const DriveProfile& profile, double angle_turns = 0, Turn turn = Turn::exact);

  // Returns milliseconds from the command to the last byte. A range past the drive's end is cut
  // off; if nothing is left, the read costs nothing and isn't counted. Not thread-safe.
  double read(uint64_t position_bytes, uint64_t length_bytes);

  // Returns milliseconds from the command until the drive says that the bytes are written. A write
  // to the drive's memory moves the head as well: a later request waits until it is on the medium.
  double write(uint64_t position_bytes, uint64_t length_bytes);

  // Returns milliseconds from the command to the first byte if this place were read next: seek and
  // rotation, or less if the drive's memory holds it. Changes nothing.
  double reach_ms(uint64_t position_bytes, uint64_t length_bytes) const;

  // Leaves the drive idle for this long: the platter turns, and the drive reads ahead.
  void wait(double idle_ms);

  const Counters& counters() const { return counters_; }
  const Course& course() const { return course_; }
  // Returns the turns of the platter from the first byte to the last one.
  double capacity_turns() const { return capacity_turns_; }
  void reset_counters() { counters_ = {}; }
  // Returns busy plus idle time.
  double now_ms() const { return now_ms_; }

  // Returns kMaxCapacityBytes for an SSD, where positions don't matter.
  uint64_t capacity_bytes() const;
  bool holds(uint64_t position_bytes, uint64_t length_bytes) const {
    return position_bytes <= capacity_bytes() && length_bytes <= capacity_bytes() - position_bytes;
  }

  // The following functions are for bounds and plans. They don't depend on the drive's state, and
  // count half a turn, the average, for rotation.

  double rate_bytes_per_s(uint64_t position_bytes) const;
  // Returns the time of the head's movement alone; 0 for an SSD.
  double seek_ms(uint64_t from_bytes, uint64_t to_bytes) const;
  // Returns the time from the command to the first byte: overhead + seek + half a turn; for an SSD,
  // its latency.
  double access_ms(uint64_t from_bytes, uint64_t to_bytes) const;
  // Returns the average time between two random positions.
  double average_access_ms() const;
  // Returns the least possible time. It counts no wait for the platter, and no seek if the head
  // gets there by reading on.
  double least_access_ms(uint64_t from_bytes, uint64_t to_bytes) const;
  // Returns the time to read the range at once, when the head is there.
  double sweep_ms(uint64_t position_bytes, uint64_t length_bytes) const;
  // Returns the largest forward gap after `position_bytes` that is cheaper to read through than to
  // skip with a second command, on average.
  uint64_t break_even_gap_bytes(uint64_t position_bytes) const;

 private:
  struct Approach {
    double at_ms;  // when the head is over the first byte
    bool is_seek;
    bool is_chance = false;  // assumes half a turn, whatever the platter's angle
  };

  double turn_of(uint64_t position_bytes) const;
  double turn_at(uint64_t position_bytes, double rate_bytes_per_s) const;
  double seek_ms_over(double turns) const;
  double read_disk(uint64_t position_bytes, uint64_t length_bytes);
  double write_disk(uint64_t position_bytes, uint64_t length_bytes);
  double sent_ms(double first_ms, double last_ms, uint64_t length_bytes) const;
  double track_of(double turn) const;
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

  // An SSD uses only the capacity, overhead_ms (its latency) and outer_bytes_per_s.
  HardDisk disk_;
  bool is_disk_ = true;
  Turn turn_ = Turn::exact;
  double turn_ms_ = 0;
  double start_angle_turns_ = 0;
  double track_start_turns_ = 0;  // where tracks begin, as a share of a turn
  double capacity_turns_ = 0;
  double rate_slope_ = 0;  // (Ro^2 - Ri^2) / capacity

  double now_ms_ = 0;
  // The stream is everything the head has read since it last settled. At stream_ms_ it was at
  // stream_turn_. It continues by itself up to the limit, where it rests.
  double stream_begin_turn_ = 0;
  double stream_turn_ = 0;
  double stream_ms_ = 0;
  double stream_limit_turn_ = 0;
  // Stretches of earlier streams that the drive's memory also holds; the latest used one is last.
  struct KeptStretch {
    double begin_turn;
    double end_turn;
  };
  std::vector<KeptStretch> kept_;
  // The end of the latest read, kept because the next read often begins there.
  uint64_t last_end_bytes_ = 0;
  double last_end_turn_ = 0;
  Counters counters_;
  Course course_;
};

}  // namespace seekless
