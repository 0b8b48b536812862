#include "packer/answer/drive_calibrate_answer.h"

#include <fmt/format.h>

#include "packer/answer/drive_answer.h"
#include "packer/base/json_depth.h"
#include "packer/drive/drive_figures.h"
#include "packer/words/counted.h"

namespace seekless {

namespace {

std::string line_of_network(const NetworkFigures& network) {
  return fmt::format(
      "a round trip takes {:.2f} ms; {} at once bring {:.1f} MB/s, one brings {:.1f} MB/s",
      network.round_trip_ms, counted(network.at_once, "read"), megabytes(network.bytes_per_s),
      megabytes(network.alone_bytes_per_s));
}

}  // namespace

std::string to_text(const CalibrateAnswer& answer) {
  const Calibration& found = answer.found;
  if (found.network)
    return fmt::format("{}\n{}\n{}, {:.1f} MB, {:.1f} s", line_of_network(*found.network),
                       describe_profile(found.profile), counted(found.network->reads, "read"),
                       megabytes(found.network->bytes), found.network->seconds);
  const FitError& error = found.error;
  std::string text = describe_profile(found.profile) + "\nfit\n";
  text += fmt::format("  rates at {} places      {:.1f} % rms about the fit\n", found.rate_places,
                      error.rates_rms_share * 100);
  if (is_disk(found.profile)) {
    text += fmt::format("  {} seeks             {:.2f} ms rms about the curve\n",
                        found.seek_samples, error.seek_rms_ms);
    text += fmt::format("  rotation               {:.0f} % of intervals are whole turns\n",
                        error.rotation_share * 100);
    text += fmt::format("  slow random accesses   {:.1f} %\n", error.slow_share * 100);
    text += fmt::format("  the computer's own     {:.2f} ms a read, not in the profile\n",
                        found.computer_ms);
  }
  text += fmt::format("  average access         {:.4g} ms predicted, {:.4g} measured ({:+.1f} %)\n",
                      error.predicted_access_ms, error.measured_access_ms,
                      (error.predicted_access_ms / error.measured_access_ms - 1) * 100);
  return text + fmt::format("{} reads, {:.1f} MB, {} failed, {:.1f} s", found.counters.reads,
                            megabytes(found.counters.bytes), found.counters.failed_reads,
                            found.seconds);
}

nlohmann::ordered_json to_json(const CalibrateAnswer& answer) {
  const Calibration& found = answer.found;
  const FitError& error = found.error;
  nlohmann::ordered_json fit = {{"rate_places", found.rate_places},
                                {"rates_rms_share", error.rates_rms_share}};
  if (is_disk(found.profile)) {
    fit["seek_samples"] = found.seek_samples;
    fit["seek_rms_ms"] = error.seek_rms_ms;
    fit["rotation_share"] = error.rotation_share;
    fit["slow_share"] = error.slow_share;
    fit["computer_ms"] = found.computer_ms;
  }
  fit["predicted_access_ms"] = error.predicted_access_ms;
  fit["measured_access_ms"] = error.measured_access_ms;
  nlohmann::ordered_json json = {{"command", "drive calibrate"},
                                 {"device", answer.device},
                                 {"is_file", answer.is_file},
                                 {"output", answer.output}};
  if (answer.pieces) json["pieces"] = *answer.pieces;
  json["profile"] = parse_json<nlohmann::ordered_json>(to_json(found.profile));
  json["fit"] = std::move(fit);
  if (found.network)
    json["network"] = {{"round_trip_ms", found.network->round_trip_ms},
                       {"bytes_per_s", found.network->bytes_per_s},
                       {"alone_bytes_per_s", found.network->alone_bytes_per_s},
                       {"reads_at_once", found.network->at_once}};
  json["reads"] = found.counters.reads;
  json["bytes"] = found.counters.bytes;
  json["failed_reads"] = found.counters.failed_reads;
  json["seconds"] = found.seconds;
  json["remarks"] = found.remarks;
  return json;
}

}  // namespace seekless
