// Declares options that several commands share: which traces and content to read, and how. It also
// reads them and prints the warnings.
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
              const char* help = "Traces of any known dialect; '-' is standard input");
  Result<ImportOptions> import_options() const;
};

// Makes a reader of traces as the options say. `content` may be null, and must outlive the reader.
// `only` is the same as ImportOptions::only.
Result<TraceReader> reader_of(const TraceOptions& options, const Content* content,
                              std::vector<std::string> only = {});

// Reads the content. Warns of archive entries that others hide, and counts what was left out.
Result<Content> read_content(const ContentOptions& options, const Output& output);

// Returns the recorded files that are on this machine, as content, without those of the system.
// Empty if there are none, or if a trace can be read only once. `only` is the same as
// ImportOptions::only.
Result<Content> recorded_content(const TraceOptions& options, std::vector<std::string> only = {},
                                 KeptTraces* kept = nullptr);

// Reads a profile that was made earlier, and drops the assets that `content` now leaves out.
Result<Profile> read_profile_for(const std::string& path, const ContentOptions& content);

// Makes a profile of the traces with packer/profile, and shows the progress on the terminal. What
// couldn't be mapped is stored in `mappings`, unless that is null.
Result<Profile> profile_traces(const TraceOptions& options, const ContentOptions& content_options,
                               const Content& content, const Output& output,
                               std::vector<TraceMapping>* mappings = nullptr,
                               TraceRuns* runs = nullptr);

// Tells what recordings read outside the content: in one line, or file by file with --verbose. It
// belongs at the end of an answer, because few people want to know.
void tell_unmapped(const std::vector<TraceMapping>& mappings, const Output& output);

}  // namespace seekless
