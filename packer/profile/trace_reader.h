// Reads a command's recordings. Only this code decides which runs of which scenarios they hold.
// File names and --runs tell which scenario a trace is a run of. --mark, --split and marks in the
// trace tell where scenarios begin, which can be at archive entries if the content is known.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "packer/base/bytes.h"
#include "packer/base/error.h"
#include "packer/content/content.h"
#include "packer/content/locator.h"
#include "packer/trace/dialect.h"
#include "packer/trace/likely_runs.h"

namespace seekless {

// Copies of traces that came through pipes, by the pipes' names.
using KeptTraces = std::map<std::string, std::unique_ptr<ByteSource>>;

class TraceReader {
 public:
  // `content` may be null, and must outlive it.
  TraceReader(std::vector<std::string> paths, ImportOptions options, const Content* content);

  const std::vector<std::string>& paths() const { return paths_; }

  // Copies a trace that comes through a pipe to a nameless temporary file, since a pipe can be read
  // only once. Does nothing for a file.
  Result<void> keep(const std::string& trace);
  // Hands what was kept to another reader.
  KeptTraces take_kept() { return std::move(kept_); }
  void take(KeptTraces kept) { kept_.merge(kept); }
  // A trace may be read more than once, unless it is a pipe that isn't kept. Warnings are in the
  // report.
  Result<ImportReport> read(const std::string& trace, TraceSink& sink);
  // Call it when all traces are read. It warns about rules that match none of them, and about
  // scenarios that look like runs of one.
  std::vector<std::string> warnings() const;

 private:
  Result<ImportReport> read_again(const std::string& trace, TraceSink& sink) const;

  std::vector<std::string> paths_;
  KeptTraces kept_;
  const Content* content_;
  ImportOptions options_;
  std::shared_ptr<const Locator> locator_;  // null unless something needs it
  LikelyRuns likely_;
};

}  // namespace seekless
