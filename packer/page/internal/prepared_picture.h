// A page of pictures brought into order: reads sorted and within limits, files of all pictures in
// one list, colours given, and every place put on a vertical scale. Takes what callers hand in,
// however odd; what comes out keeps to the ranges below.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "packer/page/internal/picture.h"

namespace seekless {

// Integers up to here are exact in a script; places, lengths and times are cut to it.
inline constexpr uint64_t kPictureLimit = uint64_t{1} << 53;
inline constexpr uint32_t kColours = 7;             // told apart by any eye on either background
inline constexpr uint32_t kOtherColour = kColours;  // of all files beyond these

struct PreparedRead {
  uint64_t start_us = 0;  // from the page's time 0
  uint64_t duration_us = 0;
  bool has_duration = false;
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;  // offset + length is at most kPictureLimit
  uint32_t file = 0;          // index in PreparedPage::files
  uint32_t thread = 0;
};

struct PreparedFile {
  std::string name;  // fit to be shown: valid UTF-8, no controls, still to be escaped for HTML
  uint64_t size_bytes = 0;
  uint32_t colour = kOtherColour;
  std::vector<PicturePiece> pieces = {};  // by offset, within the limit
  std::vector<PictureAsset> assets = {};  // by offset, with names fit to be shown
};

// A stretch of places that is drawn; what lies between two is left out.
struct Band {
  uint64_t first_bytes = 0;
  uint64_t length_bytes = 0;  // at least 1
  double base = 0;            // on the scale, in bytes from its bottom
  uint32_t file = 0;          // not on a drive's scale
};

struct Scale {
  bool is_drive = false;
  std::vector<Band> bands;  // from the bottom up
  double height = 1;        // top of the uppermost band
  // The same reads by their places on the disk, where these are known: else no bands.
  std::vector<Band> disk_bands = {};
  double disk_height = 1;
};

// What figures are computed from a picture, or a part of it.
struct ReadFigures {
  uint64_t reads = 0;
  uint64_t bytes = 0;
  uint64_t files = 0;
  uint64_t jumps = 0;      // reads that don't begin where the one before ended
  uint64_t backwards = 0;  // of these, those to a lower place of the same file, or of the drive
  uint64_t median_bytes = 0;
};

struct PictureFileFigures {
  uint32_t file = 0;
  uint64_t reads = 0;
  uint64_t bytes = 0;
  uint64_t first_us = 0;
  uint64_t last_us = 0;  // when the last read started
};

struct PreparedMark {
  uint64_t time_us = 0;
  std::string name;
  bool begins = true;
};

struct PreparedPicture {
  std::vector<PreparedRead> reads;  // by start
  std::vector<PreparedMark> marks;  // by time
  size_t scale = 0;                 // index in PreparedPage::scales
  uint64_t end_us = 0;              // of the last read
  ReadFigures figures;
  std::vector<PictureFileFigures> by_file;  // most bytes first
};

// What has a colour of its own: a file, or where hundreds of files matter alike, a folder of them.
struct ColourOwner {
  std::string name;    // of the file or folder, fit to be shown
  uint64_t files = 0;  // that have the colour
  bool is_folder = false;
};

struct PreparedPage {
  std::vector<PreparedFile> files;   // in the order in which the pictures name them
  std::vector<ColourOwner> colours;  // by colour, kColours at most
  std::vector<Scale> scales;
  std::vector<PreparedPicture> pictures;  // as many as the page has
  uint64_t end_us = 0;
};

PreparedPage prepare(const PicturePage& page);

// Valid UTF-8 without controls: what isn't is shown as \xNN.
std::string shown_name(std::string_view name);

}  // namespace seekless
