#include "packer/answer/repack_answer.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "packer/answer/internal/notes.h"
#include "packer/repack/choose_storing.h"
#include "packer/words/counted.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

std::string storing_text(const Storing& storing) {
  if (storing == kStoreAll) return "all stored";
  if (storing == kStoreNone) return "all kept deflated";
  return fmt::format("stored where deflating wins less than {:.0f} %",
                     100 * (1 - storing.from_share));
}

// Says how deflated entries are stored, and what the other ways would have cost.
std::string storing_note(const std::vector<TriedStoring>& tried) {
  const auto seconds = [](const TriedStoring& of) {
    return fmt::format("{}: {:.2f} s of the disk and {:.2f} s of inflating",
                       storing_text(of.storing), of.disk_s, of.inflate_s);
  };
  std::string others;
  for (const TriedStoring& of : std::span(tried).subspan(1))
    others += (others.empty() ? "" : "; ") + seconds(of);
  return fmt::format(
      "How to write the deflated entries that recordings read was chosen by the time of all loads "
      "together, assuming that inflating runs at {:.0f} MB/s. Chosen: {}. The others: {}. "
      "--compression overrides this.",
      kInflatedBytesPerSecond / 1e6, seconds(tried.front()), others);
}

// Says how much slower loads are because all share one order, and how fast the alternatives are.
// Returns an empty text if the cost is small.
std::string one_order_note(const OneOrder& of) {
  constexpr double kLittle = 1.02;
  constexpr double kLeastBySweeping = 1.1;
  const bool costs = of.together_s > kLittle * of.apart_s;
  const bool is_better_swept = of.together_s > kLeastBySweeping * of.swept_s;
  if (!costs && !is_better_swept) return "";
  const std::string together = seconds_texts(of.together_s, of.apart_s)[0];
  std::string note =
      costs ? fmt::format(
                  "One order serves {} loads, which take {} together. With archives of their own "
                  "they would take {}, so no order for all brings much more than that.",
                  of.loads, together, seconds_texts(of.together_s, of.apart_s)[1])
            : fmt::format(
                  "One order serves {} loads, {} together, as well as archives of their own would.",
                  of.loads, together);
  if (is_better_swept)
    note += fmt::format(
        " Read as it lies before the game asks for it ('warm', 'play'), the same content takes {}.",
        seconds_texts(of.together_s, of.swept_s)[1]);
  return note;
}

// Returns sentences about loads that get slower and why, and about missing entries.
std::vector<std::string> slower_notes(const RepackForecast& forecast) {
  std::vector<std::string> notes;
  for (const ForecastScenario& of : forecast.scenarios) {
    const double before = of.before.cost.seconds;
    const double after = of.after.cost.seconds;
    if (after <= before * kLeastGain) continue;
    const auto texts = seconds_texts(before, after);
    std::string note = fmt::format("{}: {} before, {} after: slower", of.name, texts[0], texts[1]);
    if (forecast.scenarios.size() > 1)
      note += fmt::format(
          ", since one order serves all loads; --weight '{}=10' would count it more", of.name);
    notes.push_back(note + ".");
  }
  if (!forecast.gone.empty())
    notes.push_back(
        fmt::format("{} that recordings read {} gone, such as '{}': record again what reads such.",
                    counted(forecast.gone.size(), "entry", "entries"),
                    forecast.gone.size() == 1 ? "is" : "are", forecast.gone.front()));
  return notes;
}

// Says what other methods would gain.
std::vector<std::string> other_notes(const RepackForecast& forecast) {
  std::vector<std::string> notes;
  if (const auto one = forecast.one_order())
    if (std::string note = one_order_note(*one); !note.empty()) notes.push_back(std::move(note));
  if (!forecast.tried.empty()) notes.push_back(storing_note(forecast.tried));
  return notes;
}

Json forecast_json(const LoadFigures& load) {
  return {{"seconds", load.cost.seconds},
          {"reads", load.cost.reads},
          {"seeks", load.cost.seeks},
          {"bytes", load.cost.bytes},
          {"needed_bytes", load.needed_bytes}};
}

