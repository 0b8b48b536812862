#include "packer/trace/dialect.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "packer/trace/internal/dialects.h"
#include "packer/trace/internal/foreign.h"
#include "packer/trace/internal/opens_as_reads.h"
#include "packer/trace/internal/unpack.h"
#include "packer/trace/path_filter.h"

namespace seekless {
namespace {

constexpr size_t kFrontBytes = size_t{64} << 10;
constexpr size_t kShownBytes = 120;  // shown bytes of a line that can't be parsed

// Nearly any text could be a list, so lists come last.
constexpr std::array kDialects = {&kSeeklessDialect,   &kStraceDialect,   &kPerfTraceDialect,
                                  &kBlkparseDialect,   &kBiosnoopDialect, &kExt4slowerDialect,
                                  &kOpensnoopDialect,  &kFatraceDialect,  &kInotifywaitDialect,
                                  &kUnrealDialect,     &kJarlogDialect,   &kProcmonCsvDialect,
                                  &kProcmonPmlDialect, &kXperfDialect,    &kListDialect};

std::string names_of_dialects() {
  std::string names;
  for (const Dialect* dialect : kDialects) {
    if (!names.empty()) names += ", ";
    names += dialect->name;
  }
  return names;
}

Result<const Dialect*> named_dialect(const std::string& name) {
  for (const Dialect* dialect : kDialects)
    if (dialect->name == name) return dialect;
  return wrong_usage({.place = "--format",
                      .expected = "one of " + names_of_dialects(),
                      .found = fmt::format("'{}'", name)});
}

const Dialect* dialect_of_front(std::string_view front) {
  for (const Dialect* dialect : kDialects)
    if (dialect->recognise(front)) return dialect;
  return nullptr;
}

// Holds what was recognised in a file's front: a dialect, or a known tool whose output no dialect
// reads.
struct Recognised {
  const Dialect* dialect = nullptr;
  std::optional<Foreign> foreign = {};
};

Recognised recognise_front(std::string_view front) {
  const Dialect* dialect = dialect_of_front(front);
  if (dialect == kDialects.front())
    return {dialect};  // no other tool's log looks like our own form
  auto foreign = recognise_foreign(front);
  if (!foreign && (dialect == nullptr || dialect == kDialects.back()))
    foreign = recognise_foreign_if_no_dialect(front);
  if (foreign) dialect = nullptr;
  return {dialect, foreign};
}

// Adds recognition's warnings to `warnings`, which already holds those of unpacking.
Result<const Dialect*> recognise(PeekStream& stream, const std::vector<std::string>& warnings) {
  SKL_TRY(const auto front, stream.peek(kFrontBytes));
  if (front.empty() && !warnings.empty())
    return damaged({.file = stream.name(),
                    .expected = "a packed trace",
                    .found = "one that is cut off before its first line",
                    .advice = "take it anew from where it came, or record it anew"});
  const auto [dialect, foreign] = recognise_front(front);
  if (foreign) {
    std::string advice(foreign->advice);
    for (size_t at = 0; (at = advice.find("FILE", at)) != std::string::npos;) {
      advice.replace(at, 4, stream.name());
      at += stream.name().size();
    }
    return damaged({.file = stream.name(),
                    .expected = "a trace (" + names_of_dialects() + ")",
                    .found = std::string(foreign->what),
                    .advice = std::move(advice)});
  }
  if (dialect != nullptr) return dialect;
  const std::string_view first_line = front.substr(0, front.find('\n'));
  return damaged(
      {.file = stream.name(),
       .expected = "a trace (" + names_of_dialects() + ")",
       .found = front.empty() ? "an empty file" : fmt::format("'{}'", first_line.substr(0, 60)),
       .advice = front.empty()
                     ? "record it anew"
                     : "`seekless import --help` shows what each looks like; if it is one "
                       "all the same, name it with --format"});
}

Result<void> check_unparsed(const std::string& file, const Dialect& dialect,
                            const ImportReport& report, bool lenient) {
  if (lenient || report.unparsed_lines * 100 <= report.lines) return {};
  std::string shown;
  for (const UnparsedLine& line : report.first_unparsed)
    shown += fmt::format("{}line {} '{}'", shown.empty() ? "" : ", ", line.number, line.text);
  return damaged({.file = file,
                  .expected = fmt::format("at most 1 % of the lines to be no {}", dialect.name),
                  .found = fmt::format("{} of {}: {}", report.unparsed_lines, report.lines, shown),
                  .advice = "use --lenient to go on without them"});
}

}  // namespace

void ImportReport::add_unparsed(uint64_t line_number, std::string_view text) {
  ++unparsed_lines;
  if (first_unparsed.size() < 3)
    first_unparsed.push_back({line_number, std::string(text.substr(0, kShownBytes))});
}

std::span<const Dialect* const> dialects() {
  return kDialects;
}

const Dialect* dialect_of_file(const std::string& path) {
  const auto stream = open_piped_stream(path);
  if (!stream) return nullptr;
  std::vector<std::string> warnings;
  const auto plain = unpack(**stream, warnings);
  if (!plain) return nullptr;
  const auto front = (*plain)->peek(kFrontBytes);
  return front ? recognise_front(*front).dialect : nullptr;
}

Result<ImportReport> import_trace(ByteStream& stream, const ImportOptions& options,
                                  TraceSink& sink) {
  Result<const Dialect*> dialect = nullptr;
  if (!options.format.empty()) dialect = named_dialect(options.format);
  if (!dialect) return std::unexpected(dialect.error());
  ImportReport report;
  SKL_TRY(const auto plain, unpack(stream, report.warnings));
  if (*dialect == nullptr) dialect = recognise(*plain, report.warnings);
  if (!dialect) return std::unexpected(dialect.error());

  report.dialect = (*dialect)->name;
  PathFilter filter(options, sink, report);
  OpensAsReads reads(filter, report);
  SKL_TRY_DO((*dialect)->parse(*plain, options, reads, report));
  SKL_TRY_DO(reads.finish(stream.name(), (*dialect)->to_record_reads));
  filter.finish(stream.name());
  SKL_TRY_DO(check_unparsed(stream.name(), **dialect, report, options.lenient));
  return report;
}

Result<ImportReport> read_trace(const std::string& path, ImportOptions options, TraceSink& sink) {
  SKL_TRY(const auto stream, open_piped_stream(path));
  return read_trace(*stream, path, std::move(options), sink);
}

Result<ImportReport> read_trace(ByteStream& stream, const std::string& path, ImportOptions options,
                                TraceSink& sink) {
  if (options.scenario.empty()) options.scenario = scenario_by_rules(options.run_rules, path);
  if (options.default_scenario.empty()) options.default_scenario = scenario_of_file(path);
  return import_trace(stream, options, sink);
}

}  // namespace seekless
