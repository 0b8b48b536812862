// Converts recorded traces to files of the project's own form.
#pragma once

#include <string>
#include <vector>

#include "packer/trace/dialect.h"

namespace seekless {

// Returns true if `output` is a folder, existing or to be created.
bool goes_to_folder(const std::string& output);

// Returns one output file for each input, in the same order, or a single one if the inputs are to
// be joined. Fails (wrong usage) if several inputs would go to one file, or two outputs have the
// same name.
Result<std::vector<std::string>> outputs_of_import(const std::vector<std::string>& inputs,
                                                   const std::string& output, bool join);

struct ImportedTrace {
  std::string input;
  std::string output;
  ImportReport report;
};

// Reads a trace as read_trace does, and writes it. A trace without file reads is an error
// (damaged), and leaves no output.
Result<ImportedTrace> import_file(const std::string& input, const std::string& output,
                                  const ImportOptions& options);

// Imports the files of `strace -ff` as one recording, named after their common stem.
Result<ImportedTrace> import_joined(const std::vector<std::string>& inputs,
                                    const std::string& output, ImportOptions options);

}  // namespace seekless
