// Maps recordings to content and makes a profile of them. Tells users about recordings that don't
// fit.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/content.h"
#include "packer/profile/profile.h"
#include "packer/profile/profile_builder.h"
#include "packer/profile/trace_reader.h"
#include "packer/trace/trace_runs.h"

namespace seekless {

// Holds the files of one trace that aren't in the content, most bytes first.
struct TraceMapping {
  std::string trace;
  Mapping mapping;
};

struct ProfiledTraces {
  Profile profile;
  std::vector<TraceMapping> mappings;
};

// Tells what was scanned and what was left out on purpose. Reads of files left out cause no
// warning.
struct ScannedPlaces {
  const std::vector<std::string>& roots;
  const std::vector<std::string>& exclude;
  bool may_be_gone = false;  // accepts that all content in the traces is gone
};

// Reads every trace of the reader and maps it to the content. Warns about traces that hardly fit.
// Leaves out traces whose files lay in the content and are gone. A trace that doesn't fit at all is
// an error. `runs` receives the same traces as they are read; it may be null.
Result<ProfiledTraces> profile_traces(TraceReader& reader, const Content& content,
                                      const ScannedPlaces& scanned,
                                      const std::function<void(const std::string&)>& warn,
                                      TraceRuns* runs);

// Merges the unmapped files of all traces. Each path appears once; most bytes come first.
std::vector<Mapping::Unmapped> unmapped_of(const std::vector<TraceMapping>& mappings);

// Removes matching assets from an existing profile.
void leave_out(Profile& profile, const std::vector<std::string>& globs);

}  // namespace seekless
