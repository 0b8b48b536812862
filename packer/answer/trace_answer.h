// The answers of 'import' and 'record': the traces that were made.
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

// One line for each thing that reading it brought up. `splits` is true if --split was given.
std::vector<std::string> warnings_of(const ImportedTrace& imported, bool splits);
std::string to_text(const ImportedTrace& imported);  // without the last line's end
nlohmann::ordered_json to_json(const ImportAnswer& answer);

struct RecordedTrace {
  std::string output;
  std::string program;  // its file's name
  ImportReport report;
  uint64_t marks = 0;
  uint64_t processes = 0;
  uint64_t io_urings = 0;
  int exit_code = 0;  // of the program,
  int signal = 0;     // or what ended it
};

std::vector<std::string> lines_of(const RecordedTrace& recorded);
nlohmann::ordered_json to_json(const RecordedTrace& recorded);

}  // namespace seekless
