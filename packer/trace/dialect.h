// Reads a trace in whatever dialect it is: unpacks it, recognises the dialect from its content,
// rewrites and picks paths as the user asked, and hands events to a TraceSink. To add a dialect,
// add a file that ends in its Dialect, and its name to internal/dialects.h and dialect.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/files.h"
#include "packer/trace/event.h"
#include "packer/trace/path_map.h"
#include "packer/trace/run_name.h"
#include "packer/trace/scenario_marks.h"

namespace seekless {

struct ImportOptions {
  std::string format = {};              // a dialect's name; empty: recognised from the content
  bool lenient = false;                 // go on however many lines can't be parsed
  std::vector<PathMap> path_maps = {};  // the first that matches is applied
  std::vector<std::string> only = {};   // globs; keeps paths that match any, after path_maps
  std::string scenario = {};            // instead of the one that the trace names
  std::string default_scenario = {};    // where the trace names none
  std::vector<TimeMark> marks = {};     // scenarios begin there
  // Globs, after path_maps: with the first access to each path that matches, whether `only` keeps
  // it or not, a scenario of its stem begins. A path that is read again later begins none.
  std::vector<std::string> splits = {};
  // Whether the content has what a list calls so, after path_maps; empty where no content is known.
  std::function<bool(std::string_view path)> is_known = {};
  std::vector<RunRule> run_rules = {};  // of files' names; where one fits, it says the scenario
};

struct UnparsedLine {
  uint64_t number = 0;  // from 1
  std::string text;     // its front, as it was recorded: make it printable before printing
};

// What was found while reading. Counts of events are of those handed on.
struct ImportReport {
  std::string dialect;
  std::string scenario;
  uint64_t lines = 0;
  uint64_t unparsed_lines = 0;
  std::vector<UnparsedLine> first_unparsed;  // at most three
  uint64_t events = 0;                       // reads + maps + opens
  uint64_t reads = 0;
  uint64_t maps = 0;
  uint64_t opens = 0;
  uint64_t failed_opens = 0;  // among `opens`
  uint64_t read_bytes = 0;    // by reads; neither maps nor whole files
  uint64_t paths = 0;         // with at least one event
  uint64_t splits = 0;        // scenarios begun by ImportOptions::splits
  // Of dialects of Windows alone: rows of reads, whatever came of them; among them those of
  // paging, those of paging that a cached read caused (no reads of their own), those that gave
  // nothing as the file ends there, and those that failed.
  uint64_t read_rows = 0;
  uint64_t paging_rows = 0;
  uint64_t explained_paging_rows = 0;
  uint64_t empty_read_rows = 0;
  uint64_t failed_read_rows = 0;
  // Whether the trace holds calls that read, whatever came of them; dialects that can't be without
  // need not say so.
  bool tells_reads = false;
  uint64_t left_out_reads = 0;        // reads and maps of paths that `only` doesn't keep
  int64_t span_ns = 0;                // from the first event's start to the last one's end
  std::vector<std::string> warnings;  // for the user, each one line

  void add_unparsed(uint64_t line_number, std::string_view text);
};

struct Dialect {
  std::string_view name;         // for --format
  std::string_view description;  // what a person sees on looking into such a file
  // `front` is the file's beginning, up to 64 KiB; it may end within a line.
  bool (*recognise)(std::string_view front);
  // Reads all of `stream`. Counts lines and unparsed lines in the report; a last line that is cut
  // short is dropped with a warning. Fails only if the stream does, or if nothing sensible can be
  // made of what follows.
  Result<void> (*parse)(ByteStream& stream, const ImportOptions& options, TraceSink& sink,
                        ImportReport& report);
  // What to do for a recording that tells opens alone to tell reads, too.
  std::string_view to_record_reads = "'seekless record' records what is read of them";
};

// Every dialect that is known, in the order in which recognition tries them.
std::span<const Dialect* const> dialects();

// What a file, unpacked, would be read as; null if it is no trace, or can't be read.
const Dialect* dialect_of_file(const std::string& path);

// Fails with kind `damaged` if the dialect isn't known, or if more than 1 % of the lines can't be
// parsed and the options aren't lenient. A trace without a single event is no error here.
Result<ImportReport> import_trace(ByteStream& stream, const ImportOptions& options,
                                  TraceSink& sink);

// The same for a file, or "-" for standard input, with what its name or ImportOptions::run_rules
// say as the scenario: how commands read a trace, so that each takes any dialect.
Result<ImportReport> read_trace(const std::string& path, ImportOptions options, TraceSink& sink);

}  // namespace seekless
