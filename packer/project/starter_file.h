// A build file to begin with, made of what is found in a folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/file_stamp.h"

namespace seekless {

struct StarterFile {
  std::string content = ".";         // folder, relative to the build file
  uint64_t files = 0;                // of the content
  uint64_t bytes = 0;                // of them
  std::vector<std::string> traces;   // patterns of recordings, sorted
  uint64_t recordings = 0;           // that they match
  std::vector<std::string> samples;  // the smallest recording of each pattern
  std::string map;                   // "FROM=TO", where recordings call the content otherwise
  std::string text;                  // of the build file
};

// `files` are those below the folder. Content is the folder that is called so ("content", "data",
// "assets") if it holds more than half of the bytes, else everything but recordings. Recordings are
// known by the endings of their names.
// Errors: failed if there is no content.
Result<StarterFile> make_starter_file(const std::vector<StampedFile>& files,
                                      const std::string& folder);

// Makes StarterFile::text anew, after another member was changed.
std::string text_of(const StarterFile& starter);

}  // namespace seekless