std::string line_of(const RepackedArchive& archive, const std::string& cell, bool is_dry_run) {
  const std::string name = fmt::format("  {} {:>8.1f} MB", cell, megabytes(archive.bytes_before()));
  if (!archive.is_repacked)
    return fmt::format("{}  {}: {}", name, is_dry_run ? "to stay" : "untouched", archive.reason);
  return fmt::format("{} -> {}{:.1f} MB, {} of {} in load order", name,
                     is_dry_run ? "at most " : "", megabytes(archive.bytes_after()),
                     archive.read_entries, counted(archive.entries, "entry", "entries"));
}

// Says what players who already have the archives would have to download.
std::string changed_bytes(const std::vector<RepackedArchive>& archives) {
  uint64_t all = 0;
  uint64_t old_bytes = 0;
  uint64_t new_bytes = 0;
  for (const RepackedArchive& archive : archives) {
    all += archive.bytes_before();
    if (!archive.is_repacked) continue;
    old_bytes += archive.old_bytes;
    new_bytes += archive.new_bytes;
  }
  return fmt::format("{:.1f} of {:.1f} MB would be written anew, as {:.1f} MB at most",
                     megabytes(old_bytes), megabytes(all), megabytes(new_bytes));
}

void add_kept(const RepackOutcome& outcome, AnswerNotes& notes) {
  const std::string& home = outcome.archives.front().home;
  notes.brief.push_back(fmt::format("undo: seekless restore {}", home));
  notes.brief.push_back(fmt::format(
      "once the game runs well, free {}: seekless restore --discard {}",
      outcome.originals_bytes ? fmt::format("{:.1f} MB", megabytes(*outcome.originals_bytes))
                              : "the originals' room",
      home));
}

void add_overlay(const OverlayOutcome& overlay, AnswerNotes& notes) {
  for (const auto& [reason, told] : overlay.left_out)
    notes.brief.push_back(fmt::format("{} where {}: {}, such as {}",
                                      counted(told.count, "entry", "entries"),
                                      told.count == 1 ? "it is" : "they are", reason, told.first));
  if (!overlay.report) return;
  notes.brief.emplace_back("no archive was touched; to undo, delete the overlay");
  notes.brief.emplace_back(
      "make it anew when an archive is changed or added: it lies over them all");
}

std::string overlay_text(const OverlayOutcome& overlay, const RepackOutcome& outcome) {
  const std::string what =
      fmt::format("{} in load order, {:.1f} MB in their archives",
                  counted(overlay.entries, "entry", "entries"), megabytes(overlay.copied_bytes));
  if (!overlay.report)
    return fmt::format("dry run: {} {} be written: {}", overlay.path,
                       overlay.replaces ? "would again" : "would", what);
  return fmt::format("{}: {:.1f} MB written in {:.1f} s, {}: {}", overlay.path,
                     megabytes(overlay.report->file_bytes), outcome.seconds,
                     outcome.is_verified ? "and compared with the originals" : "not verified",
                     what);
}

Json to_json(const OverlayOutcome& overlay) {
  Json left_out = Json::array();
  for (const auto& [reason, told] : overlay.left_out)
    left_out.push_back({{"reason", valid_utf8(reason)},
                        {"entries", told.count},
                        {"example", valid_utf8(told.first)}});
  const OverlayReport report = overlay.report.value_or(OverlayReport{});
  return {{"path", valid_utf8(overlay.path)},
          {"bytes", report.file_bytes},
          {"entries", overlay.entries},
          {"copied_bytes", overlay.copied_bytes},
          {"unpacked_entries", report.unpacked_entries},
          {"replaces", overlay.replaces},
          {"left_out", std::move(left_out)}};
}

