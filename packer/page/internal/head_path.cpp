#include "packer/page/internal/head_path.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace seekless {
namespace {

constexpr size_t kNoBudget = std::numeric_limits<size_t>::max();

// Builds the `d` attribute of a path with relative moves, which are short, and checks its length.
class PathWriter {
 public:
  explicit PathWriter(size_t budget_bytes) : budget_bytes_(budget_bytes) {}

  void move_to(DrawnPoint point) {
    fmt::format_to(std::back_inserter(d_), "M{} {}", point.x, point.y);
    at_ = point;
  }
  void line_to(DrawnPoint point) {
    const int dx = point.x - at_.x;
    const int dy = point.y - at_.y;
    if (dx == 0)
      fmt::format_to(std::back_inserter(d_), "v{}", dy);
    else if (dy == 0)
      fmt::format_to(std::back_inserter(d_), "h{}", dx);
    else
      fmt::format_to(std::back_inserter(d_), "l{} {}", dx, dy);
    at_ = point;
  }
  bool is_at(DrawnPoint point) const { return !d_.empty() && at_ == point; }
  bool is_too_long() const { return d_.size() > budget_bytes_; }
  std::string take() { return std::move(d_); }

 private:
  std::string d_;
  DrawnPoint at_;
  size_t budget_bytes_;
};

// Reduces the points of one column of the grid to those that are visible.
class Column {
 public:
  void add(DrawnPoint point) {
    if (count_ == 0) first_ = lowest_ = highest_ = {point, 0};
    if (point.y < highest_.point.y) highest_ = {point, count_};
    if (point.y > lowest_.point.y) lowest_ = {point, count_};
    last_ = {point, count_++};
  }
  void write_to(PathWriter& path) {
    std::array kept = {first_, highest_, lowest_, last_};
    std::ranges::sort(kept, {}, &KeptPoint::order);
    for (const KeptPoint& point : kept) {
      if (count_ == 0 || path.is_at(point.point)) continue;
      if (started_)
        path.line_to(point.point);
      else
        path.move_to(point.point);
      started_ = true;
    }
    count_ = 0;
  }

 private:
  struct KeptPoint {
    DrawnPoint point;
    size_t order = 0;
  };
  KeptPoint first_, highest_, lowest_, last_;
  size_t count_ = 0;
  bool started_ = false;
};

std::optional<std::string> travel_on_grid(std::span<const DrawnRead> reads, int cell,
                                          size_t budget_bytes) {
  PathWriter path(budget_bytes);
  Column column;
  int column_at = 0;
  for (const DrawnRead& read : reads) {
    for (const DrawnPoint point : {read.from, read.to}) {
      if (point.x / cell != column_at) column.write_to(path);
      if (path.is_too_long()) return std::nullopt;
      column_at = point.x / cell;
      column.add(point);
    }
  }
  column.write_to(path);
  return path.is_too_long() ? std::nullopt : std::optional(path.take());
}

std::optional<std::string> exact_reads(std::span<const DrawnRead> reads, size_t budget_bytes) {
  PathWriter path(budget_bytes);
  for (const DrawnRead& read : reads) {
    if (!path.is_at(read.from))
      path.move_to(read.from);
    else if (read.from == read.to)
      continue;  // the read's dot is drawn already
    path.line_to(read.to);
    if (path.is_too_long()) return std::nullopt;
  }
  return path.take();
}

// Remembers which cells of a picture are touched by reads.
class CellGrid {
 public:
  CellGrid(int width, int height, int cell)
      : cell_(cell),
        columns_(width / cell + 1),
        rows_(height / cell + 1),
        touched_(static_cast<size_t>(columns_) * static_cast<size_t>(rows_)) {}

  void mark(const DrawnRead& read) {
    const int dx = read.to.x - read.from.x;
    const int dy = read.to.y - read.from.y;
    const int steps = std::max(std::abs(dx), std::abs(dy)) / cell_ + 1;
    for (int i = 0; i <= steps; ++i)
      touched_[index((read.from.x + dx * i / steps) / cell_,
                     (read.from.y + dy * i / steps) / cell_)] = true;
  }

  std::optional<std::string> path(size_t budget_bytes) const {
    PathWriter path(budget_bytes);
    for (int column = 0; column < columns_; ++column) {
      for (int row = 0; row < rows_; ++row) {
        if (!touched_[index(column, row)]) continue;
        const int first = row;
        while (row + 1 < rows_ && touched_[index(column, row + 1)]) ++row;
        path.move_to(middle(column, first));
        path.line_to(middle(column, row));
        if (path.is_too_long()) return std::nullopt;
      }
    }
    return path.take();
  }

 private:
  size_t index(int column, int row) const {
    return static_cast<size_t>(column) * static_cast<size_t>(rows_) + static_cast<size_t>(row);
  }
  DrawnPoint middle(int column, int row) const {
    return {column * cell_ + cell_ / 2, row * cell_ + cell_ / 2};
  }

  int cell_;
  int columns_;
  int rows_;
  std::vector<bool> touched_;
};

}  // namespace

ThinnedPath travel_path(std::span<const DrawnRead> reads, int width, size_t budget_bytes) {
  for (int cell = 1; cell <= width; cell *= 2)
    if (auto path = travel_on_grid(reads, cell, budget_bytes)) return {std::move(*path), cell};
  const int whole = width + 1;
  return {travel_on_grid(reads, whole, kNoBudget).value_or(""), whole};
}

ThinnedPath reads_path(std::span<const DrawnRead> reads, int width, int height,
                       size_t budget_bytes) {
  if (auto path = exact_reads(reads, budget_bytes)) return {std::move(*path), 1};
  for (int cell = 2;; cell *= 2) {
    CellGrid grid(width, height, cell);
    for (const DrawnRead& read : reads) grid.mark(read);
    const bool is_last = cell > std::max(width, height);
    if (auto path = grid.path(is_last ? kNoBudget : budget_bytes)) return {std::move(*path), cell};
  }
}

}  // namespace seekless
