// Writes the analysis as JSON for machines, as in schemas/results/analyze.schema.json.
#include <nlohmann/json.hpp>

#include "packer/answer/analyze_answer.h"
#include "packer/answer/report_totals.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kAnalysisVersion = 1;

// Returns the seconds, or null if they aren't known.
Json seconds_if(bool is_known, uint64_t ns) {
  return is_known ? Json(seconds_of_ns(ns)) : Json(nullptr);
}

template <typename Item, typename ToJson>
Json list(const std::vector<Item>& items, ToJson to_json) {
  Json out = Json::array();
  for (const Item& item : items) out.push_back(to_json(item));
  return out;
}

Json sizes_json(const RunFigures& run) {
  return {{"median_bytes", run.median_bytes},
          {"median_by_bytes", run.median_by_bytes},
          {"small_reads", run.small_reads},
          {"small_bytes", run.small_bytes},
          {"classes", list(run.sizes, [](const SizeClass& of) {
             return Json{{"from_bytes", of.from_bytes}, {"reads", of.reads}, {"bytes", of.bytes}};
           })}};
}

Json chains_json(const RunFigures& run) {
  const auto chain_json = [](const Chain& chain) {
    return Json{{"path", valid_utf8(chain.path)},
                {"entry", valid_utf8(chain.entry)},
                {"offset_bytes", chain.offset_bytes},
                {"bytes", chain.bytes},
                {"reads", chain.reads},
                {"reads_needed", chain.reads_needed()},
                {"times", chain.times},
                {"process", chain.process},
                {"thread", chain.thread}};
  };
  return {{"chains", run.chains.chains},
          {"reads", run.chains.reads},
          {"bytes", run.chains.bytes},
          {"reads_saved", run.chains.reads_saved},
          {"top", list(run.top_chains, chain_json)}};
}

Json order_json(const OrderFigures& order) {
  return {{"file_changes", order.file_changes},
          {"longest_stretch_reads", order.longest_stretch_reads},
          {"longest_stretch_bytes", order.longest_stretch_bytes},
          {"forward_jumps", order.forward_jumps},
          {"backward_jumps", order.backward_jumps},
          {"median_jump_bytes", order.median_jump_bytes},
          {"jumped_bytes", order.jumped_bytes}};
}

Json time_json(const RunFigures& run) {
  const TimeFigures& time = run.time;
  const bool is_timed = time.timed_reads > 0;
  return {{"span_seconds", seconds_of_ns(time.span_ns)},
          {"timed_reads", time.timed_reads},
          {"read_seconds", seconds_if(is_timed, time.read_ns)},
          {"summed_seconds", seconds_if(is_timed, time.summed_ns)},
          {"waits", time.waits},
          {"wait_seconds", seconds_if(is_timed, time.wait_ns)},
          {"most_at_once", time.most_at_once},
          {"late_events", time.late_events}};
}

Json failed_json(const RunFigures& run) {
  return {{"count", run.failed_opens},
          {"seconds", seconds_of_ns(run.failed_ns)},
          {"top_paths", list(run.top_failed,
                             [](const FailedPath& path) {
                               return Json{{"path", valid_utf8(path.path)},
                                           {"count", path.opens},
                                           {"seconds", seconds_of_ns(path.ns)}};
                             })},
          {"top_processes", list(run.top_failed_processes, [](const FailedProcess& process) {
             return Json{{"process", process.process},
                         {"count", process.opens},
                         {"seconds", seconds_of_ns(process.ns)}};
           })}};
}

Json file_json(const FileFigures& file) {
  return {{"path", valid_utf8(file.path)}, {"reads", file.reads},
          {"bytes", file.bytes},           {"needed_bytes", file.needed_bytes},
          {"opens", file.opens},           {"seconds", seconds_of_ns(file.read_ns)}};
}

Json entry_json(const FileFigures& entry) {
  return {{"path", valid_utf8(entry.path)},
          {"archive", valid_utf8(entry.archive)},
          {"reads", entry.reads},
          {"bytes", entry.bytes},
          {"needed_bytes", entry.needed_bytes},
          {"seconds", seconds_of_ns(entry.read_ns)}};
}

