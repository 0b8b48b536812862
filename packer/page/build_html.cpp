// Makes the page about a build: what it is worth, what was written and why, what it costs to
// download, and what takes room. Some sections are shared with the page of 'report'; the tables
// come from build_tables.h.
#include <fmt/format.h>

#include "packer/answer/build_tables.h"
#include "packer/answer/report_totals.h"
#include "packer/page/build_page.h"
#include "packer/page/internal/html_parts.h"
#include "packer/page/internal/html_tables.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

constexpr size_t kMostPageLoads = 500;
constexpr size_t kMostPagePacks = 500;
constexpr size_t kMostPageAssets = 15;

std::string facts_html(const BuildReport& report) {
  const LoadTotal loads = total_of(report.results.scenarios);
  const PackTotal packs = total_of(report.results.packs);
  std::string out = "<dl class=\"facts\">\n";
  if (!report.results.scenarios.empty())
    out += fact_html("drive busy", change_html(seconds_text(loads.before.seconds),
                                               seconds_text(loads.after.seconds)));
  if (!report.built.empty())
    out +=
        fact_html("packs written", fmt::format("{} <span class=\"faint\">of {}</span>",
                                               written_packs(report), report.results.packs.size()));
  out += fact_html("size of the packs", bytes_text(packs.file_bytes));
  out += fact_html("padding",
                   fmt::format("{:.1f} %", padding_percent(packs.padding_bytes, packs.file_bytes)));
  if (report.patch) out += fact_html("patch", bytes_text(report.patch->chunked_bytes));
  if (report.work)
    out += fact_html("build took", seconds_text(duration_or_zero(report.work->seconds)));
  return out + "</dl>\n";
}

std::string since_section(const BuildReport& report) {
  if (report.previous.empty() && report.basis == LoadBasis::simulated) return {};
  return table_section(loads_table(report, kMostPageLoads),
                       "Seconds that the drive is busy, of one load each.");
}

std::string packs_note(const BuildReport& report) {
  std::string note = packs_sentence(report);
  if (report.work)
    note += fmt::format(" Read: {}; written: {}.", bytes_text(report.work->read_bytes),
                        bytes_text(report.work->written_bytes));
  return note;
}

std::string patch_section(const BuildReport& report) {
  const std::string sentence = patch_sentence(report);
  if (sentence.empty()) return {};
  return fmt::format("<section>\n<h2>What players download</h2>\n<p>{}</p>\n</section>\n",
                     escape_html(sentence));
}

std::string copies_section(const BuildReport& report) {
  return table_section(copies_table(report, kMostPageAssets),
                       "The bytes of copies in packs beyond the first. The price of copies tells "
                       "what they save.");
}

// Removes the planned seconds, because these results are the prediction itself.
Report without_planned(Report results) {
  for (ScenarioReport& scenario : results.scenarios) scenario.planned.reset();
  return results;
}

std::string body_html(const BuildReport& report, const Report& results) {
  const bool is_simulated = report.basis == LoadBasis::simulated;
  return facts_html(report) + warnings_section(results) +
         bars_section(results, {kBeforeName, after_name(report.basis)}) + since_section(report) +
         table_section(packs_table(report, kMostPagePacks), packs_note(report)) +
         patch_section(report) + plan_section(results) + copies_section(report) +
         table_section(largest_table(report, kMostPageAssets), "") + map_section(results) +
         heads_section(results) + (is_simulated ? loads_section(results) : std::string()) +
         assumptions_section(results);
}

}  // namespace

std::string to_html(const BuildReport& report) {
  const std::string title = fmt::format("Build of {}", report.build_file);
  const std::string lead =
      report.results.scenarios.empty() ? packs_sentence(report) : loads_sentence(report);
  if (report.basis == LoadBasis::simulated)
    return page_html(title, lead, body_html(report, report.results));
  return page_html(title, lead, body_html(report, without_planned(report.results)));
}

}  // namespace seekless
