// Reads a trace of any dialect as columns in Arrow's format, a few hundred thousand events at a
// time.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "packer/trace/dialect.h"
#include "packer/trace/runs.h"
#include "python/src/column.h"
#include "python/src/errors.h"
#include "python/src/module.h"
#include "python/src/text.h"

namespace nb = nanobind;

namespace seekless::python {
namespace {

// gives 14 MB of columns
constexpr size_t kBatchEvents = size_t{1} << 18;

struct Columns {
  std::vector<uint8_t> kind;
  std::vector<int64_t> start_ns;
  std::vector<int64_t> duration_ns;
  ValidRows has_duration;
  std::vector<uint64_t> offset_bytes;
  std::vector<uint64_t> length_bytes;
  ValidRows has_length;
  std::vector<int32_t> path;
  std::vector<uint32_t> process;
  std::vector<uint32_t> thread;
  std::vector<int32_t> os_error;
  std::vector<uint32_t> run;
  std::vector<int32_t> scenario;

  Columns() {
    for (auto* numbers : {&start_ns, &duration_ns}) numbers->reserve(kBatchEvents);
    for (auto* numbers : {&offset_bytes, &length_bytes}) numbers->reserve(kBatchEvents);
    for (auto* numbers : {&path, &os_error, &scenario}) numbers->reserve(kBatchEvents);
    for (auto* numbers : {&process, &thread, &run}) numbers->reserve(kBatchEvents);
    kind.reserve(kBatchEvents);
  }

  void add(const Event& event) {
    kind.push_back(static_cast<uint8_t>(event.kind));
    start_ns.push_back(event.start_ns);
    duration_ns.push_back(event.duration_ns);
    has_duration.add(event.duration_ns != kUnknownDuration);
    offset_bytes.push_back(event.offset_bytes);
    length_bytes.push_back(event.length_bytes);
    has_length.add(event.length_bytes != kWholeFile);
    path.push_back(static_cast<int32_t>(event.path));
    process.push_back(event.process);
    thread.push_back(event.thread);
    os_error.push_back(event.os_error);
  }

  nb::dict take() {
    nb::dict all;
    all["kind"] = to_column(std::move(kind));
    all["start_ns"] = to_column(std::move(start_ns));
    all["duration_ns"] = to_column(std::move(duration_ns));
    all["has_duration"] = to_column(has_duration.take());
    all["offset_bytes"] = to_column(std::move(offset_bytes));
    all["length_bytes"] = to_column(std::move(length_bytes));
    all["has_length"] = to_column(has_length.take());
    all["path"] = to_column(std::move(path));
    all["process"] = to_column(std::move(process));
    all["thread"] = to_column(std::move(thread));
    all["os_error"] = to_column(std::move(os_error));
    all["run"] = to_column(std::move(run));
    all["scenario"] = to_column(std::move(scenario));
    return all;
  }
};

std::unexpected<Error> stopped() {
  return std::unexpected(Error{ErrorKind::failed, "the callback raised an exception"});
}

// Passes each full batch to Python, with the names added since the last batch.
class ColumnSink final : public TraceSink {
 public:
  explicit ColumnSink(nb::object on_batch) : on_batch_(std::move(on_batch)) {
    cutter_.start_trace(0, "");
  }

  Result<void> begin(const TraceHeader& header) override {
    header_ = header;
    cutter_.begin(header);
    return {};
  }
  Result<void> add_path(std::string_view path) override {
    new_paths_.emplace_back(path);
    return {};
  }
  Result<void> add_event(const Event& event) override {
    columns_.add(event);
    columns_.run.push_back(cutter_.id().part);
    columns_.scenario.push_back(scenario_number());
    return columns_.kind.size() < kBatchEvents ? Result<void>() : hand_on();
  }
  Result<void> add_mark(const Mark& mark) override {
    cutter_.cut(mark);
    scenario_.reset();
    return {};
  }

