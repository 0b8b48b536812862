// Prints the analysis for people: the conclusion first, then the figures, then lists of where they
// come from.
#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "packer/answer/analyze_answer.h"
#include "packer/answer/internal/notes.h"
#include "packer/answer/report_totals.h"
#include "packer/words/counted.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"
#include "packer/words/text_table.h"

namespace seekless {
namespace {

// With more runs than this, nobody would read a paragraph for each.
constexpr size_t kMostParagraphs = 3;

std::string percent_of(uint64_t part, uint64_t whole) {
  if (whole == 0) return "-";
  const double percent = 100 * static_cast<double>(part) / static_cast<double>(whole);
  if (part > 0 && percent < 0.5) return "<1 %";
  if (part < whole && percent > 99.5) return ">99 %";
  return fmt::format("{:.0f} %", percent);
}

std::string seconds_cell(uint64_t ns) {
  return seconds_text(seconds_of_ns(ns));
}

std::string known_seconds(const RunFigures& run, uint64_t ns) {
  return run.time.timed_reads > 0 ? seconds_cell(ns) : "unknown";
}

std::string megabytes_cell(uint64_t bytes) {
  const double megabytes = static_cast<double>(bytes) / 1e6;
  return number_cell(megabytes, megabytes < 10 ? 2 : 1);
}

std::string times_read(const FileFigures& file) {
  const auto times = ratio(static_cast<double>(file.bytes), static_cast<double>(file.needed_bytes));
  return times ? number_cell(*times, 1) : "-";
}

// Writes out a number in full unless it has too many digits to read.
std::string count_text(uint64_t count) {
  return count < 1'000'000'000'000 ? grouped(count) : count_cell(count);
}

// Returns the run's name. A trace is often named after its scenario, followed by a number.
std::string name_of(const RunFigures& run) {
  std::string trace = run.trace;
  std::ranges::replace(trace, '+', '/');
  if (trace.starts_with(run.scenario)) return run.trace;
  return fmt::format("{}: {}", run.trace, run.scenario);
}

// Holds a label and its value. A heading has no value.
struct Figure {
  std::string label;
  std::string value;
};

class FigureList {
 public:
  void heading(std::string text) { figures_.push_back({std::move(text), ""}); }
  void add(std::string_view label, std::string value) {
    figures_.push_back({fmt::format("  {}", label), std::move(value)});
  }
  void count(std::string_view label, uint64_t value) { add(label, count_text(value)); }
  void bytes(std::string_view label, uint64_t value) { add(label, bytes_text(value)); }
  std::vector<Figure> take() { return std::move(figures_); }

