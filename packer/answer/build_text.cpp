#include <algorithm>

#include <fmt/format.h>

#include "packer/answer/build_answer.h"
#include "packer/answer/internal/notes.h"
#include "packer/host/terminal.h"
#include "packer/words/counted.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

constexpr size_t kLongestBuiltName = 32;

// Pads the names of the rows to the same width.
template <typename Row>
std::vector<std::string> built_names(const std::vector<Row>& rows, std::string Row::*name) {
  std::vector<std::string> names;
  for (const Row& row : rows) names.push_back(clean_line(row.*name));
  return name_cells(names, kLongestBuiltName);
}

std::string scenario_table(const std::vector<BuiltScenario>& all) {
  // Unrecorded maps have no separate predictions.
  std::vector<BuiltScenario> scenarios;
  for (const BuiltScenario& scenario : all)
    if (scenario.predicted) scenarios.push_back(scenario);
  if (scenarios.empty()) return "";
  const std::vector<std::string> names = built_names(scenarios, &BuiltScenario::name);
  const size_t columns = columns_of(names.front());
  std::string text = fmt::format("{:<{}}  {:>5} {:>9} {:>10} {:>9} {:>7}\n", "scenario", columns,
                                 "runs", "needs MB", "before", "after", "faster");
  for (size_t i = 0; i < std::min(kMostTableRows, scenarios.size()); ++i) {
    const BuiltScenario& scenario = scenarios[i];
    const double today_s = scenario.today ? scenario.today->seconds : 0;
    const double sweep_s = scenario.predicted->sweep_s;
    const auto times = ratio(today_s, sweep_s);
    text += fmt::format("{}  {:>5} {:>9} {:>8} s {:>7} s {:>7}\n", names[i], scenario.runs,
                        megabyte_cell(scenario.predicted->needed_bytes),
                        today_s > 0 ? number_cell(today_s, 2) : "-", number_cell(sweep_s, 2),
                        times && today_s > 0 ? number_cell(*times, 1) + "x" : "-");
  }
  return text + more_rows(scenarios.size()) + "\n";
}

std::string pack_table(const std::vector<BuiltPack>& packs) {
  const std::vector<std::string> names = built_names(packs, &BuiltPack::file);
  const size_t columns = columns_of(names.front());
  std::string text = fmt::format("{:<{}}  {:<7} {:>8} {:>9} {:>9}\n", "pack", columns, "", "assets",
                                 "MB", "patch MB");
  for (size_t i = 0; i < std::min(kMostTableRows, packs.size()); ++i) {
    const BuiltPack& pack = packs[i];
    text += fmt::format("{}  {:<7} {:>8} {:>9} {:>9}\n", names[i],
                        pack.fate == OutputFate::written ? "written" : "kept",
                        count_cell(pack.assets), megabyte_cell(pack.file_bytes),
                        pack.patch ? megabyte_cell(pack.patch->chunk_bytes) : "-");
  }
  return text + more_rows(packs.size());
}

std::string explanation(const BuildAnswer& build) {
  std::string text;
  for (const std::string& reason : build.reasons) text += "because " + clean_line(reason) + "\n";
  for (const BuiltPack& pack : build.packs)
    for (const std::string& reason : pack.reasons)
      text += fmt::format("{}: {}\n", clean_line(pack.file), clean_line(reason));
  if (build.zips)
    for (const std::string& reason : build.zips->reasons)
      text += fmt::format("zips: {}\n", clean_line(reason));
  for (const std::string& pack : build.removed_packs)
    text += fmt::format("{}: in no layout any more\n", clean_line(pack));
  return text;
}

bool any_seems_slower(const BuildAnswer& build) {
  return std::ranges::any_of(build.scenarios, [](const BuiltScenario& of) {
    return of.today && of.predicted && of.today->seconds > 0 &&
           of.today->seconds < of.predicted->sweep_s;
  });
}

// Says what was written, or would be written.
std::string written_note(const BuildAnswer& build) {
  const std::string packs = counted(build.packs.size(), "pack");
  if (!build.is_changed)
    return fmt::format("{}: nothing to do; {}, {:.1f} MB ({:.2f} s)", build.build_file, packs,
                       megabytes(build.bytes()), build.seconds);
  if (build.is_checked_only)
    return fmt::format("{}: {} of {} and the catalog would be written", build.build_file,
                       build.written_packs(), packs);
  return fmt::format("{}: {} of {} written, {:.1f} of {:.1f} MB, in {:.1f} s", build.build_file,
                     build.written_packs(), packs, megabytes(build.written_bytes()),
                     megabytes(build.bytes()), build.seconds);
}

void add_room(const BuildAnswer& build, AnswerNotes& notes) {
  if (build.is_changed && !build.is_checked_only)
    notes.brief.push_back(
        fmt::format("padding: {:.2f} %{}", build.padding_share() * 100,
                    build.dead_share() > 0
                        ? fmt::format(", of earlier builds {:.1f} %", build.dead_share() * 100)
                        : ""));
  if (build.is_relayout_due)
    notes.brief.push_back(fmt::format("holes take {:.1f} MB: a new layout is due (--relayout)",
                                      build.padding_share() * megabytes(build.bytes())));
  if (!build.relayout) return;
  const auto [saved, kept] = seconds_texts(build.relayout->saved_s, build.relayout->kept_s);
  notes.brief.push_back(fmt::format("a new layout saves {} of {}, for a patch of {:.1f} MB", saved,
                                    kept, megabytes(build.relayout->patch.chunk_bytes)));
}

AnswerNotes notes_of(const BuildAnswer& build) {
  AnswerNotes notes;
  notes.brief.push_back(written_note(build));
  const bool has_written = build.is_changed && !build.is_checked_only;
  if (has_written && build.patch)
    notes.brief.push_back(
        fmt::format("patch: {:.1f} MB edited, {:.1f} MB downloaded in chunks, {:.1f} MB written",
                    megabytes(build.patch->edited_bytes), megabytes(build.patch->chunk_bytes),
                    megabytes(build.patch->written_bytes())));
  if (has_written && build.zips && build.zips->fate == OutputFate::written)
    notes.brief.push_back(fmt::format("{}: {} written", build.zips->folder,
                                      counted(build.zips->archives.size(), "archive")));
  add_room(build, notes);
  if (has_written && any_seems_slower(build))
    notes.brief.emplace_back(
        "before: files one after the other; where they really lie can't be told");
  return notes;
}

}  // namespace

std::string to_text(const BuildAnswer& build, bool explains) {
  std::string text;
  if (build.verdict) text += paragraph(build.verdict->text, terminal_width()) + "\n";
  if (explains) text += explanation(build);
  if (build.is_changed && !build.is_checked_only && !build.packs.empty())
    text += scenario_table(build.scenarios) + pack_table(build.packs) + "\n";
  text += to_text(notes_of(build), true, table_columns(terminal_width()));
  text.pop_back();
  return text;
}

}  // namespace seekless
