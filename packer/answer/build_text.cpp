#include "packer/answer/build_text.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "packer/host/terminal.h"
#include "packer/words/counted.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLongestBuiltName = 32;
constexpr std::string_view kHowBeforeIsTold =
    "'before' takes files to lie one after the other, in the order of their paths, on a disk that "
    "has nothing else; where they really lie can't be told. 'after' is predicted for a run that "
    "the layout doesn't know.";

// Of the rows' names, all as wide.
std::vector<std::string> name_cells(const Json& rows, const char* key) {
  std::vector<std::string> names;
  for (const Json& row : rows) names.push_back(clean_line(row[key].get<std::string>()));
  return seekless::name_cells(names, kLongestBuiltName);
}

std::string scenario_table(const Json& all) {
  // Of maps that nobody recorded nothing is predicted one by one.
  Json scenarios = Json::array();
  for (const Json& scenario : all)
    if (!scenario["predicted"].is_null()) scenarios.push_back(scenario);
  if (scenarios.empty()) return "";
  const std::vector<std::string> names = name_cells(scenarios, "name");
  const size_t columns = columns_of(names.front());
  std::string text = fmt::format("{:<{}}  {:>5} {:>9} {:>10} {:>9} {:>7}\n", "scenario", columns,
                                 "runs", "needs MB", "before", "after", "faster");
  bool any_slower = false;
  for (size_t i = 0; i < std::min(kMostTableRows, scenarios.size()); ++i) {
    const Json& predicted = scenarios[i]["predicted"];
    const Json& today = scenarios[i]["today"];
    const double today_s = today.is_null() ? 0 : today["seconds"].get<double>();
    const double sweep_s = predicted["sweep_s"].get<double>();
    const auto times = ratio(today_s, sweep_s);
    any_slower |= today_s > 0 && today_s < sweep_s;
    text += fmt::format(
        "{}  {:>5} {:>9} {:>8} s {:>7} s {:>7}\n", names[i], scenarios[i]["runs"].get<uint64_t>(),
        megabyte_cell(predicted["needed_bytes"]), today_s > 0 ? number_cell(today_s, 2) : "-",
        number_cell(sweep_s, 2), times && today_s > 0 ? number_cell(*times, 1) + "x" : "-");
  }
  text += more_rows(scenarios.size()) + "\n";
  return any_slower ? text + paragraph(kHowBeforeIsTold, terminal_width()) + "\n" : text;
}

std::string pack_table(const Json& packs) {
  const std::vector<std::string> names = name_cells(packs, "file");
  const size_t columns = columns_of(names.front());
  std::string text = fmt::format("{:<{}}  {:<7} {:>8} {:>9} {:>9}\n", "pack", columns, "", "assets",
                                 "MB", "patch MB");
  for (size_t i = 0; i < std::min(kMostTableRows, packs.size()); ++i) {
    const Json& pack = packs[i];
    text +=
        fmt::format("{}  {:<7} {:>8} {:>9} {:>9}\n", names[i], pack["fate"].get<std::string>(),
                    count_cell(pack["assets"].get<uint64_t>()), megabyte_cell(pack["file_bytes"]),
                    pack["patch"].is_null() ? "-" : megabyte_cell(pack["patch"]["chunk_bytes"]));
  }
  return text + more_rows(packs.size());
}

std::string explanation(const Json& build) {
  std::string text;
  for (const Json& reason : build["reasons"])
    text += "because " + clean_line(reason.get<std::string>()) + "\n";
  for (const Json& pack : build["packs"])
    for (const Json& reason : pack["reasons"])
      text += fmt::format("{}: {}\n", clean_line(pack["file"].get<std::string>()),
                          clean_line(reason.get<std::string>()));
  if (build["zips"].is_object())
    for (const Json& reason : build["zips"]["reasons"])
      text += fmt::format("zips: {}\n", clean_line(reason.get<std::string>()));
  for (const Json& pack : build["removed_packs"])
    text += fmt::format("{}: in no layout any more\n", clean_line(pack.get<std::string>()));
  return text;
}

