#include "packer/answer/warm_answer.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "packer/words/counted.h"

namespace seekless {
namespace {

// From this many files on, their folders lie all over a disk. For 500 files of SuperTuxKart,
// finding them took a quarter longer.
constexpr uint64_t kManyFiles = 50;

std::string read_text(const WarmReport& report) {
  const std::string cached = report.knows_cached
                                 ? fmt::format("{:.1f} MB of them", megabytes(report.cached_bytes))
                                 : "an unknown part of them, as the system doesn't say,";
  const double rate = report.seconds > 0 ? megabytes(report.fetched_bytes) / report.seconds : 0;
  return fmt::format("{} in memory before; {:.1f} MB read in {:.2f} s ({:.0f} MB/s)", cached,
                     megabytes(report.fetched_bytes), report.seconds, rate);
}

std::string forecast_text(const ForecastWarming& forecast, const WarmFiles& files) {
  if (!forecast.seconds) return "how long it would take isn't known, since no file's place is";
  std::string text = fmt::format("{} would take {:.2f} s if nothing is in memory", forecast.drive,
                                 *forecast.seconds);
  if (forecast.as_shipped_s)
    text +=
        fmt::format(", and {:.2f} s for the game's own reads without it", *forecast.as_shipped_s);
  if (!files.unplaced.empty()) text += ", and longer for files without known places";
  if (forecast.unfound_files > kManyFiles)
    text += fmt::format(", and longer to find {} in their folders",
                        counted(forecast.unfound_files, "file"));
  return text;
}

}  // namespace

std::string examples(const std::vector<std::string>& paths) {
  constexpr size_t kExamples = 3;
  const auto some = std::span(paths).first(std::min(kExamples, paths.size()));
  return some.empty() ? "" : fmt::format("'{}'", fmt::join(some, "', '"));
}

std::vector<std::string> warnings_of(const WarmFiles& files, uint64_t bytes,
                                     uint64_t memory_bytes) {
  std::vector<std::string> warnings;
  if (!files.missing.empty())
    warnings.push_back(
        fmt::format("{} of {} {} there or can't be read, such as {}; where files are named "
                    "otherwise here, say so with --map",
                    files.missing.size(), counted(files.files.size(), "file"),
                    files.missing.size() == 1 ? "isn't" : "aren't", examples(files.missing)));
  if (!files.unplaced.empty())
    warnings.push_back(fmt::format(
        "{} on a file system that doesn't tell where, such as {}; such files are read "
        "last, in the order of their bytes",
        counted(files.unplaced.size(), "file lies", "files lie"), examples(files.unplaced)));
  if (!files.kept_elsewhere.empty())
    warnings.push_back(fmt::format(
        "{} on a server and {} fetched from there, such as {}; in the Explorer, choose 'Always "
        "keep "
        "on this device'",
        counted(files.kept_elsewhere.size(), "file lies", "files lie"),
        files.kept_elsewhere.size() == 1 ? "isn't" : "aren't", examples(files.kept_elsewhere)));
  if (memory_bytes > 0 && bytes > memory_bytes / 2)
    warnings.push_back(
        fmt::format("{:.0f} MB are wanted, of {:.0f} MB of memory: what is read first may "
                    "be gone before it is used; name one --scenario",
                    megabytes(bytes), megabytes(memory_bytes)));
  return warnings;
}

std::string to_text(const Warming& warming) {
  const WarmReport& report = warming.report;
  std::string text =
      fmt::format("{}: {:.1f} MB of {} in {}; ",
                  warming.scenario.empty() ? "all" : warming.scenario, megabytes(report.bytes),
                  counted(warming.files.found(), "file"), counted(report.reads, "sweep"));
  text += warming.forecast ? forecast_text(*warming.forecast, warming.files) : read_text(report);
  const size_t left_out = warming.left_out.size();
  if (left_out > 0)
    text += fmt::format("\nleft out: {}; --all reads {}, too",
                        counted(left_out, "file that isn't content", "files that aren't content"),
                        left_out == 1 ? "it" : "them");
  return text;
}

nlohmann::ordered_json to_json(const Warming& warming) {
  const WarmReport& report = warming.report;
  nlohmann::ordered_json forecast_seconds = nullptr;
  if (warming.forecast && warming.forecast->seconds) forecast_seconds = *warming.forecast->seconds;
  return {{"command", "warm"},
          {"scenario", warming.scenario},
          {"files", warming.files.files.size()},
          {"reads", report.reads},
          {"bytes", report.bytes},
          {"wanted_bytes", report.wanted_bytes},
          {"cached_bytes", report.knows_cached ? nlohmann::ordered_json(report.cached_bytes)
                                               : nlohmann::ordered_json(nullptr)},
          {"fetched_bytes", report.fetched_bytes},
          {"seconds", report.seconds},
          {"dry_run", warming.forecast.has_value()},
          {"forecast_seconds", forecast_seconds},
          {"as_shipped_seconds", warming.forecast && warming.forecast->as_shipped_s
                                     ? nlohmann::ordered_json(*warming.forecast->as_shipped_s)
                                     : nlohmann::ordered_json(nullptr)},
          {"missing", warming.files.missing},
          {"kept_elsewhere", warming.files.kept_elsewhere},
          {"left_out", warming.left_out},
          {"failures", report.failures}};
}

}  // namespace seekless
