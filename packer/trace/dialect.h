// Reads a trace in whatever dialect it is: unpacks it, recognises the dialect from its content,
// rewrites and filters paths as the user asked, and hands events to a TraceSink. To add a dialect,
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
  // A dialect's name; if empty, the dialect is recognised from the content.
  std::string format = {};
  bool lenient = false;                 // continue however many lines can't be parsed
  std::vector<PathMap> path_maps = {};  // the first matching rule is applied
  std::vector<std::string> only = {};   // globs; a path that matches any, after path_maps, is kept
  std::string scenario = {};            // replaces the scenario that the trace names
  std::string default_scenario = {};    // used if the trace names none
  std::vector<TimeMark> marks = {};     // a scenario begins at each mark
  // Globs, applied after path_maps. The first access to each matching path begins a scenario named
  // after the path's stem, even if `only` drops that path. Later accesses begin none.
  std::vector<std::string> splits = {};
  // Returns true if the content has a file or entry of that path, after path_maps. Empty if no
  // content is known.
  std::function<bool(std::string_view path)> is_known = {};
  // A rule that matches the trace's file name sets the scenario.
  std::vector<RunRule> run_rules = {};
};

struct UnparsedLine {
  uint64_t number = 0;  // counted from 1
  std::string text;     // the line's front as it was recorded; make it printable before printing
};

// Reports the findings of reading a trace. Only events that were handed on are counted.
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
  uint64_t failed_opens = 0;  // the part of `opens` that failed
  uint64_t read_bytes = 0;    // counts reads only, neither maps nor whole files
  uint64_t paths = 0;         // paths with at least one event
  uint64_t splits = 0;        // scenarios begun by ImportOptions::splits
  // These count rows of Windows' dialects. `read_rows` counts all reads. The other four count parts
  // of them: paging reads; paging reads caused by a cached read (which give no event); reads past
  // the file's end, which deliver nothing; and failed reads.
  uint64_t read_rows = 0;
  uint64_t paging_rows = 0;
  uint64_t explained_paging_rows = 0;
  uint64_t empty_read_rows = 0;
  uint64_t failed_read_rows = 0;
  // The trace holds calls that read, successful or not. Dialects that always report reads needn't
  // set it.
  bool tells_reads = false;
  uint64_t left_out_reads = 0;        // reads and maps of paths that `only` leaves out
  int64_t span_ns = 0;                // time from the first event's start to the last one's end
  std::vector<std::string> warnings;  // messages for the user, one line each

  void add_unparsed(uint64_t line_number, std::string_view text);
};

struct Dialect {
  std::string_view name;         // the value of --format
  std::string_view description;  // description of such a file for people
  // Recognises the dialect. `front` is the file's first 64 KiB at most; it may end within a line.
  bool (*recognise)(std::string_view front);
  // Reads all of `stream`. Counts lines and unparsed lines in the report; drops a last line that is
  // cut short, with a warning. Fails if the stream does, or if the text makes no sense from some
  // line on.
  Result<void> (*parse)(ByteStream& stream, const ImportOptions& options, TraceSink& sink,
                        ImportReport& report);
  // Advice on how to record reads too, for a recording that holds only opens.
  std::string_view to_record_reads = "'seekless record' records what is read of them";
};

// Returns all dialects in the order in which recognition tries them.
std::span<const Dialect* const> dialects();

// Returns the dialect of a file, after unpacking it; returns null if the file is no trace or can't
// be read.
const Dialect* dialect_of_file(const std::string& path);

// Fails with kind `damaged` if the dialect isn't known, or if more than 1 % of the lines can't be
// parsed and the options aren't lenient. A trace without a single event is no error here.
Result<ImportReport> import_trace(ByteStream& stream, const ImportOptions& options,
                                  TraceSink& sink);

// Reads a trace from a file, or from standard input for "-". The scenario comes from the file's
// name or from ImportOptions::run_rules. Every command reads traces with this function, so each
// accepts any dialect.
Result<ImportReport> read_trace(const std::string& path, ImportOptions options, TraceSink& sink);
// The same for a trace that is open already, whose path is `path`.
Result<ImportReport> read_trace(ByteStream& stream, const std::string& path, ImportOptions options,
                                TraceSink& sink);

}  // namespace seekless
