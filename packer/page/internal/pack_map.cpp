#include "packer/page/internal/pack_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>

namespace seekless {
namespace {

// A smaller share of a step at a range's edge is a rounding error.
constexpr double kNothing = 1e-6;

constexpr int kSlowness = 8;  // steps grow by one column, or by an eighth if they are long

size_t rank_of(std::string_view kind) {
  constexpr std::array<std::string_view, 3> kKinds = {"common", "sub", "cold"};
  return static_cast<size_t>(std::ranges::find(kKinds, kind) - kKinds.begin());
}

// Counts the bytes in a step. They are doubles, because steps don't have a whole number of bytes.
struct StepBytes {
  double read = 0;
  double needed = 0;
  double copied = 0;

  StepBytes& operator+=(const StepBytes& other) {
    read += other.read;
    needed += other.needed;
    copied += other.copied;
    return *this;
  }

  StepUse use() const {
    if (!(read > 0)) return StepUse::nothing;
    const double needed_once = needed - copied;
    const double passed = read - needed;
    if (copied > 0 && copied >= needed_once && copied >= passed) return StepUse::copied;
    return needed_once > 0 && needed_once >= passed ? StepUse::needed : StepUse::passed;
  }
};

class MapRow {
 public:
  MapRow(const PacksInRow& places, int columns)
      : places_(places),
        column_bytes_(static_cast<double>(places.total_bytes) / columns),
        steps_(static_cast<size_t>(columns)) {}

  void add(const std::vector<PackRange>& ranges, double StepBytes::*kind) {
    for (const PackRange& range : ranges) {
      const auto start = static_cast<double>(places_.start_bytes[range.pack]);
      const double first = start + static_cast<double>(range.first_bytes);
      const double end = start + static_cast<double>(range.end_bytes);
      for (size_t i = column_of(first); i < steps_.size(); ++i) {
        const double left = static_cast<double>(i) * column_bytes_;
        if (left >= end) break;
        const double bytes = std::min(end, left + column_bytes_) - std::max(first, left);
        if (bytes > kNothing * column_bytes_) steps_[i].*kind += bytes;
      }
    }
  }

  // Joins each group of `step_columns` columns into a step, and returns the runs of steps with the
  // same use.
  std::vector<StepRun> runs(int step_columns) const {
    const int columns = static_cast<int>(steps_.size());
    std::vector<StepRun> out;
    for (int at = 0; at < columns; at += step_columns) {
      const int end = std::min(columns, at + step_columns);
      StepBytes sum;
      for (int i = at; i < end; ++i) sum += steps_[static_cast<size_t>(i)];
      const StepUse use = sum.use();
      if (!out.empty() && out.back().end == at && out.back().use == use)
        out.back().end = end;
      else if (use != StepUse::nothing)
        out.push_back({at, end, use});
    }
    return out;
  }

 private:
  size_t column_of(double place) const {
    return static_cast<size_t>(std::max(0.0, std::floor(place / column_bytes_)));
  }

  const PacksInRow& places_;
  const double column_bytes_;
  std::vector<StepBytes> steps_;
};

}  // namespace

PacksInRow in_row(const std::vector<PackReport>& packs) {
  PacksInRow row;
  row.order.resize(packs.size());
  std::iota(row.order.begin(), row.order.end(), size_t{0});
  std::ranges::stable_sort(row.order, {}, [&](size_t i) { return rank_of(packs[i].kind); });
  row.start_bytes.resize(packs.size());
  for (const size_t i : row.order) {
    row.start_bytes[i] = row.total_bytes;
    row.total_bytes += std::min(packs[i].file_bytes, UINT64_MAX - row.total_bytes);
  }
  return row;
}

PackMap make_pack_map(std::span<const ScenarioReads> scenarios,
                      const std::vector<PackReport>& packs, int columns, size_t most_runs) {
  const PacksInRow places = in_row(packs);
  PackMap map;
  map.rows.resize(scenarios.size());
  if (places.total_bytes == 0) return map;
  std::vector<MapRow> rows;
  rows.reserve(scenarios.size());
  for (const ScenarioReads& scenario : scenarios) {
    const NestedReads ranges = nested(scenario, packs);
    MapRow& row = rows.emplace_back(places, columns);
    row.add(ranges.read, &StepBytes::read);
    row.add(ranges.needed, &StepBytes::needed);
    row.add(ranges.copied, &StepBytes::copied);
  }
  for (;; map.step_columns += 1 + map.step_columns / kSlowness) {
    size_t count = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      map.rows[i] = rows[i].runs(map.step_columns);
      count += map.rows[i].size();
    }
    if (count <= most_runs || map.step_columns >= columns) return map;
  }
}

}  // namespace seekless