 private:
  std::vector<Figure> figures_;
};

void add_amounts(const RunFigures& run, FigureList& list) {
  list.heading("What is read");
  list.count("files", run.files);
  list.count("files opened", run.opens);
  list.count("reads", run.reads);
  list.count("reads at a file's end, of nothing", run.empty_reads);
  list.bytes("bytes", run.bytes);
  list.bytes("needed: different bytes", run.needed_bytes);
  list.bytes("read again", run.repeated_bytes());
  list.count("reads of nothing new", run.useless_reads);
  list.count("ranges mapped into memory", run.maps);
  list.bytes("bytes mapped into memory", run.mapped_bytes);
}

void add_pattern(const RunFigures& run, FigureList& list) {
  list.heading("How");
  list.add("median read", read_size_text(run.median_bytes));
  list.add("half of the bytes in reads up to", read_size_text(run.median_by_bytes));
  list.add("reads below 128 KiB", percent_of(run.small_reads, run.reads));
  list.count("of them adjoining, in chains", run.chains.reads);
  list.count("chains", run.chains.chains);
  list.count("reads that longer ones would save", run.chains.reads_saved);
  list.count("changes of file from read to read", run.order.file_changes);
  list.count("longest stretch in one file, reads", run.order.longest_stretch_reads);
  list.bytes("longest stretch in one file", run.order.longest_stretch_bytes);
  list.count("jumps forward within a file", run.order.forward_jumps);
  list.count("jumps backward within a file", run.order.backward_jumps);
  list.bytes("median jump", run.order.median_jump_bytes);
  list.count("failed opens", run.failed_opens);
}

void add_times(const RunFigures& run, FigureList& list) {
  const TimeFigures& time = run.time;
  list.heading("When");
  list.add("span", seconds_cell(time.span_ns));
  list.add("in reads (at least one under way)", known_seconds(run, time.read_ns));
  list.add("between reads",
           known_seconds(run, time.span_ns - std::min(time.span_ns, time.read_ns)));
  list.add("in reads, summed over threads", known_seconds(run, time.summed_ns));
  list.add("reads that waited for a drive",
           time.timed_reads > 0 ? count_text(time.waits) : "unknown");
  list.add("waited, summed over threads", known_seconds(run, time.wait_ns));
  list.add("in failed opens", known_seconds(run, run.failed_ns));
  list.count("threads that read", run.threads);
  list.add("most reads at once",
           time.timed_reads > 0 ? count_text(time.most_at_once) : std::string("unknown"));
}

void add_cold(const RunFigures& run, const std::string& drive, FigureList& list) {
  list.heading(fmt::format("By the model, on a cold {}", drive));
  const auto add = [&](std::string_view label, const auto& value_of) {
    list.add(label, run.cold ? value_of(*run.cold) : std::string("unknown"));
  };
  add("reads of the drive", [](const ColdFigures& cold) { return count_text(cold.cost.reads); });
  add("bytes from the drive", [](const ColdFigures& cold) { return bytes_text(cold.cost.bytes); });
  add("seeks", [](const ColdFigures& cold) { return count_text(cold.cost.seeks); });
  add("distance between reads",
      [](const ColdFigures& cold) { return bytes_text(cold.travel_bytes); });
  add("busy", [](const ColdFigures& cold) { return seconds_text(cold.cost.seconds); });
  add("busy, if read in order",
      [](const ColdFigures& cold) { return seconds_text(cold.bound_seconds); });
  add("seeks, files all over it",
      [](const ColdFigures& cold) { return count_text(cold.scattered.seeks); });
  add("busy, files all over it",
      [](const ColdFigures& cold) { return seconds_text(cold.scattered.seconds); });
  add("busy, all over it, in order",
      [](const ColdFigures& cold) { return seconds_text(cold.scattered_bound_seconds); });
}

std::vector<Figure> figures_of(const RunFigures& run, const std::string& drive) {
  FigureList list;
  add_amounts(run, list);
  add_pattern(run, list);
  add_times(run, list);
  add_cold(run, drive, list);
  return list.take();
}

std::string section(std::string_view heading, const TextTable& table, size_t columns) {
  if (table.rows.empty()) return "";
  return fmt::format("\n{}\n{}", paragraph(heading, columns), table.to_text(columns));
}

std::string size_table(const RunFigures& run, size_t columns) {
  TextTable table = {{"size", "reads", "%", "MB", "%"}, {}};
  for (const SizeClass& of : run.sizes)
    table.rows.push_back({fmt::format("from {}", read_size_text(of.from_bytes)), grouped(of.reads),
                          percent_of(of.reads, run.reads), megabytes_cell(of.bytes),
                          percent_of(of.bytes, run.bytes)});
  return section("Sizes of reads", table, columns);
}

std::string file_table(const RunFigures& run, size_t columns) {
  TextTable table = {{"file", "MB", "needed", "reads", "opened", "s"}, {}};
  for (const FileFigures& file : run.top_files)
    table.rows.push_back({file.path, megabytes_cell(file.bytes), megabytes_cell(file.needed_bytes),
                          count_cell(file.reads), count_cell(file.opens),
                          number_cell(seconds_of_ns(file.read_ns), 3)});
  return section("Files, most bytes first", table, columns);
}

std::string entry_table(const RunFigures& run, size_t columns) {
  if (!run.content) return "";
  TextTable table = {{"entry", "MB", "needed", "reads", "s"}, {}};
  for (const FileFigures& entry : run.content->top_entries)
    table.rows.push_back({entry.path, megabytes_cell(entry.bytes),
                          megabytes_cell(entry.needed_bytes), count_cell(entry.reads),
                          number_cell(seconds_of_ns(entry.read_ns), 3)});
  return section(fmt::format("Entries and files of the content, most bytes first ({} in all)",
                             grouped(run.content->entries)),
                 table, columns);
}

std::string chain_table(const RunFigures& run, size_t columns) {
  TextTable table = {{"place", "at", "reads", "x size", "= bytes", "enough", "times"}, {}};
  for (const Chain& chain : run.top_chains)
    table.rows.push_back({chain.entry.empty() ? chain.path : chain.entry,
                          place_text(chain.offset_bytes), count_cell(chain.reads),
                          read_size_text(chain.bytes / chain.reads), read_size_text(chain.bytes),
                          count_cell(chain.reads_needed()), count_cell(chain.times)});
  return section(
      fmt::format("Small reads that adjoin: {} in {}; {} of at most 2 MiB would do",
                  grouped_count(run.chains.reads, "read", "reads"),
                  grouped_count(run.chains.chains, "chain", "chains"),
                  grouped_count(run.chains.reads - run.chains.reads_saved, "read", "reads")),
      table, columns);
}

std::string repeated_table(const RunFigures& run, size_t columns) {
  TextTable table = {{run.content ? "entry" : "file", "again MB", "needed MB", "times"}, {}};
  for (const FileFigures& file : run.content ? run.content->top_repeated : run.top_repeated)
    table.rows.push_back({file.path, megabytes_cell(file.repeated_bytes()),
                          megabytes_cell(file.needed_bytes), times_read(file)});
  return section("The same bytes read again", table, columns);
}

std::string failed_tables(const RunFigures& run, size_t columns) {
  TextTable paths = {{"path", "times", "s"}, {}};
  for (const FailedPath& path : run.top_failed)
    paths.rows.push_back(
        {path.path, count_cell(path.opens), number_cell(seconds_of_ns(path.ns), 4)});
  TextTable processes = {{"process", "failed opens", "s"}, {}};
  if (run.top_failed_processes.size() > 1)
    for (const FailedProcess& process : run.top_failed_processes)
      processes.rows.push_back({fmt::to_string(process.process), count_cell(process.opens),
                                number_cell(seconds_of_ns(process.ns), 4)});
  return section("Opens that failed, most often first", paths, columns) +
         section("Opens that failed, by process", processes, columns);
}

std::string thread_table(const RunFigures& run, size_t columns) {
  if (run.threads < 2) return "";
  TextTable table = {{"process/thread", "reads", "MB", "s"}, {}};
  for (const ThreadFigures& thread : run.top_threads)
    table.rows.push_back({fmt::format("{}/{}", thread.process, thread.thread),
                          count_cell(thread.reads), megabytes_cell(thread.bytes),
                          number_cell(seconds_of_ns(thread.read_ns), 3)});
  return section("Threads, most bytes first", table, columns);
}

std::string content_tables(const RunFigures& run, size_t columns) {
  if (!run.content) return "";
  const ContentFigures& content = *run.content;
  TextTable parts = {{"part of the content", "MB", "% of all bytes"}, {}};
  const auto add = [&](const char* name, uint64_t bytes) {
    parts.rows.push_back({name, megabytes_cell(bytes), percent_of(bytes, run.bytes)});
  };
  add("data of entries and files", content.data_bytes);
  add("local headers", content.header_bytes);
  add("central directories", content.directory_bytes);
  add("entries that others hide", content.hidden_bytes);
  add("other bytes of its files", content.other_bytes);
  add("other files", content.outside_bytes);
  TextTable outside = {{"file", "MB", "reads"}, {}};
  for (const FileFigures& file : content.top_outside)
    outside.rows.push_back({file.path, megabytes_cell(file.bytes), count_cell(file.reads)});
  return section("Where the bytes belong", parts, columns) +
         section(fmt::format("Files that aren't of the content: {}. Most bytes first:",
                             grouped_count(content.outside_reads, "read", "reads")),
                 outside, columns);
}

std::string figure_table(const std::vector<const RunFigures*>& runs, const std::string& drive,
                         size_t columns) {
  TextTable table = {{""}, {}};
  std::vector<std::vector<Figure>> figures;
  std::vector<std::string> names;
  for (const RunFigures* run : runs) {
    names.push_back(runs.size() > 1 ? clean_line(run->trace) : "");
    figures.push_back(figures_of(*run, drive));
  }
  constexpr size_t kLongestHeading = 18;
  for (std::string& name : cut_names(names, kLongestHeading))
    table.headings.push_back(std::move(name));
  std::string text;
  for (size_t i = 0; i < figures[0].size(); ++i) {
    std::vector<std::string> row = {figures[0][i].label};
    for (const auto& of_run : figures) row.push_back(of_run[i].value);
    table.rows.push_back(std::move(row));
  }
  text = table.to_text(columns);
  // A single run has no names above the columns, so their empty line is removed.
  return runs.size() > 1 ? text : text.substr(text.find('\n') + 1);
}

std::string in_full(const RunFigures& run, const std::string& drive, size_t columns) {
  return figure_table({&run}, drive, columns) + file_table(run, columns) +
         content_tables(run, columns) + entry_table(run, columns) + size_table(run, columns) +
         chain_table(run, columns) + repeated_table(run, columns) + failed_tables(run, columns) +
         thread_table(run, columns);
}

std::string side_by_side(const RunFigures& first, const RunFigures& second,
                         const std::string& drive, size_t columns) {
  return figure_table({&first, &second}, drive, columns);
}

std::string run_table(const Analysis& analysis, size_t columns) {
  TextTable table = {{"run", "reads", "median", "needed MB", "span", "reading", "cold", "in order"},
                     {}};
  for (const RunFigures& run : analysis.runs) {
    const auto cold_cell = [&](double value) { return run.cold ? number_cell(value, 2) : "?"; };
    const ColdFigures cold = run.cold.value_or(ColdFigures());
    table.rows.push_back(
        {name_of(run), count_cell(run.reads), read_size_text(run.median_bytes),
         megabytes_cell(run.needed_bytes), number_cell(seconds_of_ns(run.time.span_ns), 1),
         run.time.timed_reads > 0 ? number_cell(seconds_of_ns(run.time.read_ns), 2) : "?",
         cold_cell(cold.cost.seconds), cold_cell(cold.bound_seconds)});
  }
  const RunTotal total = total_of(analysis.runs);
  table.rows.push_back({"total", count_cell(total.reads), "", megabytes_cell(total.needed_bytes),
                        number_cell(seconds_of_ns(total.span_ns), 1),
                        number_cell(seconds_of_ns(total.read_ns), 2),
                        number_cell(total.cold_seconds, 2), number_cell(total.bound_seconds, 2)});
  return table.to_text(columns);
}

bool is_side_by_side(const Analysis& analysis) {
  const auto& runs = analysis.runs;
  return runs.size() == 2 && runs[0].scenario == runs[1].scenario;
}

// Shows the seconds of each load, from the verdict's figures. Reads and bytes are those of the
// load's longest run.
std::string load_table(const AnalyzeAnswer& answer, size_t columns) {
  TextTable table = {{"load", "runs", "reads", "needed MB", "as shipped s", "at best s"}, {}};
  for (const LoadVerdict& of : answer.verdict.loads) {
    uint64_t reads = 0;
    uint64_t needed = 0;
    for (const RunFigures& run : answer.analysis.runs) {
      if (run.scenario != of.load.name) continue;
      reads = std::max(reads, run.reads);
      needed = std::max(needed, run.needed_bytes);
    }
    table.rows.push_back({of.load.name, count_cell(of.load.runs), count_cell(reads),
                          megabytes_cell(needed), number_cell(of.load.as_shipped_s, 2),
                          number_cell(of.load.bound_s, 2)});
  }
  return table.to_text(columns);
}

std::string analysis_text(const AnalyzeAnswer& answer, bool is_verbose, size_t columns) {
  const Analysis& analysis = answer.analysis;
  const auto& runs = analysis.runs;
  if (runs.empty()) return "No file was read or opened.\n";
  if (!is_verbose)
    return answer.verdict.loads.empty() ? run_table(analysis, columns)
                                        : load_table(answer, columns);
  if (runs.size() == 1) return in_full(runs[0], analysis.drive, columns);
  if (is_side_by_side(analysis)) return side_by_side(runs[0], runs[1], analysis.drive, columns);
  return run_table(analysis, columns);
}

AnswerNotes notes_of(const AnalyzeAnswer& answer, bool is_verbose) {
  const Analysis& analysis = answer.analysis;
  AnswerNotes notes;
  for (const std::string& text : analysis.warnings) notes.brief.push_back("Warning: " + text);
  const auto& runs = analysis.runs;
  const bool is_table =
      is_verbose ? runs.size() > 1 && !is_side_by_side(analysis) : answer.verdict.loads.empty();
  if (!is_verbose && !answer.verdict.loads.empty())
    notes.brief.emplace_back("at best: the same bytes in one sweep; no order is faster");
  if (is_table) {
    notes.brief.push_back(fmt::format(
        "cold: seconds that a cold {} is busy with these reads, by the model", analysis.drive));
    notes.brief.emplace_back("in order: the same with the needed bytes in one sweep");
    notes.brief.emplace_back("one run is shown by itself: give its trace, or --scenario, alone");
    notes.more.emplace_back("reading: seconds in which at least one read was under way");
  }
  if (const auto warm = std::ranges::count_if(
          runs, [&](const RunFigures& run) { return conclude(run, analysis.drive).is_warm; });
      warm > 0)
    notes.brief.push_back(
        fmt::format("{} read from memory, or from a faster drive than the model",
                    counted(static_cast<uint64_t>(warm), "run was", "runs were")));
  if (runs.size() <= kMostParagraphs)
    for (const RunFigures& run : runs)
      notes.more.push_back(fmt::format("{}: {}", name_of(run), conclude(run, analysis.drive).text));
  for (const std::string& text : analysis.assumptions) {
    auto& list = text.starts_with(kOfVerdict) ? notes.brief : notes.more;
    list.push_back("Assumed: " + text);
  }
  constexpr size_t kMostNotes = 4;  // a line more says that there are others
  while (notes.brief.size() > kMostNotes) {
    notes.more.insert(notes.more.begin(), std::move(notes.brief.back()));
    notes.brief.pop_back();
  }
  return notes;
}

}  // namespace

std::string to_text(const AnalyzeAnswer& answer, size_t columns, bool is_verbose) {
  columns = table_columns(columns);
  std::string text =
      paragraph(answer.verdict.text, columns) + "\n" + analysis_text(answer, is_verbose, columns);
  if (const std::string notes = to_text(notes_of(answer, is_verbose), is_verbose, columns);
      !notes.empty())
    text += "\n" + notes;
  text.pop_back();
  return text;
}

}  // namespace seekless
