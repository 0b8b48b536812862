// Describes the graph of disk offsets over time, and writes it as one self-contained HTML page. The
// values come from a trace, a simulation or a drive's extents.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

struct PictureRead {
  int64_t start_ns = 0;      // on any clock, since the page shows times from the first read or mark
  int64_t duration_ns = -1;  // negative if unknown
  uint64_t offset_bytes = 0;  // place in the file or on the drive: see PicturePlaces
  uint64_t length_bytes = 0;
  uint32_t file = 0;  // index in Picture::files
  uint32_t thread = 0;
};

// Describes a stretch of a file that lies in one piece on its disk.
struct PicturePiece {
  uint64_t offset_bytes = 0;  // place in the file
  uint64_t place_bytes = 0;   // place on the disk
  uint64_t length_bytes = 0;
};

// Names an archive's entry, which lies at an offset of a file.
struct PictureAsset {
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;
  std::string name;
};

struct PictureFile {
  std::string name;                       // any bytes; files of the same name get the same colour
  uint64_t size_bytes = 0;                // 0 if unknown; then the end of the last read is used
  std::vector<PicturePiece> pieces = {};  // sorted by offset; see Picture::disk
  std::vector<PictureAsset> assets = {};  // sorted by offset, without overlap
};

struct PictureMark {
  int64_t time_ns = 0;
  std::string name;
  bool begins = true;
};

// Says what the vertical axis shows.
enum class PicturePlaces {
  files_by_first_read,  // one file above the other, in the order in which they are first read
  files_as_given,       // one file above the other, in the order of Picture::files
  drive,                // offsets on the drive; a read in several pieces counts as several reads
};

struct Picture {
  std::string title;  // any text, such as "map/rush, run 1"; shown unchanged
  PicturePlaces places = PicturePlaces::files_by_first_read;
  std::vector<PictureFile> files;
  // Reads in any order; reads of files that don't exist are left out.
  std::vector<PictureRead> reads;
  std::vector<PictureMark> marks;
  std::vector<std::string> notes;  // sentences for the reader of the page
  // A sentence that says on which disk the pieces of all files lie. The page then shows places on
  // the disk first; its reader can switch to files one above the other. Empty if the pieces are
  // unknown.
  std::string disk = {};
  uint64_t every_nth = 1;  // if more than 1, only each nth read is given, and the page says so
};

struct PicturePage {
  std::string title;      // title of the whole page
  std::string lead = {};  // the verdict: any text, shown first; may be empty
  // Pictures side by side: two traces, or before and after. They share the scale of time. They also
  // share the scale of places if they show places of the same kind and have a file in common, or if
  // both show the drive.
  std::vector<Picture> pictures;
};

// Returns the page. The same input gives the same bytes. Takes about twice the memory of the text,
// which has about 8 bytes for each read and 300 for each file.
std::string picture_html(const PicturePage& page);

// Writes the page whole or not at all; "-" is standard output.
Result<void> write_picture(const std::string& path, const PicturePage& page);

}  // namespace seekless
