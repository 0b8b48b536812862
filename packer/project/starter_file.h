// Makes a first build file from the files in a folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/file_stamp.h"

namespace seekless {

struct StarterFile {
  std::string content = ".";         // folder, relative to the build file
  uint64_t files = 0;                // number of files in the content
  uint64_t bytes = 0;                // size of these files
  std::vector<std::string> traces;   // patterns of recordings, sorted
  uint64_t recordings = 0;           // number of recordings that the patterns match
  std::vector<std::string> samples;  // the smallest recording of each pattern
  std::string map;                   // "FROM=TO", if recordings use another path for the content
  std::string text;                  // text of the build file
};

// Makes the build file. `files` are those below the folder. The content is the folder named
// "content", "data" or "assets" if it holds more than half of the bytes, and otherwise everything
// but recordings. Recordings are recognised by the endings of their names. If there is no content,
// the error is of kind failed.
Result<StarterFile> make_starter_file(const std::vector<StampedFile>& files,
                                      const std::string& folder);

// Makes StarterFile::text again after another member was changed.
std::string text_of(const StarterFile& starter);

}  // namespace seekless