std::string forecast_text(const RepackForecast& forecast, size_t columns) {
  constexpr size_t kCell = 7;
  constexpr size_t kNumbers = 7 * (1 + kCell) + 2;
  columns = table_columns(columns);
  const size_t width = columns - kNumbers;
  const auto line = [&](std::string_view name, std::string_view mark, const auto& cells) {
    std::string text = pad_right(name, width) + " " + std::string(mark);
    for (const auto& cell : cells) text += " " + pad_left(cell, kCell);
    return text + "\n";
  };
  using Cells = std::vector<std::string>;
  std::string text =
      fmt::format("Predicted for {}: seconds that it is busy\n", clean_line(forecast.drive));
  text +=
      line("scenario", " ", Cells{"before", "after", "faster", "seeks", "after", "MB", "after"});
  std::vector<std::string> names;
  for (const ForecastScenario& of : forecast.scenarios)
    names.push_back(of.name.empty() ? "-" : clean_line(of.name));
  names = cut_names(names, width);
  for (size_t i = 0; i < names.size(); ++i) {
    const ForecastScenario& of = forecast.scenarios[i];
    const auto faster = ratio(of.before.cost.seconds, of.after.cost.seconds);
    const auto mb = [](const LoadFigures& load) {
      return number_cell(static_cast<double>(load.cost.bytes) / 1e6, 1);
    };
    text +=
        line(names[i], of.is_held_out ? " " : "*",
             Cells{number_cell(of.before.cost.seconds, 2), number_cell(of.after.cost.seconds, 2),
                   faster ? fmt::format("{:.1f}x", *faster) : "-", count_cell(of.before.cost.seeks),
                   count_cell(of.after.cost.seeks), mb(of.before), mb(of.after)});
  }
  return text;
}

Json forecast_json(const RepackForecast& forecast) {
  Json scenarios = Json::array();
  for (const ForecastScenario& of : forecast.scenarios) {
    Json each = Json::array();
    for (const ForecastRun& run : of.each)
      each.push_back(
          {{"trace", valid_utf8(run.trace)}, {"before_s", run.before_s}, {"after_s", run.after_s}});
    scenarios.push_back({{"name", valid_utf8(of.name)},
                         {"runs", of.runs},
                         {"held_out", of.is_held_out},
                         {"before", forecast_json(of.before)},
                         {"after", forecast_json(of.after)},
                         {"alone", of.alone ? forecast_json(*of.alone) : Json()},
                         {"swept_after_s", of.swept_after_s},
                         {"each", std::move(each)}});
  }
  Json gone = Json::array();
  for (const std::string& path : forecast.gone) gone.push_back(valid_utf8(path));
  Json storing = Json::array();
  for (const TriedStoring& of : forecast.tried)
    storing.push_back(
        {{"from_share", of.storing == kStoreNone ? Json() : Json(of.storing.from_share)},
         {"disk_s", of.disk_s},
         {"inflate_s", of.inflate_s}});
  Json notes = Json::array();
  for (const std::string& note : slower_notes(forecast)) notes.push_back(valid_utf8(note));
  for (const std::string& note : other_notes(forecast)) notes.push_back(valid_utf8(note));
  return {{"drive", valid_utf8(forecast.drive)}, {"read_ahead", forecast.read_ahead},
          {"scenarios", std::move(scenarios)},   {"gone", std::move(gone)},
          {"storing", std::move(storing)},       {"notes", std::move(notes)}};
}

std::string outcome_text(const RepackOutcome& outcome) {
  constexpr size_t kLongestName = 28;
  const bool is_dry_run = outcome.is_dry_run;
  std::vector<std::string> names;
  for (const RepackedArchive& archive : outcome.archives) names.push_back(clean_line(archive.name));
  names = name_cells(names, kLongestName);
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    text += line_of(outcome.archives[i], names[i], is_dry_run) + "\n";
  if (outcome.overlay) return text + overlay_text(*outcome.overlay, outcome);
  if (outcome.loose_files > 0 && !outcome.is_in_place && !is_dry_run)
    text +=
        fmt::format("{} {} copied: only archives are\n", counted(outcome.loose_files, "loose file"),
                    outcome.loose_files == 1 ? "isn't" : "aren't");
  const auto repacked = std::ranges::count_if(outcome.archives, &RepackedArchive::is_repacked);
  text += fmt::format("{}: {} of {} {}",
                      is_dry_run            ? "dry run"
                      : outcome.is_in_place ? "in place"
                                            : outcome.output,
                      repacked, counted(outcome.archives.size(), "archive"),
                      is_dry_run ? "would be repacked" : "repacked");
  if (!is_dry_run)
    text += fmt::format(" in {:.1f} s, {}", outcome.seconds,
                        outcome.is_verified ? "and compared with the old ones" : "not verified");
  return text;
}