Json content_json(const RunFigures& run) {
  if (!run.content) return nullptr;
  const ContentFigures& content = *run.content;
  return {{"data_bytes", content.data_bytes},
          {"header_bytes", content.header_bytes},
          {"directory_bytes", content.directory_bytes},
          {"hidden_bytes", content.hidden_bytes},
          {"other_bytes", content.other_bytes},
          {"outside_bytes", content.outside_bytes},
          {"outside_reads", content.outside_reads},
          {"needed_bytes", content.needed_bytes},
          {"entries", content.entries},
          {"top_entries", list(content.top_entries, entry_json)},
          {"top_repeated", list(content.top_repeated, entry_json)},
          {"top_outside", list(content.top_outside, file_json)}};
}

Json cold_json(const RunFigures& run) {
  if (!run.cold) return nullptr;
  const LoadCost& cost = run.cold->cost;
  return {{"bytes", cost.bytes},
          {"reads", cost.reads},
          {"seeks", cost.seeks},
          {"travel_bytes", run.cold->travel_bytes},
          {"seconds", cost.seconds},
          {"scattered_seeks", run.cold->scattered.seeks},
          {"scattered_seconds", run.cold->scattered.seconds},
          {"bound_seconds", run.cold->bound_seconds},
          {"scattered_bound_seconds", run.cold->scattered_bound_seconds}};
}

Json conclusion_json(const RunFigures& run, const std::string& drive) {
  const Conclusion conclusion = conclude(run, drive);
  return {{"warm", conclusion.is_warm}, {"text", valid_utf8(conclusion.text)}};
}

Json run_json(const RunFigures& run, const std::string& drive) {
  return {{"trace", valid_utf8(run.trace)},
          {"scenario", valid_utf8(run.scenario)},
          {"conclusion", conclusion_json(run, drive)},
          {"reads", run.reads},
          {"empty_reads", run.empty_reads},
          {"whole_files", run.whole_files},
          {"bytes", run.bytes},
          {"needed_bytes", run.needed_bytes},
          {"useless_reads", run.useless_reads},
          {"files", run.files},
          {"opens", run.opens},
          {"maps", run.maps},
          {"mapped_bytes", run.mapped_bytes},
          {"sizes", sizes_json(run)},
          {"chains", chains_json(run)},
          {"order", order_json(run.order)},
          {"time", time_json(run)},
          {"failed_opens", failed_json(run)},
          {"threads", run.threads},
          {"top_threads", list(run.top_threads,
                               [](const ThreadFigures& thread) {
                                 return Json{{"process", thread.process},
                                             {"thread", thread.thread},
                                             {"reads", thread.reads},
                                             {"bytes", thread.bytes},
                                             {"seconds", seconds_of_ns(thread.read_ns)}};
                               })},
          {"top_files", list(run.top_files, file_json)},
          {"top_repeated", list(run.top_repeated, file_json)},
          {"content", content_json(run)},
          {"cold", cold_json(run)}};
}

Json sentences(const std::vector<std::string>& texts) {
  return list(texts, [](const std::string& text) { return Json(valid_utf8(text)); });
}

}  // namespace

Json to_json(const AnalyzeAnswer& answer) {
  const Analysis& analysis = answer.analysis;
  Json runs = Json::array();
  for (const RunFigures& run : analysis.runs) runs.push_back(run_json(run, analysis.drive));
  const RunTotal total = total_of(analysis.runs);
  return {{"seekless", "analysis"},
          {"version", kAnalysisVersion},
          {"drive", valid_utf8(analysis.drive)},
          {"assumptions", sentences(analysis.assumptions)},
          {"warnings", sentences(analysis.warnings)},
          {"runs", std::move(runs)},
          {"total",
           {{"reads", total.reads},
            {"bytes", total.bytes},
            {"needed_bytes", total.needed_bytes},
            {"span_seconds", seconds_of_ns(total.span_ns)},
            {"read_seconds", seconds_of_ns(total.read_ns)},
            {"cold_seconds", total.cold_seconds},
            {"bound_seconds", total.bound_seconds}}},
          {"verdict", to_json(answer.verdict)}};
}

}  // namespace seekless
