#include "packer/trace/import_file.h"

#include <set>

#include <fmt/format.h>

#include "packer/host/files.h"
#include "packer/trace/internal/strace_join.h"
#include "packer/trace/jsonl.h"
#include "packer/words/counted.h"

namespace seekless {
namespace {

std::string file_in_folder(const std::string& folder, const std::string& input) {
  const std::string slash = folder.ends_with('/') ? "" : "/";
  return folder + slash + trace_stem(input) + ".jsonl.lz4";
}

std::unexpected<Error> nothing_left(const std::string& input, const ImportReport& report) {
  Fault fault{
      .file = input,
      .expected = "a trace with at least one read of a file",
      .found = fmt::format("{} of {} without one", counted(report.lines, "line"), report.dialect)};
  if (report.left_out_reads > 0) {
    fault.found =
        counted(report.left_out_reads, "read") + ", all of paths that --only doesn't keep";
    fault.advice = "--only is applied after --map; look at the paths without it first";
  } else if (!report.warnings.empty()) {
    fault.advice = report.warnings.back();
  } else if (report.dialect == "strace") {
    fault.advice =
        "either the program opened no file, or a child of it did (record with -f), or not all "
        "calls were recorded: openat, read, pread64, readv, preadv, lseek, mmap, dup, fcntl and "
        "close";
  } else {
    fault.advice = "record while the program loads";
  }
  return damaged(fault);
}

Result<ImportedTrace> finish(const std::string& input, const std::string& output,
                             Result<ImportReport> report, TraceWriter& writer) {
  if (!report) return std::unexpected(report.error());
  if (report->events == 0) return nothing_left(input, *report);
  SKL_TRY_DO(writer.finish());
  return ImportedTrace{input, output, *std::move(report)};
}

}  // namespace

bool goes_to_folder(const std::string& output) {
  return output.ends_with('/') || kind_of_path(output) == PathKind::folder;
}

Result<std::vector<std::string>> outputs_of_import(const std::vector<std::string>& inputs,
                                                   const std::string& output, bool join) {
  if (output == "-")
    return wrong_usage({.place = "--output", .expected = "a file or a folder", .found = "'-'"});
  const bool is_folder = goes_to_folder(output);
  if (join) return std::vector{is_folder ? file_in_folder(output, joined_name(inputs[0])) : output};
  if (!is_folder && inputs.size() > 1)
    return wrong_usage({.place = "--output",
                        .expected = fmt::format("a folder for {} inputs", inputs.size()),
                        .found = fmt::format("the file '{}'", output),
                        .advice = "end the name with '/' to have a folder made"});
  if (!is_folder) return std::vector{output};

  std::vector<std::string> outputs;
  std::set<std::string> names;
  for (const std::string& input : inputs) {
    outputs.push_back(file_in_folder(output, input));
    if (!names.insert(outputs.back()).second)
      return wrong_usage(
          {.file = input,
           .expected = "inputs of different names",
           .found = fmt::format("a second one that would become '{}'", outputs.back()),
           .advice = "import it on its own"});
  }
  return outputs;
}

Result<ImportedTrace> import_file(const std::string& input, const std::string& output,
                                  const ImportOptions& options) {
  SKL_TRY(auto writer, TraceWriter::create(output));
  return finish(input, output, read_trace(input, options, writer), writer);
}

Result<ImportedTrace> import_joined(const std::vector<std::string>& inputs,
                                    const std::string& output, ImportOptions options) {
  const std::string name = joined_name(inputs.front());
  std::vector<std::string> warnings;
  SKL_TRY(const auto stream, join_strace(inputs, warnings));
  SKL_TRY(auto writer, TraceWriter::create(output));
  options.format = "strace";
  options.default_scenario = scenario_of_file(name);
  if (options.scenario.empty()) options.scenario = scenario_by_rules(options.run_rules, name);
  auto imported = finish(name, output, import_trace(*stream, options, writer), writer);
  if (imported)
    imported->report.warnings.insert(imported->report.warnings.begin(), warnings.begin(),
                                     warnings.end());
  return imported;
}

}  // namespace seekless
