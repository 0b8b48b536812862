#include "packer/page/picture_of_files.h"

#include <algorithm>

#include <fmt/format.h>

#include "packer/drive/drive.h"
#include "packer/words/counted.h"

namespace seekless {
namespace {

// Draws the head's way while it reads all files in order: each piece at its place on the drive, at
// the time when the drive model reads it.
Picture head_way(const FilesOnDisk& of) {
  constexpr uint64_t kLeastDotBytes = uint64_t{1} << 20;
  constexpr uint64_t kMostDots = 200'000;
  const uint64_t dot_bytes = std::max(kLeastDotBytes, of.all.bytes / kMostDots);
  Drive drive(of.drive);
  Picture picture = {.title = "Reading all files in order, on " + of.drive.name,
                     .places = PicturePlaces::drive};
  for (const FileExtents& file : of.files) {
    const auto number = static_cast<uint32_t>(picture.files.size());
    picture.files.push_back({file.path, file.size_bytes});
    for (const Extent& extent : file.extents)
      for (uint64_t at = 0; at < extent.length_bytes; at += dot_bytes) {
        const uint64_t place = extent.place_bytes + at;
        const uint64_t length = std::min(dot_bytes, extent.length_bytes - at);
        const double start_ms = drive.counters().busy_ms;
        const double busy_ms = drive.read(place, length);
        picture.reads.push_back({.start_ns = static_cast<int64_t>(start_ms * 1e6),
                                 .duration_ns = static_cast<int64_t>(busy_ms * 1e6),
                                 .offset_bytes = place,
                                 .length_bytes = length,
                                 .file = number});
      }
  }
  return picture;
}

}  // namespace

PicturePage picture_of(const FilesOnDisk& of) {
  PicturePage page = {.title = "Where files lie", .pictures = {head_way(of)}};
  page.pictures.front().notes.push_back(
      fmt::format("{}. {}", counted(of.all.fragments, "fragment"), reading_sentence(of)));
  return page;
}

}  // namespace seekless
