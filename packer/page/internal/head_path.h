// Draws reads of a drive as the `d` attribute of SVG paths, and thins them out to a given number of
// bytes. A load may have hundreds of thousands of reads, but a picture only has a thousand columns
// of dots.
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

// Tells where and when a read began and ended.
struct DrawnRead {
  DrawnPoint from;
  DrawnPoint to;
};

// Holds a path, and the cell size of the grid that it was rounded to. A size of 1 means that no
// detail was lost.
struct ThinnedPath {
  std::string d;
  int cell = 1;
};

// Draws the path of the head through all reads, in order. On a coarser grid, each column keeps only
// its first, highest, lowest and last point, which keeps the outline of a zig-zag. Points are
// within 0..width. The result has at most `budget_bytes`, or is a single column.
ThinnedPath travel_path(std::span<const DrawnRead> reads, int width, size_t budget_bytes);

// Draws the reads themselves. On a coarser grid, reads that fall into the same cells are drawn
// once. Points are within 0..width and 0..height. The result has at most `budget_bytes`, or is a
// single column.
ThinnedPath reads_path(std::span<const DrawnRead> reads, int width, int height,
                       size_t budget_bytes);

}  // namespace seekless
