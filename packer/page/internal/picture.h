// The disk-offset graph: what was read when, and where, as one HTML page that needs nothing else.
// Values in, text out; whoever has a trace, a simulation or a drive's extents makes the values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

struct PictureRead {
  int64_t start_ns = 0;       // on any clock: the page counts from the first read or mark
  int64_t duration_ns = -1;   // negative: unknown
  uint64_t offset_bytes = 0;  // in the file, or on the drive: see PicturePlaces
  uint64_t length_bytes = 0;
  uint32_t file = 0;  // index in Picture::files
  uint32_t thread = 0;
};

// A stretch of a file that lies in one piece on its disk.
struct PicturePiece {
  uint64_t offset_bytes = 0;  // in the file
  uint64_t place_bytes = 0;   // on the disk
  uint64_t length_bytes = 0;
};

// Names what lies at an offset of a file: an archive's entry.
struct PictureAsset {
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;
  std::string name;
};

struct PictureFile {
  std::string name;                       // any bytes; files of the same name get the same colour
  uint64_t size_bytes = 0;                // 0 if unknown: then as far as it is read
  std::vector<PicturePiece> pieces = {};  // by offset; see Picture::disk
  std::vector<PictureAsset> assets = {};  // by offset; they don't overlap
};

struct PictureMark {
  int64_t time_ns = 0;
  std::string name;
  bool begins = true;
};

// Says what the vertical axis shows.
enum class PicturePlaces {
  files_by_first_read,  // one file above the other, in the order in which they are first read
  files_as_given,       // the same, in the order of Picture::files
  drive,                // offsets are the drive's; a read in several pieces is several reads
};

struct Picture {
  std::string title;  // "map/rush, run 1"; shown as it is, so any text
  PicturePlaces places = PicturePlaces::files_by_first_read;
  std::vector<PictureFile> files;
  std::vector<PictureRead> reads;  // in any order; those of files that don't exist are left out
  std::vector<PictureMark> marks;
  std::vector<std::string> notes;  // sentences for the reader of the page
  // Whose disk the pieces of all files are of, as a sentence. Then the page shows places on the
  // disk first, and files one above the other where that is asked for. Empty: pieces aren't known.
  std::string disk = {};
  uint64_t every_nth = 1;  // more than 1: only each nth read is given, and the page says so
};

struct PicturePage {
  std::string title;  // of the whole page
  // Side by side: two traces, or before and after. They share the scale of time, and that of places
  // if they show places of the same kind and have a file in common (or both show the drive).
  std::vector<Picture> pictures;
};

// The same page gives the same bytes. Takes about twice the memory of the text, and that is about 8
// bytes a read and 300 a file.
std::string picture_html(const PicturePage& page);

// Writes the page whole or not at all; "-" is standard output.
Result<void> write_picture(const std::string& path, const PicturePage& page);

}  // namespace seekless