// News for the first line: what holes take, and what it costs to be rid of them.
std::string holes_sentence(const Json& build) {
  if (!build["relayout_due"].get<bool>()) return "";
  const double share = build["padding_share"].get<double>();
  const double holes_mb = share * megabytes(build["bytes"].get<uint64_t>());
  const std::string holes =
      share > 0
          ? fmt::format("Holes take {:.0f} % of the packs, {:.1f} MB: a", share * 100, holes_mb)
          : "A";
  std::string text = holes + " new layout is due (--relayout).";
  if (build["relayout"].is_object())
    text += fmt::format(" Players then download {:.1f} MB in content-defined chunks, once.",
                        megabytes(build["relayout"]["patch"]["chunk_bytes"].get<uint64_t>()));
  return text;
}

std::string relayout_line(const Json& build) {
  const Json& relayout = build["relayout"];
  if (!relayout.is_object()) return "";
  const auto [saved, kept] =
      seconds_texts(relayout["saved_s"].get<double>(), relayout["kept_s"].get<double>());
  return fmt::format("\na new layout saves {} of the {} of disk time, for a patch of {:.1f} MB",
                     saved, kept, megabytes(relayout["patch"]["chunk_bytes"].get<uint64_t>()));
}

std::string last_line(const Json& build) {
  const size_t count = build["packs"].size();
  const auto written = static_cast<size_t>(std::ranges::count_if(
      build["packs"], [](const Json& pack) { return pack["fate"] == "written"; }));
  const double seconds = build["seconds"].get<double>();
  const bool checked_only = build["checked_only"].get<bool>();
  if (!build["changed"].get<bool>())
    return fmt::format("{}: nothing to do; {}, {:.1f} MB ({:.2f} s)",
                       build["build_file"].get<std::string>(), counted(count, "pack"),
                       megabytes(build["bytes"].get<uint64_t>()), seconds) +
           relayout_line(build);
  if (checked_only)
    return fmt::format("{}: {} of {} and the catalog would be written",
                       build["build_file"].get<std::string>(), written, counted(count, "pack"));
  std::string line = fmt::format(
      "{}: {} of {} written, {:.1f} of {:.1f} MB, in {:.1f} s; padding {:.2f} %{}",
      build["build_file"].get<std::string>(), written, counted(count, "pack"),
      megabytes(build["written_bytes"].get<uint64_t>()), megabytes(build["bytes"].get<uint64_t>()),
      seconds, build["padding_share"].get<double>() * 100,
      build["dead_share"] > 0.0
          ? fmt::format(", of earlier builds {:.1f} %", build["dead_share"].get<double>() * 100)
          : "");
  if (build["zips"].is_object() && build["zips"]["fate"] == "written")
    line += fmt::format("\n{}: {} written", build["zips"]["folder"].get<std::string>(),
                        counted(build["zips"]["archives"].size(), "archive"));
  line += relayout_line(build);
  if (!build["patch"].is_null())
    line += fmt::format(
        "\npatch: {:.1f} MB edited; {:.1f} MB in content-defined chunks, {:.1f} MB in 1 MiB ones",
        megabytes(build["patch"]["edited_bytes"].get<uint64_t>()),
        megabytes(build["patch"]["chunk_bytes"].get<uint64_t>()),
        megabytes(build["patch"]["grid_bytes"].get<uint64_t>()));
  if (const Json& patch = build["patch"]; !patch.is_null() && patch.contains("clients"))
    line += fmt::format("; clients that make files anew write {:.1f} MB",
                        megabytes(patch["clients"]["grid"]["written_bytes"].get<uint64_t>()));
  return line;
}

}  // namespace

std::string build_text(const Json& build, bool explains) {
  std::string text;
  if (const std::string holes = holes_sentence(build); !holes.empty())
    text += paragraph(holes, terminal_width()) + "\n";
  if (build.contains("verdict") && build["verdict"].is_object())
    text += paragraph(build["verdict"]["text"].get<std::string>(), terminal_width()) + "\n";
  const bool tells_all = build["changed"].get<bool>() && !build["checked_only"].get<bool>();
  if (explains) text += explanation(build);
  if (tells_all && build["packs"].size() > 0)
    text += scenario_table(build["scenarios"]) + pack_table(build["packs"]);
  std::istringstream lines(last_line(build));
  for (std::string line; std::getline(lines, line);) text += paragraph(line, terminal_width());
  text.pop_back();
  return text;
}

}  // namespace seekless
