// Defines the answers of 'import' and 'record': the traces that were made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/trace/import_file.h"

namespace seekless {

struct ImportAnswer {
  std::vector<ImportedTrace> traces;
};

// Returns one line for each problem found while reading. `splits` is true if --split was given.
std::vector<std::string> warnings_of(const ImportedTrace& imported, bool splits);
std::string to_text(const ImportedTrace& imported);  // the last line has no newline
nlohmann::ordered_json to_json(const ImportAnswer& answer);

struct RecordedTrace {
  std::string output;
  std::string program;  // name of the program's file
  ImportReport report;
  uint64_t marks = 0;
  uint64_t processes = 0;
  uint64_t io_urings = 0;
  int exit_code = 0;  // exit code of the program
  int signal = 0;     // signal that ended the program; 0 if none did
};

std::vector<std::string> lines_of(const RecordedTrace& recorded);
nlohmann::ordered_json to_json(const RecordedTrace& recorded);

}  // namespace seekless
