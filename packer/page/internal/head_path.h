// Reads of a drive as the `d` of SVG paths, thinned out to a number of bytes: a load may have
// hundreds of thousands of reads, and a picture a thousand columns of dots.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace seekless {

struct DrawnPoint {
  int x = 0;
  int y = 0;
  bool operator==(const DrawnPoint&) const = default;
};

// A read, from where and when it began to where and when it ended.
struct DrawnRead {
  DrawnPoint from;
  DrawnPoint to;
};

// A path, and the size of the cells of the grid that it was rounded to; 1: as exact as the reads.
struct ThinnedPath {
  std::string d;
  int cell = 1;
};

// The way of the head through all reads, in order. In each column of a coarser grid the first, the
// highest, the lowest and the last point stay, which keeps the outline of a zig-zag.
// Points are within 0..width; the result has at most `budget_bytes`, or is a single column.
ThinnedPath travel_path(std::span<const DrawnRead> reads, int width, size_t budget_bytes);

// The reads themselves; on a coarser grid those that fall into the same cells are drawn once.
// Points are within 0..width and 0..height; at most `budget_bytes`, or a single column.
ThinnedPath reads_path(std::span<const DrawnRead> reads, int width, int height,
                       size_t budget_bytes);

}  // namespace seekless
