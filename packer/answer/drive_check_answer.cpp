#include "packer/answer/drive_check_answer.h"

#include <cmath>

#include <fmt/format.h>

#include "packer/answer/drive_answer.h"
#include "packer/answer/internal/notes.h"
#include "packer/base/json_depth.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"
#include "packer/words/text_table.h"

namespace seekless {
namespace {

using CheckJson = nlohmann::ordered_json;

std::string percent(double share) {
  return fmt::format("{:.1f} %", std::abs(share) * 100);
}

void add_groups(const std::vector<ReadGroup>& groups, uint64_t reads, std::string_view what,
                TextTable& table) {
  for (const ReadGroup& group : groups) {
    const double off_ms = group.predicted_ms - group.measured_ms;
    const double share = static_cast<double>(group.reads) / static_cast<double>(reads);
    table.rows.push_back({fmt::format("{} {}", what, group.name), grouped(group.reads),
                          fmt::format("{:.2f}", group.measured_ms),
                          fmt::format("{:.2f}", group.predicted_ms), fmt::format("{:+.2f}", off_ms),
                          fmt::format("{:+.3f}", off_ms * share)});
  }
}

std::string groups_table(const DriveJudgement& judged, size_t columns) {
  TextTable table = {.headings = {"reads", "number", "measured", "predicted", "off", "of the sum"},
                     .rows = {}};
  add_groups(judged.by_kind, judged.reads, "", table);
  add_groups(judged.by_distance, judged.reads, "moved", table);
  add_groups(judged.by_size, judged.reads, "size", table);
  return table.to_text(columns);
}

AnswerNotes notes_of(const DriveCheckAnswer& answer) {
  AnswerNotes notes;
  notes.brief.push_back(fmt::format(
      "mean times in ms; 'of the sum' is what the group adds to the mean error of all reads"));
  notes.brief.push_back(
      fmt::format("distributions of single reads: {:.2f} ms apart (root mean square)",
                  answer.judged.distribution_ms));
  if (answer.queued_requests > 0)
    notes.brief.push_back(fmt::format("{} came while another was served; they count from its end",
                                      grouped_count(answer.queued_requests, "request")));
  for (const std::string& remark : answer.remarks) notes.brief.push_back(remark);
  return notes;
}

CheckJson groups_json(const std::vector<ReadGroup>& groups) {
  auto json = CheckJson::array();
  for (const ReadGroup& group : groups)
    json.push_back({{"group", group.name},
                    {"reads", group.reads},
                    {"measured_ms", group.measured_ms},
                    {"predicted_ms", group.predicted_ms}});
  return json;
}

}  // namespace

std::string check_sentence(const DriveCheckAnswer& answer) {
  const DriveJudgement& judged = answer.judged;
  if (judged.windows.empty())
    return fmt::format("The model predicts the sum of {} within {}.",
                       grouped_count(judged.reads, "read"), percent(judged.sum_error()));
  return fmt::format("The model predicts windows of {} reads within {} in the median.",
                     kReadsPerWindow, percent(judged.window_median_error));
}

std::string check_details(const DriveCheckAnswer& answer) {
  const DriveJudgement& judged = answer.judged;
  std::string text = fmt::format(
      "{}{}: their sum is predicted {:.1f} % {}", grouped_count(judged.reads, "read"),
      answer.fitted_requests > 0 ? " that it wasn't fitted to" : "",
      std::abs(judged.sum_error()) * 100, judged.sum_error() < 0 ? "too low" : "too high");
  if (!judged.windows.empty())
    text += fmt::format(", nine windows of ten within {}", percent(judged.window_p90_error));
  return text + ".";
}

std::string to_text(const DriveCheckAnswer& answer, size_t columns) {
  std::string text = check_sentence(answer) + "\n";
  for (const std::string& line : wrap(check_details(answer), columns)) text += line + "\n";
  text += groups_table(answer.judged, columns);
  text += to_text(notes_of(answer), false, columns);
  text += describe_profile(answer.profile) + "\n";
  if (answer.output)
    return text + fmt::format("use it: seekless analyze TRACE --drive {}", *answer.output);
  return text + fmt::format("keep it: seekless drive fit {} -o PROFILE.json", answer.trace);
}

nlohmann::ordered_json to_json(const DriveCheckAnswer& answer) {
  const DriveJudgement& judged = answer.judged;
  CheckJson json = {{"command", answer.command}, {"trace", answer.trace}, {"form", answer.form}};
  if (!answer.disk.empty()) json["disk"] = answer.disk;
  json["requests"] = answer.requests;
  json["fitted_requests"] = answer.fitted_requests;
  json["queued_requests"] = answer.queued_requests;
  json["unparsed_lines"] = answer.unparsed_lines;
  json["reads"] = judged.reads;
  json["measured_ms"] = judged.measured_ms;
  json["predicted_ms"] = judged.predicted_ms;
  json["sum_error"] = judged.sum_error();
  json["windows"] = judged.windows.size();
  json["window_median_error"] = judged.window_median_error;
  json["window_p90_error"] = judged.window_p90_error;
  json["distribution_ms"] = judged.distribution_ms;
  json["by_kind"] = groups_json(judged.by_kind);
  json["by_distance"] = groups_json(judged.by_distance);
  json["by_size"] = groups_json(judged.by_size);
  json["profile"] = parse_json<CheckJson>(to_json(answer.profile));
  if (answer.output) json["output"] = *answer.output;
  json["remarks"] = answer.remarks;
  return json;
}

}  // namespace seekless
