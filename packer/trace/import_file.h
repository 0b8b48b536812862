// Turns recorded traces into files of the project's own form.
#pragma once

#include <string>
#include <vector>

#include "packer/trace/dialect.h"

namespace seekless {

// Whether `output` names a folder, there or to be made.
bool goes_to_folder(const std::string& output);

// A file for each input, in their order; for all of them one if they are to be joined. Error (wrong
// usage): one file for several, or two of the same name.
Result<std::vector<std::string>> outputs_of_import(const std::vector<std::string>& inputs,
                                                   const std::string& output, bool join);

struct ImportedTrace {
  std::string input;
  std::string output;
  ImportReport report;
};

// As read_trace; a trace without a read of a file is an error (damaged), and leaves no output.
Result<ImportedTrace> import_file(const std::string& input, const std::string& output,
                                  const ImportOptions& options);

// The files of `strace -ff` as one recording, called by the name that they share.
Result<ImportedTrace> import_joined(const std::vector<std::string>& inputs,
                                    const std::string& output, ImportOptions options);

}  // namespace seekless
