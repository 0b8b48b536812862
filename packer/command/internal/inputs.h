// Options that several commands share: which traces and content to read, and how; and reading them
// with what there is to warn of.
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
  bool may_be_gone = false;  // no error if nothing is left of what any of them has read
  MarkOptions marks;

  // `positional` is what the argument is called in the help.
  void add_to(const Command& command, const std::string& positional, bool is_required = true,
              const char* help = "Traces of any known dialect; '-' is standard input");
  Result<ImportOptions> import_options() const;
};

// What reads the traces as the options say; `content` may be null, and must outlive it. `only`: as
// ImportOptions::only.
Result<TraceReader> reader_of(const TraceOptions& options, const Content* content,
                              std::vector<std::string> only = {});

// Warns of archives' entries that others hide, and counts what was left out.
Result<Content> read_content(const ContentOptions& options, const Output& output);

// A profile made earlier, without what `content` leaves out by now.
Result<Profile> read_profile_for(const std::string& path, const ContentOptions& content);

// As packer/profile has it, with its progress on the terminal. What couldn't be mapped goes to
// `mappings`, where that isn't null.
Result<Profile> profile_traces(const TraceOptions& options, const ContentOptions& content_options,
                               const Content& content, const Output& output,
                               std::vector<TraceMapping>* mappings = nullptr,
                               TraceRuns* runs = nullptr);

// What recordings read beside the content, in one line, or with --verbose each file. For the end of
// an answer: seldom anybody wants to know.
void tell_unmapped(const std::vector<TraceMapping>& mappings, const Output& output);

}  // namespace seekless
