// Decides which range of a device is read next. It is pure, without a clock, threads or files, so
// that tests can try anything; only add() takes memory, and keeps it. The scheduler tells it what
// is wanted and what time it is, and reads what it picks.
//
// In a pass the head moves over all that waits, once, by place. Requests that come while a pass is
// young join it if they lie ahead; later ones wait for the next, so that a pass ends and none waits
// for ever. Urgent requests make it leave the pass and return, which costs seeks; only so many of
// those are allowed a second. Further urgent requests are read in the pass, but for those with a
// deadline: they are gathered until the first of them can't wait any longer, and then all are read
// in the order of their places before it returns. On any medium, the pass gets a quarter of the
// reading while urgent ones keep coming.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "runtime/memory.h"
#include "runtime/node_pool.h"

namespace seekless::runtime {

struct ElevatorOptions {
  uint64_t most_read_bytes = uint64_t{4} << 20;  // of one pick; longer requests take several
  // A gap of up to this between two requests is read with them, which is faster than a seek.
  uint64_t gap_bytes = uint64_t{1} << 20;
  size_t most_parts = 256;            // of one pick
  bool seeks_cost = true;             // false: urgent requests need no allowance of seeks
  uint32_t bypasses_per_second = 50;  // seeks that urgent requests may cost, on average
  uint64_t pass_us = 500'000;         // how long newcomers may join
  uint64_t notice_us = 50'000;        // how long before its deadline a request becomes urgent
  uint64_t seek_us = 12'000;          // what each of those that are gathered takes
  uint64_t stream_us = 1'000'000;     // streams that waited so long join a pass, for a pick
  uint64_t prefetch_us = 10'000'000;  // likewise, prefetches
  // Urgent requests may read three times what the pass reads, and this many of the longest reads
  // before the pass gets its first turn: 16 MiB, some 30 ms of a solid drive on SATA. Each read
  // counts gap_bytes more than it is long, as it takes time to begin.
  uint64_t urgent_share = 3;
  uint64_t urgent_reads = 16;
};

// Groups of priority; within one, the place decides.
enum class Urgency : uint8_t { urgent, normal, stream, prefetch };
Urgency urgency_of(int32_t priority);

// A range that is to be read.
struct Wish {
  uint64_t id = 0;            // no two are alike
  uint64_t file = 0;          // a pick stays within one
  uint64_t place_bytes = 0;   // on the device
  uint64_t length_bytes = 0;  // 1 or more
  int32_t priority = 0;
  uint64_t asked_us = 0;
  uint64_t deadline_us = 0;  // on the same clock; 0: none
  bool is_whole = false;     // picked in one piece, however long, and alone
  bool is_placed = false;    // place_bytes is its real place, not just a number to sort by
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
  // How far from there, either way; 0 if that isn't known.
  uint64_t jump_bytes = 0;
  Vector<PickedPart> parts;  // with room for most_parts, nothing is allocated
};

class Elevator {
 public:
  static constexpr uint64_t kNever = UINT64_MAX;
  explicit Elevator(const ElevatorOptions& options, const Memory& memory = {});

  // Throws std::bad_alloc; then nothing has changed.
  void add(const Wish& wish);
  // Takes away what hasn't been picked yet of a wish; false if there is nothing.
  bool remove(uint64_t id);
  // Of what hasn't been picked yet; false if there is nothing. Throws std::bad_alloc; then nothing
  // has changed.
  bool reschedule(uint64_t id, int32_t priority, uint64_t deadline_us, uint64_t now_us);
  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }

  // What to read next. It picks something as long as anything is wanted, and every byte of every
  // wish once. Time doesn't go backwards. A pick after a jump of `far_bytes` or more is cut at
  // `most_after_jump_bytes`; what is left of it follows.
  struct Cut {
    uint64_t far_bytes = kNever;
    uint64_t most_after_jump_bytes = kNever;
  };
  bool next(uint64_t now_us, Pick& pick) { return next(now_us, pick, Cut{}); }
  bool next(uint64_t now_us, Pick& pick, const Cut& cut);
  // For another medium; what is wanted stays.
  void set_options(const ElevatorOptions& options);
  // What the pass would read after the latest pick without a seek, for a hint to the system.
  std::optional<PickedPart> following() const;

 private:
  using Key = std::pair<uint64_t, uint64_t>;  // place or time, and id
  using Keys = std::set<Key, std::less<>, NodeAllocator<Key>>;

  struct Entry {
    Wish wish;  // what is left of it
    Urgency urgency = Urgency::normal;
    Keys* home = nullptr;      // the set by place that it is in
    uint64_t due_us = kNever;  // when it becomes urgent
    uint64_t since_us = 0;     // in the background: when it was last served
  };

  // Streams, or prefetches, that wait for the others to be done.
  struct Background {
    explicit Background(NodePool& nodes) : by_place(nodes), by_age(nodes) {}
    Keys by_place;
    Keys by_age;
  };

  Keys& pass() { return ordinary_[pass_number_]; }
  const Keys& pass() const { return ordinary_[pass_number_]; }
  Keys& next_pass() { return ordinary_[1 - pass_number_]; }
  bool is_in_reach(const Entry& entry) const;
  bool joins_pass(const Entry& entry) const;
  Keys& home_of(const Entry& entry);
  uint64_t due_of(const Wish& wish, Urgency urgency) const;
  Keys* ages_of(Urgency urgency);
  void begin_pass();
  void promote(Background& waiting, uint64_t patience_us);
  void refill(uint64_t now_us);
  bool others_wait() const;
  void count_turn(const Pick& pick, bool is_due, bool others_waited);
  // Those that are urgent now, the first kMostGathered of them.
  struct Gathered {
    size_t count = 0;  // with a deadline
    uint64_t first_deadline_us = kNever;
    Entry* nearest = nullptr;                // ahead of the head, or else from the front on
    Entry* nearest_with_deadline = nullptr;  // likewise
  };
  Gathered gather_due();
  Entry* due();
  Entry* due_on_a_disk(Entry& first);
  Entry* ordinary();
  Entry* nearest_ahead(const Keys& keys);
  const Entry* neighbour(uint64_t file, uint64_t from_bytes, uint64_t to_bytes) const;
  void begin_pick(const Wish& wish, Pick& pick) const;
  void take(Entry& entry, uint64_t length_bytes, Pick& pick);
  void forget(const Entry& entry);

  ElevatorOptions options_;
  NodePool nodes_;
  std::unordered_map<uint64_t, Entry, std::hash<uint64_t>, std::equal_to<>,
                     NodeAllocator<std::pair<const uint64_t, Entry>>>
      entries_{nodes_};
  // Normal and urgent ones by place: those of this pass, and those of the next.
  std::array<Keys, 2> ordinary_ = {Keys(nodes_), Keys(nodes_)};
  size_t pass_number_ = 0;
  Background stream_{nodes_};
  Background prefetch_{nodes_};
  Keys due_{nodes_};  // all that become urgent, by the time when they do

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
  bool is_head_placed_ = false;
  bool is_away_ = false;  // from the pass
  // In millionths of a seek.
  uint64_t most_allowance_ = 0;
  uint64_t allowance_ = 0;
  uint64_t ahead_bytes_ = 0;  // what urgent ones have read beyond their share
};

}  // namespace seekless::runtime