  Result<void> hand_on() {
    const nb::gil_scoped_acquire acquired;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      nb::list paths;
      for (const std::string& path : new_paths_) paths.append(nb::bytes(path.data(), path.size()));
      nb::list scenarios;
      for (const std::string& scenario : scenarios_) scenarios.append(to_str(scenario));
      on_batch_(columns_.take(), paths, scenarios);
    } catch (nb::python_error& error) {
      raised_.emplace(std::move(error));
      return stopped();
    }
    columns_ = {};
    new_paths_.clear();
    return {};
  }

  const TraceHeader& header() const { return header_; }
  std::optional<nb::python_error>& raised() { return raised_; }

 private:
  int32_t scenario_number() {
    if (!scenario_) {
      const auto next = static_cast<int32_t>(scenarios_.size());
      const auto [known, is_new] = numbers_.try_emplace(cutter_.scenario(), next);
      if (is_new) scenarios_.push_back(cutter_.scenario());
      scenario_ = known->second;
    }
    return *scenario_;
  }

  nb::object on_batch_;
  RunCutter cutter_;
  TraceHeader header_;
  Columns columns_;
  std::vector<std::string> new_paths_;
  std::vector<std::string> scenarios_;
  std::unordered_map<std::string, int32_t> numbers_;
  std::optional<int32_t> scenario_;  // scenario of the next event; if empty, it must be looked up
  std::optional<nb::python_error> raised_;
};

nb::dict to_dict(const ImportReport& report, const TraceHeader& header) {
  nb::dict all;
  all["dialect"] = report.dialect;
  all["scenario"] = to_str(report.scenario);
  all["machine"] = to_str(header.machine);
  all["program"] = to_str(header.command);
  all["began_unix_ns"] = header.began_unix_ns;
  all["lines"] = report.lines;
  all["unparsed_lines"] = report.unparsed_lines;
  all["events"] = report.events;
  all["reads"] = report.reads;
  all["maps"] = report.maps;
  all["opens"] = report.opens;
  all["failed_opens"] = report.failed_opens;
  all["read_bytes"] = report.read_bytes;
  all["paths"] = report.paths;
  all["span_ns"] = report.span_ns;
  nb::list warnings;
  for (const std::string& warning : report.warnings) warnings.append(to_str(warning));
  all["warnings"] = warnings;
  return all;
}

nb::dict read_trace_as_columns(const nb::bytes& path, nb::object on_batch,
                               const std::string& format, const std::string& scenario,
                               const std::vector<std::string>& maps,
                               const std::vector<std::string>& only,
                               const std::vector<std::string>& marks,
                               const std::vector<std::string>& splits, bool lenient) {
  ImportOptions options = {
      .format = format, .lenient = lenient, .only = only, .scenario = scenario, .splits = splits};
  for (const std::string& rule : maps)
    options.path_maps.push_back(value_or_raise(PathMap::parse(rule)));
  for (const std::string& mark : marks)
    options.marks.push_back(value_or_raise(parse_time_mark(mark)));
  const std::string file = to_string(path);
  ColumnSink sink(std::move(on_batch));
  const auto report = [&]() -> Result<ImportReport> {
    const nb::gil_scoped_release released;
    auto read = read_trace(file, std::move(options), sink);
    if (!read) return read;
    SKL_TRY_DO(sink.hand_on());
    return read;
  }();
  if (sink.raised()) throw *std::move(sink.raised());
  return to_dict(value_or_raise(report), sink.header());
}

nb::list list_dialects() {
  nb::list all;
  for (const Dialect* dialect : dialects())
    all.append(nb::make_tuple(std::string(dialect->name), std::string(dialect->description)));
  return all;
}

}  // namespace

void add_traces(nb::module_& module) {
  module.def(
      "read_trace", read_trace_as_columns, nb::arg("path"), nb::arg("on_batch"), nb::arg("format"),
      nb::arg("scenario"), nb::arg("maps"), nb::arg("only"), nb::arg("marks"), nb::arg("splits"),
      nb::arg("lenient"),
      nb::sig("def read_trace(path: bytes, on_batch: collections.abc.Callable[..., object], "
              "format: str, scenario: str, maps: list[str], only: list[str], marks: list[str], "
              "splits: list[str], lenient: bool) -> dict[str, typing.Any]"));
  module.def("dialects", list_dialects, nb::sig("def dialects() -> list[tuple[str, str]]"));
}

}  // namespace seekless::python
