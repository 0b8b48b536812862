#include <fmt/format.h>

#include "packer/drive/drive.h"
#include "packer/drive/drive_figures.h"
#include "packer/page/internal/html_parts.h"
#include "packer/page/internal/svg.h"
#include "packer/page/prove_page.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

std::string load_name(const ProvenLoad& load, size_t number, bool tells_names) {
  return tells_names ? load.name : fmt::format("load {}", number + 1);
}

// Returns the loads with either the measured or the predicted seconds, for the parts of a report's
// page.
Report report_of(const Proof& proof, bool tells_names, bool is_measured) {
  Report report = {.drive = "this disk",
                   .capacity_bytes = Drive(proof.drive).capacity_bytes(),
                   .assumptions = {}};
  for (size_t i = 0; i < proof.loads.size(); ++i) {
    const ProvenLoad& load = proof.loads[i];
    ScenarioReport scenario = {.name = load_name(load, i, tells_names),
                               .runs = 1,
                               .needed_bytes = load.needed_bytes,
                               .before = load.before.predicted,
                               .after = load.after.predicted,
                               .bound_seconds = load.bound_s,
                               .before_moves = load.before.moves,
                               .after_moves = load.after.moves};
    if (is_measured) {
      scenario.before.seconds = load.before.median_s();
      scenario.after.seconds = load.after.median_s();
    }
    report.scenarios.push_back(std::move(scenario));
  }
  return report;
}

std::string side_cells(const ProvenSide& side) {
  return fmt::format("<td class=\"first\">{}</td><td>{}</td><td>{:+.1f}</td>",
                     number_cell(side.median_s(), 2), number_cell(side.predicted_s(), 2),
                     side.error_share() * 100);
}

std::string figures_section(const Proof& proof, bool tells_names) {
  constexpr std::string_view kHead =
      "<tr><th class=\"text\" rowspan=\"2\" scope=\"col\">load</th>"
      "<th class=\"group first before\" colspan=\"3\" scope=\"colgroup\">before</th>"
      "<th class=\"group first after\" colspan=\"3\" scope=\"colgroup\">after</th></tr>\n"
      "<tr><th class=\"first\">measured</th><th>predicted</th><th>off by %</th>"
      "<th class=\"first\">measured</th><th>predicted</th><th>off by %</th></tr>\n";
  std::string rows;
  for (size_t i = 0; i < proof.loads.size(); ++i)
    rows += fmt::format("<tr><th scope=\"row\">{}</th>{}{}</tr>\n",
                        escape_html(load_name(proof.loads[i], i, tells_names)),
                        side_cells(proof.loads[i].before), side_cells(proof.loads[i].after));
  return "<section>\n<h2>Measured beside predicted</h2>\n" +
         table_html("Seconds measured and predicted", kHead, rows, "") +
         fmt::format(
             "<p class=\"note\">Seconds: the median of {} rounds, before and after in turn, "
             "with nothing in memory and without pauses. Predicted by the drive model, with "
             "the files where they lie{}.</p>\n</section>\n",
             proof.rounds,
             proof.knows_own() ? ", plus the time for which the disk waited for the computer" : "");
}

std::string list_section(std::string_view title, const std::vector<std::string>& texts) {
  if (texts.empty()) return {};
  std::string items;
  for (const std::string& text : texts) items += fmt::format("<li>{}</li>\n", escape_html(text));
  return fmt::format("<section>\n<h2>{}</h2>\n<ul class=\"plain\">\n{}</ul>\n</section>\n", title,
                     items);
}

std::string drive_facts(const Proof& proof) {
  const DriveFigures figures = figures_of(proof.drive);
  std::string facts = fact_html(
      "measured", change_html(seconds_text(proof.before_s()), seconds_text(proof.after_s())));
  facts += fact_html("predicted", change_html(seconds_text(proof.predicted_before_s()),
                                              seconds_text(proof.predicted_after_s())));
  if (proof.knows_own())
    facts += fact_html("of it the computer's own", change_html(seconds_text(proof.own_before_s()),
                                                               seconds_text(proof.own_after_s())));
  facts += fact_html("the disk", bytes_text(figures.capacity_bytes));
  facts += fact_html("its access", fmt::format("{:.1f} ms", figures.access_ms));
  facts +=
      fact_html("its rates", fmt::format("{:.0f} to {:.0f} MB/s", figures.inner_bytes_per_s / 1e6,
                                         figures.outer_bytes_per_s / 1e6));
  if (!proof.drive_model.empty()) facts += fact_html("its model", escape_html(proof.drive_model));
  return "<dl class=\"facts\">\n" + facts + "</dl>\n";
}

std::vector<std::string> contents_of(const Proof& proof, bool tells_names) {
  return {
      "The figures of the disk above: capacity, rates, access time, and whether others used it.",
      proof.drive_model.empty() ? "Not the disk's model." : "The disk's model.",
      tells_names ? "The names of the loads, as they were recorded."
                  : "Not the names of the loads.",
      "No path, no name of a file, of a user or of this machine, and no date."};
}

}  // namespace

std::string to_html(const ProveAnswer& answer, bool tells_names) {
  const Proof& proof = answer.proof;
  const SideNames names = {
      .before = "before, measured", .after = "after, measured", .seconds = "Seconds of each load"};
  return page_html(
      "Loads on one disk, before and after seekless", verdict_of(answer),
      drive_facts(proof) + list_section("How sure this is", notes_of(answer)) +
          bars_section(report_of(proof, tells_names, true), names) +
          figures_section(proof, tells_names) +
          "<p class=\"note\">The pictures below show what the model predicts.</p>\n" +
          heads_section(report_of(proof, tells_names, false)) +
          list_section("What this page tells of the machine", contents_of(proof, tells_names)));
}

}  // namespace seekless
