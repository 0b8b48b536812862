#include "packer/page/internal/picture_scale.h"

#include <algorithm>

#include "packer/page/internal/byte_ranges.h"

namespace seekless {
namespace {

// Share of the height for all gaps between files, which hold their names.
constexpr double kGapShare = 0.2;
constexpr double kMostGapShare = 0.05;        // share of the height for one gap
constexpr uint64_t kLeastDriveGapShare = 20;  // gaps over 1/20 of the bytes read are left out

// Puts the bands one above the other.
void stack(Scale& scale) {
  double drawn = 0;
  for (const Band& band : scale.bands) drawn += static_cast<double>(band.length_bytes);
  const auto gaps = static_cast<double>(scale.bands.size());
  const double gap = drawn * std::min(kMostGapShare, kGapShare / std::max(1.0, gaps));
  double base = 0;
  for (Band& band : scale.bands) {
    band.base = base;
    base += static_cast<double>(band.length_bytes) + gap;
  }
  scale.height = std::max(1.0, base);
}

// Returns the length of each file, or the end of its last read if that is greater or the length is
// unknown.
std::vector<uint64_t> lengths_of(const PreparedPage& page) {
  std::vector<uint64_t> lengths;
  for (const PreparedFile& file : page.files)
    lengths.push_back(std::max<uint64_t>(file.size_bytes, 1));
  for (const PreparedPicture& picture : page.pictures)
    for (const PreparedRead& read : picture.reads)
      lengths[read.file] = std::max(lengths[read.file], read.offset_bytes + read.length_bytes);
  return lengths;
}

void add_band(Scale& scale, std::vector<char>& is_there, uint32_t file, uint64_t length_bytes) {
  if (is_there[file] != 0) return;
  is_there[file] = 1;
  scale.bands.push_back({.length_bytes = length_bytes, .file = file});
}

Scale scale_of_files(const PreparedPage& page, const std::vector<size_t>& members,
                     const std::vector<uint64_t>& lengths, bool as_given) {
  Scale scale;
  std::vector<char> is_read(page.files.size());
  for (const size_t member : members)
    for (const PictureFileFigures& figures : page.pictures[member].by_file)
      is_read[figures.file] = 1;
  std::vector<char> is_there(page.files.size());
  if (as_given) {
    for (uint32_t file = 0; file < page.files.size(); ++file)
      if (is_read[file] != 0) add_band(scale, is_there, file, lengths[file]);
  } else {
    for (const size_t member : members)
      for (const PreparedRead& read : page.pictures[member].reads)
        add_band(scale, is_there, read.file, lengths[read.file]);
  }
  stack(scale);
  return scale;
}

// Adds the places on the disk of a read of a file.
void add_places(const PreparedRead& read, const std::vector<PicturePiece>& pieces,
                std::vector<ByteRange>& extents) {
  const uint64_t end_bytes = read.offset_bytes + std::max<uint64_t>(read.length_bytes, 1);
  auto piece = std::ranges::upper_bound(pieces, read.offset_bytes, {}, &PicturePiece::offset_bytes);
  if (piece != pieces.begin()) --piece;
  for (; piece != pieces.end() && piece->offset_bytes < end_bytes; ++piece) {
    const uint64_t from = std::max(read.offset_bytes, piece->offset_bytes);
    const uint64_t to = std::min(end_bytes, piece->offset_bytes + piece->length_bytes);
    if (from >= to) continue;
    const uint64_t place = piece->place_bytes + from - piece->offset_bytes;
    extents.push_back({place, place + to - from});
  }
}

std::vector<ByteRange> touched(const PreparedPage& page, const std::vector<size_t>& members,
                               bool on_disk) {
  std::vector<ByteRange> extents;
  for (const size_t member : members)
    for (const PreparedRead& read : page.pictures[member].reads) {
      if (on_disk)
        add_places(read, page.files[read.file].pieces, extents);
      else
        extents.push_back(
            {read.offset_bytes, read.offset_bytes + std::max<uint64_t>(read.length_bytes, 1)});
    }
  return merged(std::move(extents));
}

Scale scale_of_drive(const PreparedPage& page, const std::vector<size_t>& members, bool on_disk) {
  const std::vector<ByteRange> extents = touched(page, members, on_disk);
  uint64_t read_bytes = 0;
  for (const ByteRange& extent : extents) read_bytes += extent.end_bytes - extent.first_bytes;
  Scale scale{.is_drive = true};
  for (const ByteRange& extent : extents) {
    const bool is_near =
        !scale.bands.empty() &&
        extent.first_bytes - (scale.bands.back().first_bytes + scale.bands.back().length_bytes) <=
            read_bytes / kLeastDriveGapShare;
    if (is_near)
      scale.bands.back().length_bytes = extent.end_bytes - scale.bands.back().first_bytes;
    else
      scale.bands.push_back({.first_bytes = extent.first_bytes,
                             .length_bytes = extent.end_bytes - extent.first_bytes});
  }
  stack(scale);
  return scale;
}

bool have_file_in_common(const PreparedPicture& a, const PreparedPicture& b, size_t files) {
  std::vector<char> is_read(files);
  for (const PictureFileFigures& of_a : a.by_file) is_read[of_a.file] = 1;
  return std::ranges::any_of(
      b.by_file, [&](const PictureFileFigures& of_b) { return is_read[of_b.file] != 0; });
}

}  // namespace

void give_scales(const PicturePage& page, PreparedPage& prepared) {
  const std::vector<uint64_t> lengths = lengths_of(prepared);
  std::vector<std::vector<size_t>> groups;
  for (size_t i = 0; i < prepared.pictures.size(); ++i) {
    const PicturePlaces places = page.pictures[i].places;
    const auto group = std::ranges::find_if(groups, [&](const std::vector<size_t>& members) {
      const size_t first = members.front();
      return page.pictures[first].places == places &&
             (places == PicturePlaces::drive ||
              have_file_in_common(prepared.pictures[first], prepared.pictures[i],
                                  prepared.files.size()));
    });
    prepared.pictures[i].scale = static_cast<size_t>(group - groups.begin());
    if (group == groups.end())
      groups.push_back({i});
    else
      group->push_back(i);
  }
  for (const std::vector<size_t>& members : groups) {
    const PicturePlaces places = page.pictures[members.front()].places;
    prepared.scales.push_back(
        places == PicturePlaces::drive
            ? scale_of_drive(prepared, members, false)
            : scale_of_files(prepared, members, lengths, places == PicturePlaces::files_as_given));
    const bool is_on_disk =
        places != PicturePlaces::drive &&
        std::ranges::none_of(members, [&](size_t i) { return page.pictures[i].disk.empty(); });
    if (!is_on_disk) continue;
    Scale disk = scale_of_drive(prepared, members, true);
    prepared.scales.back().disk_bands = std::move(disk.bands);
    prepared.scales.back().disk_height = disk.height;
  }
}

}  // namespace seekless
