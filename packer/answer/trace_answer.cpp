#include "packer/answer/trace_answer.h"

#include <fmt/format.h>

#include "packer/words/counted.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

// Returns the seconds from the first event to the last.
double seconds_of(const ImportReport& report) {
  return static_cast<double>(report.span_ns) / 1e9;
}

// Describes a trace that was made. `source` is a dialect or a program.
std::string summary(const std::string& output, const std::string& source,
                    const ImportReport& report) {
  // A dialect with only names has no byte counts, so the whole file counts as read.
  const bool tells_bytes = report.read_bytes > 0 || report.reads == 0;
  const std::string bytes = tells_bytes ? counted(report.read_bytes, "byte") : "whole files";
  return fmt::format("{}: {} from {}: {}, {} of {} from {} in {:.1f} s", output, report.scenario,
                     source, counted(report.events, "event"), counted(report.reads, "read"), bytes,
                     counted(report.paths, "file"), seconds_of(report));
}

Json imported_json(const ImportedTrace& imported) {
  const ImportReport& report = imported.report;
  Json json{{"input", imported.input},       {"output", imported.output},
            {"scenario", report.scenario},   {"dialect", report.dialect},
            {"events", report.events},       {"reads", report.reads},
            {"bytes", report.read_bytes},    {"paths", report.paths},
            {"seconds", seconds_of(report)}, {"unparsed_lines", report.unparsed_lines}};
  if (report.read_rows > 0)
    json["read_rows"] = {{"all", report.read_rows},
                         {"paging", report.paging_rows},
                         {"paging_explained", report.explained_paging_rows},
                         {"at_end", report.empty_read_rows},
                         {"failed", report.failed_read_rows}};
  return json;
}

}  // namespace

std::vector<std::string> warnings_of(const ImportedTrace& imported, bool splits) {
  std::vector<std::string> warnings = imported.report.warnings;
  for (const UnparsedLine& line : imported.report.first_unparsed)
    warnings.push_back(fmt::format("{}: line {}: can't be parsed, and is left out: '{}'",
                                   imported.input, line.number, line.text));
  if (splits && imported.report.splits == 0)
    warnings.push_back(fmt::format(
        "{}: no file matches --split; entries of archives are known by content only: give it to "
        "`profile` or `plan`",
        imported.input));
  return warnings;
}

std::string to_text(const ImportedTrace& imported) {
  const ImportReport& report = imported.report;
  std::string text = summary(imported.output, report.dialect, report);
  if (report.read_rows > 0)
    text += fmt::format(
        "\n  {} of reads, {} of them paging; left out: {} that cached reads caused, "
        "{} at a file's end, {} that failed",
        counted(report.read_rows, "row"), report.paging_rows,
        counted(report.explained_paging_rows, "paging row"), report.empty_read_rows,
        report.failed_read_rows);
  if (report.unparsed_lines + report.left_out_reads > 0)
    text +=
        fmt::format("\n  left out: {} that can't be parsed, {} by --only",
                    counted(report.unparsed_lines, "line"), counted(report.left_out_reads, "read"));
  return text;
}

Json to_json(const ImportAnswer& answer) {
  Json inputs = Json::array();
  for (const ImportedTrace& imported : answer.traces) inputs.push_back(imported_json(imported));
  return {{"command", "import"}, {"inputs", std::move(inputs)}};
}

std::vector<std::string> lines_of(const RecordedTrace& recorded) {
  std::vector<std::string> lines;
  if (recorded.signal != 0)
    lines.push_back(fmt::format("{} was ended by signal {}; what it read until then is kept",
                                recorded.program, recorded.signal));
  else if (recorded.exit_code < 0)  // a Windows status, which is usually shown in hexadecimal
    lines.push_back(fmt::format("{} exited with {:#x}", recorded.program,
                                static_cast<uint32_t>(recorded.exit_code)));
  else if (recorded.exit_code != 0)
    lines.push_back(fmt::format("{} exited with {}", recorded.program, recorded.exit_code));
  lines.push_back(summary(recorded.output, recorded.program, recorded.report));
  if (recorded.report.left_out_reads > 0)
    lines.push_back(
        fmt::format("  left out: {} by --only", counted(recorded.report.left_out_reads, "read")));
  return lines;
}

Json to_json(const RecordedTrace& recorded) {
  const ImportReport& report = recorded.report;
  const bool was_ended = recorded.signal != 0;
  return {{"command", "record"},
          {"output", recorded.output},
          {"scenario", report.scenario},
          {"events", report.events},
          {"reads", report.reads},
          {"bytes", report.read_bytes},
          {"paths", report.paths},
          {"seconds", seconds_of(report)},
          {"marks", recorded.marks},
          {"processes", recorded.processes},
          {"io_urings", recorded.io_urings},
          {"exit_code", was_ended ? Json(nullptr) : Json(recorded.exit_code)},
          {"signal", was_ended ? Json(recorded.signal) : Json(nullptr)}};
}

}  // namespace seekless
