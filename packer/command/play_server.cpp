#include "packer/command/play_server.h"

#include <nlohmann/json.hpp>

#include "packer/record/marks.h"
#include "packer/serve/recorded_reads.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Recording& recording) {
  const ImportReport& report = recording.report();
  return {{"trace", recording.path()}, {"scenario", report.scenario}, {"events", report.events},
          {"reads", report.reads},     {"bytes", report.read_bytes},  {"paths", report.paths}};
}

}  // namespace

Result<void> PlayServer::prepare() {
  if (settings_.trace.empty()) return {};
  ImportOptions options;
  options.default_scenario = scenario_of_file(settings_.trace);
  auto created = Recording::create(settings_.trace, options);
  if (!created) return std::unexpected(created.error());
  recording_ = *std::move(created);
  return {};
}

Result<std::string> PlayServer::serve(const ServedFolder& served) {
  FileReader originals;
  if (recording_) return serve_recorded(served, originals);
  if (auto done = serve_folder(served, originals); !done) return std::unexpected(done.error());
  return "{}";
}

Result<std::string> PlayServer::serve_recorded(const ServedFolder& served, FileReader& reader) {
  Recording& trace = *recording_;
  if (auto begun = trace.begin(header_of(settings_.scenario, settings_.command)); !begun)
    return std::unexpected(begun.error());
  RecordedReads recorded(settings_.folder, trace, reader);
  {
    const auto marks = MarkListener::create(trace.path(), [&trace](const MarkRequest& request) {
      return trace.mark(request.value_or(""), request.has_value());
    });
    if (auto done = serve_folder(served, recorded); !done) return std::unexpected(done.error());
  }
  if (auto finished = trace.finish(); !finished) return std::unexpected(finished.error());
  return to_json(trace).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace seekless
