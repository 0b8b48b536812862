// Which range of a device is read next: pure, without a clock, threads or files, so that tests can
// tell it anything. The scheduler tells it what is wanted and when it is, and does what it picks.
//
// In a pass the head moves over all that waits, once, by place. Requests that come while a pass is
// young join it if they lie ahead; later ones wait for the next, so that a pass ends and nobody is
// starved. Urgent requests leave the pass and come back to it, which costs seeks, of which there
// are only so many a second; those that find none left go with the pass.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace seekless::runtime {

struct ElevatorOptions {
  uint64_t most_read_bytes = uint64_t{4} << 20;  // of one pick; longer requests take several
  // What lies between two requests is read along up to this, since it is faster than a seek.
  uint64_t gap_bytes = uint64_t{1} << 20;
  size_t most_parts = 256;            // of one pick
  bool seeks_cost = true;             // false: urgent requests always go first
  uint32_t bypasses_per_second = 50;  // seeks that leaving the pass may cost, on average
  uint64_t pass_us = 500'000;         // how long newcomers may join
  uint64_t notice_us = 50'000;        // how long before its deadline a request becomes urgent
  uint64_t stream_us = 1'000'000;     // waited so long, streams join a pass: at least a pick
  uint64_t prefetch_us = 10'000'000;  // likewise
};

// By priority; within one, place decides.
enum class Urgency : uint8_t { urgent, normal, stream, prefetch };
Urgency urgency_of(int32_t priority);

// A range that somebody wants.
struct Wish {
  uint64_t id = 0;            // no two are alike
  uint64_t file = 0;          // a pick stays within one
  uint64_t place_bytes = 0;   // on the device
  uint64_t length_bytes = 0;  // 1 or more
  int32_t priority = 0;
  uint64_t asked_us = 0;
  uint64_t deadline_us = 0;  // on the same clock; 0: none
  bool is_whole = false;     // picked in one piece, however long, and alone
};

struct PickedPart {
  uint64_t id = 0;
  uint64_t place_bytes = 0;
  uint64_t length_bytes = 0;
};

// One read. Parts rise by place and don't overlap; gaps between them belong to nobody.
struct Pick {
  uint64_t file = 0;
  uint64_t place_bytes = 0;
  uint64_t length_bytes = 0;
  uint64_t gap_bytes = 0;
  bool is_bypass = false;  // it left the pass
  bool is_seek = false;    // it begins elsewhere than the pick before ended
  std::vector<PickedPart> parts;
};

class Elevator {
 public:
  explicit Elevator(const ElevatorOptions& options);

  // Throws std::bad_alloc; then nothing has changed.
  void add(const Wish& wish);
  // Takes away what hasn't been picked yet of a wish; false if there is nothing.
  bool remove(uint64_t id);
  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }

  // What to read next. Something, as long as anything is wanted; every byte of every wish is picked
  // once. Time doesn't go backwards.
  bool next(uint64_t now_us, Pick& pick);
  // What the pass would read behind the latest pick without a seek, for a hint to the system.
  std::optional<PickedPart> following() const;

 private:
  using Key = std::pair<uint64_t, uint64_t>;  // place or time, and id
  using Keys = std::set<Key>;
  static constexpr uint64_t kNever = UINT64_MAX;

  struct Entry {
    Wish wish;  // what is left of it
    Urgency urgency = Urgency::normal;
    Keys* home = nullptr;      // the set by place that it is in
    uint64_t due_us = kNever;  // when it becomes urgent
    uint64_t since_us = 0;     // in the background: when it was last served
  };

  // Streams, or prefetches, that wait for the others to be done.
  struct Background {
    Keys by_place;
    Keys by_age;
  };

  Keys& pass() { return ordinary_[pass_number_]; }
  const Keys& pass() const { return ordinary_[pass_number_]; }
  Keys& next_pass() { return ordinary_[1 - pass_number_]; }
  bool is_in_reach(const Entry& entry) const;
  bool joins_pass(const Entry& entry) const;
  Keys& home_of(const Entry& entry);
  void begin_pass();
  void promote(Background& waiting, uint64_t patience_us);
  void refill(uint64_t now_us);
  Entry* due();
  Entry* ordinary();
  Entry* nearest_ahead(const Keys& keys);
  const Entry* neighbour(uint64_t file, uint64_t from_bytes, uint64_t to_bytes) const;
  void take(Entry& entry, uint64_t length_bytes, Pick& pick);
  void forget(const Entry& entry);

  const ElevatorOptions options_;
  std::unordered_map<uint64_t, Entry> entries_;
  // Normal and urgent ones by place: those of this pass, and those of the next.
  std::array<Keys, 2> ordinary_;
  size_t pass_number_ = 0;
  Background stream_;
  Background prefetch_;
  Keys due_;  // all that become urgent, by when they do

  uint64_t now_us_ = 0;
  uint64_t pass_began_us_ = 0;
  // Where the pass is: its latest pick.
  uint64_t scan_file_ = kNever;
  uint64_t scan_bytes_ = 0;
  uint64_t scan_end_bytes_ = 0;
  // Where the head is: the latest pick.
  uint64_t head_file_ = kNever;
  uint64_t head_begin_bytes_ = 0;
  uint64_t head_bytes_ = 0;
  bool is_away_ = false;  // from the pass
  // In millionths of a seek.
  uint64_t most_allowance_ = 0;
  uint64_t allowance_ = 0;
};

}  // namespace seekless::runtime
