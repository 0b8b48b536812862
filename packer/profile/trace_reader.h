// Reads a command's recordings: which runs of which scenarios they hold is decided here alone.
// Names and --runs say what a trace is a run of; --mark, --split and marks in the trace where
// scenarios begin, entries of archives included, where the content is known.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/content.h"
#include "packer/content/locator.h"
#include "packer/trace/dialect.h"
#include "packer/trace/likely_runs.h"

namespace seekless {

class TraceReader {
 public:
  // `content` may be null, and must outlive it.
  TraceReader(std::vector<std::string> paths, ImportOptions options, const Content* content);

  const std::vector<std::string>& paths() const { return paths_; }

  // The same trace may be read again. What is to be warned of is in the report.
  Result<ImportReport> read(const std::string& trace, TraceSink& sink);
  // Once all are read: rules that fit none of them, and scenarios that look like runs of one.
  std::vector<std::string> warnings() const;

 private:
  std::vector<std::string> paths_;
  const Content* content_;
  ImportOptions options_;
  std::shared_ptr<const Locator> locator_;  // where something asks for it
  LikelyRuns likely_;
};

}  // namespace seekless
