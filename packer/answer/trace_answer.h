// Traces that were made, by import or by record, as text for a terminal and JSON for machines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/trace/import_file.h"

namespace seekless {

// What reading it left to be known: one line each.
std::vector<std::string> warnings_of(const ImportedTrace& imported);
std::string to_text(const ImportedTrace& imported);  // without the last line's end
nlohmann::ordered_json to_json(const ImportedTrace& imported);

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
