#include "packer/entries/archive_order.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "packer/entries/internal/read_time.h"
#include "packer/plan/order.h"

namespace seekless {
namespace {

using Order = std::vector<uint32_t>;

// These limits are tried: entries up to this size are kept apart from larger ones; 0 keeps none
// apart. A jump costs about as much as reading some hundred KiB, and one window of Linux's
// read-ahead has 128.
constexpr std::array<uint64_t, 5> kSmallBytes = {0, 4096, 16384, 65536, 262144};
// Relative weight of all unrecorded loads, compared with all recorded ones.
constexpr double kUnrecordedShare = 0.1;
// Up to this many entries, stretches are moved as long as that helps. For more entries this was
// tried and dropped: on recordings of a real game it found orders that the model reads 6 % faster,
// and the engine 10 % slower, than the best candidate.
constexpr size_t kFewEntries = 12;
// Equal times may differ by rounding.
constexpr double kLeastGainS = 1e-9;

enum class Grouping : uint8_t { none, own_apart, by_readers };

// Adds, for each run, a stand-in for an unrecorded load: it reads only those of the run's entries
// that other scenarios also read.
void add_unrecorded_runs(ArchiveReads& reads, double share) {
  double recorded = 0;
  std::vector<ArchiveRun> added;
  for (const ArchiveRun& run : reads.runs) {
    recorded += run.weight;
    ArchiveRun rest = {run.scenario, run.weight, {}};
    for (const uint32_t entry : run.entries)
      if (entry == kElsewhere || reads.entries[entry].readers.size() > 1)
        rest.entries.push_back(entry);
    if (rest.entries.size() < run.entries.size()) added.push_back(std::move(rest));
  }
  double sum = 0;
  for (const ArchiveRun& run : added) sum += run.weight;
  for (ArchiveRun& run : added) {
    run.weight *= sum > 0 ? share * recorded / sum : 0;
    reads.runs.push_back(std::move(run));
  }
}

Order first_seen(const ArchiveReads& reads) {
  Order order;
  std::vector<bool> is_taken(reads.entries.size(), false);
  for (const ArchiveRun& run : reads.runs)
    for (const uint32_t entry : run.entries) {
      if (entry == kElsewhere || is_taken[entry]) continue;
      is_taken[entry] = true;
      order.push_back(entry);
    }
  for (uint32_t entry = 0; entry < is_taken.size(); ++entry)
    if (!is_taken[entry]) order.push_back(entry);
  return order;
}

class Search {
 public:
  Search(const ArchiveReads& recorded, const ArchiveOrderOptions& options)
      : recorded_(recorded), options_(options), reads_(recorded) {
    add_unrecorded_runs(reads_, kUnrecordedShare);
  }

  Order run() {
    ReadTime time(options_.drive, reads_, options_.alignment);
    time_ = &time;
    Order old(recorded_.entries.size());
    std::iota(old.begin(), old.end(), 0);
    best_ = old;
    best_s_ = time.weighted_seconds(old);
    bound_s_ = best_s_ + 2 * kLeastGainS;
    tried_.insert(old);
    const std::array<Order, 2> others = {first_seen(recorded_), portfolio_order()};
    for (const Order& base : others)
      bound_s_ = std::min(bound_s_, time.weighted_seconds(base, bound_s_) + 2 * kLeastGainS);
    try_groupings(old);
    for (const Order& base : others) try_groupings(base);
    if (best_.size() <= kFewEntries) improve();
    return std::move(best_);
  }

 private:
  bool try_order(const Order& order) {
    if (!tried_.insert(order).second) return false;
    const double s = time_->weighted_seconds(order, std::min(best_s_, bound_s_));
    if (s > bound_s_ || s > best_s_ - kLeastGainS) return false;
    best_s_ = s;
    best_ = order;
    return true;
  }

  Order portfolio_order() const {
    OrderProblem problem;
    for (const ReadEntry& entry : recorded_.entries)
      problem.sizes_bytes.push_back(entry.header_bytes + entry.data_bytes);
    for (const ArchiveRun& run : recorded_.runs) {
      std::vector<uint32_t>& entries = problem.runs.emplace_back(run.entries);
      std::erase(entries, kElsewhere);
      problem.run_weights.push_back(run.weight);
    }
    return best_order(problem, options_.drive).order;
  }

  // Returns a group number for each entry; entries of one group lie together.
  std::vector<uint32_t> groups(Grouping grouping) const {
    std::vector<uint32_t> group(recorded_.entries.size(), 0);
    std::map<std::pair<size_t, std::vector<uint32_t>>, uint32_t> numbers;
    if (grouping == Grouping::none) return group;
    const auto key = [&](const ReadEntry& entry) {
      const bool is_own = entry.readers.size() == 1;
      const bool has_group = is_own || grouping == Grouping::by_readers;
      // Sorts by the number of readers, most first.
      return std::pair(SIZE_MAX - (has_group ? entry.readers.size() : SIZE_MAX),
                       has_group ? entry.readers : std::vector<uint32_t>());
    };
    for (const ReadEntry& entry : recorded_.entries) numbers.emplace(key(entry), 0);
    uint32_t next = 0;
    for (auto& [ignored, number] : numbers) number = next++;
    for (size_t i = 0; i < group.size(); ++i) group[i] = numbers.at(key(recorded_.entries[i]));
    return group;
  }

  void try_groupings(const Order& base) {
    for (const Grouping grouping : {Grouping::none, Grouping::own_apart, Grouping::by_readers}) {
      const std::vector<uint32_t> group = groups(grouping);
      for (const uint64_t small_bytes : kSmallBytes) {
        const auto is_large = [&](uint32_t entry) {
          return small_bytes > 0 && recorded_.entries[entry].data_bytes > small_bytes;
        };
        Order order = base;
        std::ranges::stable_sort(
            order, {}, [&](uint32_t entry) { return std::pair(group[entry], is_large(entry)); });
        try_order(order);
        std::ranges::stable_sort(order, {}, is_large);
        try_order(order);
      }
    }
  }

  static void move_stretch(Order& order, size_t begin, size_t end, size_t to) {
    const auto at = [&](size_t place) { return order.begin() + static_cast<ptrdiff_t>(place); };
    if (to < begin)
      std::rotate(at(to), at(begin), at(end));
    else
      std::rotate(at(begin), at(end), at(to));
  }

  void improve() {
    const size_t count = best_.size();
    bool is_better = true;
    while (is_better) {
      is_better = false;
      for (size_t begin = 0; begin < count; ++begin)
        for (size_t end = begin + 1; end <= count; ++end)
          for (size_t to = 0; to <= count; ++to) {
            if (to >= begin && to <= end) continue;
            Order order = best_;
            move_stretch(order, begin, end, to);
            is_better = try_order(order) || is_better;
          }
    }
  }

  const ArchiveReads& recorded_;
  const ArchiveOrderOptions& options_;
  ArchiveReads reads_;  // includes the runs added for unrecorded loads
  ReadTime* time_ = nullptr;
  std::set<Order> tried_;
  Order best_;
  double best_s_ = 0;
  // An order that takes longer loses to one of the bases, each of which is tried as it is. So its
  // time needn't be known.
  double bound_s_ = 0;
};

}  // namespace

std::vector<uint32_t> order_archive(const ArchiveReads& reads, const ArchiveOrderOptions& options) {
  return Search(reads, options).run();
}

}  // namespace seekless