Json outcome_json(const RepackOutcome& outcome) {
  uint64_t before = 0;
  uint64_t after = 0;
  Json archives = Json::array();
  for (const RepackedArchive& archive : outcome.archives) {
    const uint64_t old_bytes = archive.bytes_before();
    const uint64_t new_bytes = archive.bytes_after();
    before += old_bytes;
    after += new_bytes;
    archives.push_back({{"name", archive.name},
                        {"path", archive.path},
                        {"repacked", archive.is_repacked},
                        {"reason", archive.is_repacked ? Json() : Json(archive.reason)},
                        {"faulty", archive.is_faulty},
                        {"bytes_before", old_bytes},
                        {"bytes_after", new_bytes},
                        {"entries", archive.entries},
                        {"read_entries", archive.read_entries},
                        {"unpacked_entries", archive.unpacked_entries},
                        {"packed_entries", archive.packed_entries},
                        {"aligned_entries", archive.aligned_entries}});
  }
  return {{"command", "repack"},
          {"output", outcome.output.empty() ? Json() : Json(outcome.output)},
          {"in_place", outcome.is_in_place},
          {"dry_run", outcome.is_dry_run},
          {"verified", outcome.is_verified},
          {"seconds", outcome.seconds},
          {"bytes_before", before},
          {"bytes_after", after},
          {"loose_files", outcome.loose_files},
          {"originals_bytes", outcome.originals_bytes ? Json(*outcome.originals_bytes) : Json()},
          {"overlay", outcome.overlay ? to_json(*outcome.overlay) : Json()},
          {"archives", std::move(archives)}};
}

AnswerNotes notes_of(const RepackAnswer& answer) {
  const RepackOutcome& outcome = answer.outcome;
  AnswerNotes notes;
  const bool any_repacked = std::ranges::any_of(outcome.archives, &RepackedArchive::is_repacked);
  if (outcome.overlay) add_overlay(*outcome.overlay, notes);
  if (any_repacked && outcome.is_dry_run) notes.brief.push_back(changed_bytes(outcome.archives));
  if (any_repacked && outcome.is_in_place && !outcome.is_dry_run) add_kept(outcome, notes);
  if (!answer.forecast) return notes;
  const RepackForecast& forecast = *answer.forecast;
  for (std::string& note : slower_notes(forecast)) notes.brief.push_back(std::move(note));
  if (std::ranges::any_of(forecast.scenarios,
                          [](const ForecastScenario& of) { return !of.is_held_out; }))
    notes.brief.emplace_back("*: tried on its only run; the others on runs held out");
  notes.more.push_back(
      "the recorded reads, cold, with read-ahead " + forecast.read_ahead +
      ", on the archives as they are and as they would be, each read mapped to where its entry "
      "would lie");
  for (std::string& note : other_notes(forecast)) notes.more.push_back(std::move(note));
  return notes;
}

}  // namespace

std::string to_text(const RepackAnswer& answer, size_t columns, bool is_verbose) {
  columns = table_columns(columns);
  std::string text = outcome_text(answer.outcome) + "\n";
  if (answer.forecast) text += "\n" + forecast_text(*answer.forecast, columns);
  if (const std::string notes = to_text(notes_of(answer), is_verbose, columns); !notes.empty())
    text += "\n" + notes;
  text.pop_back();
  return text;
}

std::vector<std::string> warnings_of(const RepackAnswer& answer) {
  std::vector<std::string> warnings;
  for (const RepackedArchive& archive : answer.outcome.archives)
    if (archive.is_faulty)
      warnings.push_back(fmt::format("{}: left as it is: {}", archive.name, archive.reason));
  return warnings;
}

Json to_json(const RepackAnswer& answer) {
  Json json = outcome_json(answer.outcome);
  json["verdict"] = to_json(answer.verdict);
  json["forecast"] = answer.forecast ? forecast_json(*answer.forecast) : Json();
  return json;
}

}  // namespace seekless
