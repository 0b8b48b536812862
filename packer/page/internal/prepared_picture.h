// Prepares a page of pictures: reads are sorted and within limits, files of all pictures are in one
// list, files get colours, and every place gets a position on a vertical scale. Any input is
// accepted; the result keeps to the ranges below.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "packer/page/internal/picture.h"

namespace seekless {

// Limits places, lengths and times to integers that are exact in JavaScript.
inline constexpr uint64_t kPictureLimit = uint64_t{1} << 53;
// Distinguishable by any eye on either background.
inline constexpr uint32_t kColours = 7;
inline constexpr uint32_t kOtherColour = kColours;  // colour of all other files

struct PreparedRead {
  uint64_t start_us = 0;  // time since the page's time 0
  uint64_t duration_us = 0;
  bool has_duration = false;
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;  // offset + length is at most kPictureLimit
  uint32_t file = 0;          // index in PreparedPage::files
  uint32_t thread = 0;
};

struct PreparedFile {
  // Safe to show: valid UTF-8 without control characters; not yet escaped for HTML.
  std::string name;
  uint64_t size_bytes = 0;
  uint32_t colour = kOtherColour;
  std::vector<PicturePiece> pieces = {};  // sorted by offset, within the limit
  std::vector<PictureAsset> assets = {};  // sorted by offset, with names safe to show
};

// Describes a range of places that is drawn. Places between two bands are left out.
struct Band {
  uint64_t first_bytes = 0;
  uint64_t length_bytes = 0;  // at least 1
  double base = 0;            // position on the scale, in bytes above its bottom
  uint32_t file = 0;          // not used on a drive's scale
};

struct Scale {
  bool is_drive = false;
  std::vector<Band> bands;  // from bottom to top
  double height = 1;        // top of the uppermost band
  // The same reads by their places on the disk; no bands if these are unknown.
  std::vector<Band> disk_bands = {};
  double disk_height = 1;
};

// Holds the figures of a picture, or of a part of it.
struct ReadFigures {
  uint64_t reads = 0;
  uint64_t bytes = 0;
  uint64_t files = 0;
  uint64_t jumps = 0;  // reads that don't begin where the one before ended
  // Number of jumps to a lower place of the same file, or of the drive.
  uint64_t backwards = 0;
  uint64_t median_bytes = 0;
};

struct PictureFileFigures {
  uint32_t file = 0;
  uint64_t reads = 0;
  uint64_t bytes = 0;
  uint64_t first_us = 0;
  uint64_t last_us = 0;  // time at which the last read started
};

struct PreparedMark {
  uint64_t time_us = 0;
  std::string name;
  bool begins = true;
};

struct PreparedPicture {
  std::vector<PreparedRead> reads;  // sorted by start
  std::vector<PreparedMark> marks;  // sorted by time
  size_t scale = 0;                 // index in PreparedPage::scales
  uint64_t end_us = 0;              // end of the last read
  ReadFigures figures;
  std::vector<PictureFileFigures> by_file;  // the file with most bytes first
};

// Describes the owner of a colour: a file, or a folder if hundreds of files matter about equally.
struct ColourOwner {
  std::string name;    // name of the file or folder, safe to show
  uint64_t files = 0;  // number of files with this colour
  bool is_folder = false;
};

struct PreparedPage {
  std::vector<PreparedFile> files;   // files in the order in which the pictures name them
  std::vector<ColourOwner> colours;  // indexed by colour; at most kColours
  std::vector<Scale> scales;
  std::vector<PreparedPicture> pictures;  // in the order of PicturePage::pictures
  uint64_t end_us = 0;
};

PreparedPage prepare(const PicturePage& page);

// Returns valid UTF-8 without control characters. Other bytes are shown as \xNN.
std::string shown_name(std::string_view name);

}  // namespace seekless
