// Declares the options for traces and content that several commands share. It also reads both and
// prints the warnings.
#pragma once

#include <string>
#include <vector>

#include "packer/command/internal/command.h"
#include "packer/command/internal/mark_options.h"
#include "packer/content/content.h"
#include "packer/profile/profile.h"
#include "packer/profile/profile_traces.h"
#include "packer/profile/trace_reader.h"
#include "packer/trace/dialect.h"

namespace seekless {

struct ContentOptions {
  std::vector<std::string> roots;
  ScanOptions scan;

  void add_to(const Command& command, bool is_required = true);
};

struct TraceOptions {
  std::vector<std::string> paths;
  std::vector<std::string> maps;
  bool lenient = false;
  bool may_be_gone = false;  // true if the content may lack everything that the traces read
  MarkOptions marks;

  // `positional` is the name of the argument in the help.
  void add_to(const Command& command, const std::string& positional, bool is_required = true,
              const char* help = "Traces in any known dialect; '-' is standard input");
  Result<ImportOptions> import_options() const;
};

// Makes a reader of traces as the options say. `content` may be null, and must outlive the reader.
// `only` is the same as ImportOptions::only.
Result<TraceReader> reader_of(const TraceOptions& options, const Content* content,
                              std::vector<std::string> only = {});

// Reads the content. Warns about archive entries hidden by others, and counts entries that were
// left out.
Result<Content> read_content(const ContentOptions& options, const Output& output);

// Returns the recorded files that exist on this machine, as content, without the system's own
// files. Empty if there are none, or if a trace can be read only once. `only` is the same as
// ImportOptions::only.
Result<Content> recorded_content(const TraceOptions& options, std::vector<std::string> only = {},
                                 KeptTraces* kept = nullptr);

// Reads an earlier profile, and drops the assets that `content` now leaves out.
Result<Profile> read_profile_for(const std::string& path, const ContentOptions& content);

// Makes a profile of the traces with packer/profile, and shows the progress on the terminal. Paths
// that couldn't be mapped are stored in `mappings`, unless it is null.
Result<Profile> profile_traces(const TraceOptions& options, const ContentOptions& content_options,
                               const Content& content, const Output& output,
                               std::vector<TraceMapping>* mappings = nullptr,
                               TraceRuns* runs = nullptr);

// Prints what recordings read outside the content: in one line, or file by file with --verbose.
// Call it at the end of an answer, because few users need it.
void tell_unmapped(const std::vector<TraceMapping>& mappings, const Output& output);

}  // namespace seekless
