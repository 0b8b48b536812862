#include "packer/answer/build_tables.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "packer/answer/report_totals.h"
#include "packer/words/counted.h"
#include "packer/words/figures.h"

namespace seekless {
namespace {

constexpr double kNotableShare = 0.005;  // a smaller change is noise of the model
constexpr std::string_view kNoValue = "-";

std::string tenths_of_mb_cell(uint64_t bytes) {
  return number_cell(static_cast<double>(bytes) / 1e6, 1);
}

uint64_t times(uint64_t bytes, uint64_t count) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  return count != 0 && bytes > kMost / count ? kMost : bytes * count;
}

uint64_t room_bytes(const AssetRoom& asset) {
  return times(asset.size_bytes, std::max(asset.copies, 1U));
}

uint64_t copied_bytes(const AssetRoom& asset) {
  return times(asset.size_bytes, std::max(asset.copies, 1U) - 1);
}

// Returns the indices of the `most` elements with the greatest keys, greatest first. Elements with
// equal keys stay in order.
template <typename KeyOf>
std::vector<size_t> greatest(size_t count, size_t most, KeyOf key_of) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, key_of);
  order.resize(std::min(count, most));
  return order;
}

std::string times_cell(double before, double after) {
  const auto faster = ratio(before, after);
  return faster ? number_cell(*faster, *faster < 100 ? 1 : 0) : std::string(kNoValue);
}

std::string change_cell(double seconds, const double* previous) {
  if (previous == nullptr) return std::string(kNoValue);
  const auto grown = ratio(seconds, duration_or_zero(*previous));
  if (!grown) return std::string(kNoValue);
  if (std::abs(*grown - 1) < kNotableShare) return "same";
  return fmt::format("{:+.0f} %", std::clamp(100 * (*grown - 1), -100.0, 999.0));
}

// Returns the largest assets first. Assets of equal size are sorted by path, so that the order in
// which the build gives them doesn't matter.
template <typename BytesOf>
std::vector<AssetRoom> most_of(std::vector<AssetRoom> assets, BytesOf bytes_of) {
  std::ranges::sort(assets, [&](const AssetRoom& a, const AssetRoom& b) {
    return bytes_of(a) != bytes_of(b) ? bytes_of(a) > bytes_of(b) : a.path < b.path;
  });
  return assets;
}

ReportTable asset_table(std::string_view title, const std::vector<AssetRoom>& assets, size_t most,
                        bool is_of_copies) {
  ReportTable table = {
      title,
      {{"asset", true}, {"MB"}, {"packs"}, {is_of_copies ? "MB of copies" : "MB in packs"}},
      {},
      0};
  for (const AssetRoom& asset : assets) {
    if (is_of_copies && copied_bytes(asset) == 0) break;
    if (table.rows.size() == most)
      ++table.left_out;
    else
      table.rows.push_back(
          {asset.path, tenths_of_mb_cell(asset.size_bytes),
           fmt::to_string(std::max(asset.copies, 1U)),
           tenths_of_mb_cell(is_of_copies ? copied_bytes(asset) : room_bytes(asset))});
  }
  return table;
}

std::map<std::string_view, const BuiltPack*> built_by_name(const BuildReport& report) {
  std::map<std::string_view, const BuiltPack*> by_name;
  for (const BuiltPack& pack : report.built) by_name[pack.file] = &pack;
  return by_name;
}

std::string relayout_sentence(const RelayoutReport& relayout) {
  if (!(relayout.saved_seconds > 0)) return " A fresh plan (--relayout) would save nothing.";
  return fmt::format(" A fresh plan (--relayout) would save {} for a patch of {}.",
                     seconds_text(relayout.saved_seconds), bytes_text(relayout.patch_bytes));
}

}  // namespace

std::string_view after_name(LoadBasis basis) {
  return basis == LoadBasis::simulated ? "after, from the packs"
                                       : "after, from the packs (predicted)";
}

ReportTable loads_table(const BuildReport& report, size_t most) {
  ReportTable table = {
      "Loads",
      {{"scenario", true}, {"needs MB"}, {"before s"}, {"after s"}, {"times faster"}},
      {},
      0};
  std::map<std::string_view, double> previous;
  for (const PreviousLoad& load : report.previous) previous[load.name] = load.seconds;
  if (!previous.empty()) table.columns.push_back({"since last build"});
  const std::vector<ScenarioReport>& loads = report.results.scenarios;
  std::vector<size_t> shown = greatest(
      loads.size(), most, [&](size_t i) { return duration_or_zero(loads[i].before.seconds); });
  std::ranges::sort(shown);
  table.left_out = loads.size() - shown.size();
  for (const size_t i : shown) {
    const double before = duration_or_zero(loads[i].before.seconds);
    const double after = duration_or_zero(loads[i].after.seconds);
    auto& row = table.rows.emplace_back(std::vector<std::string>{
        loads[i].name, tenths_of_mb_cell(loads[i].needed_bytes), number_cell(before, 2),
        number_cell(after, 2), times_cell(before, after)});
    if (previous.empty()) continue;
    const auto found = previous.find(loads[i].name);
    row.push_back(found == previous.end() ? "new" : change_cell(after, &found->second));
  }
  return table;
}

ReportTable packs_table(const BuildReport& report, size_t most) {
  ReportTable table = {
      "Packs", {{"pack", true}, {"kind", true}, {"assets"}, {"MB"}, {"padding %"}}, {}, 0};
  const auto built = built_by_name(report);
  const bool has_patch = std::ranges::any_of(
      report.built, [](const BuiltPack& pack) { return pack.patch.has_value(); });
  if (has_patch) table.columns.push_back({"patch MB"});
  if (!built.empty()) table.columns.insert(table.columns.end(), {{""}, {"why", true}});
  const std::vector<PackReport>& packs = report.results.packs;
  const auto built_of = [&](size_t i) {
    const auto found = built.find(packs[i].name);
    return found == built.end() ? nullptr : found->second;
  };
  const auto shown = greatest(packs.size(), most, [&](size_t i) {
    const BuiltPack* of = built_of(i);
    return std::pair(of != nullptr && of->fate == OutputFate::written, packs[i].file_bytes);
  });
  table.left_out = packs.size() - shown.size();
  for (const size_t i : shown) {
    auto& row = table.rows.emplace_back(std::vector<std::string>{
        packs[i].name, packs[i].kind, count_cell(packs[i].assets),
        tenths_of_mb_cell(packs[i].file_bytes),
        number_cell(padding_percent(packs[i].padding_bytes, packs[i].file_bytes), 1)});
    const BuiltPack* of = built_of(i);
    if (has_patch)
      row.push_back(of != nullptr && of->patch ? tenths_of_mb_cell(of->patch->chunk_bytes)
                                               : std::string(kNoValue));
    if (built.empty()) continue;
    row.push_back(of == nullptr                     ? std::string(kNoValue)
                  : of->fate == OutputFate::written ? "written"
                                                    : "kept");
    row.push_back(of == nullptr ? "" : fmt::format("{}", fmt::join(of->reasons, "; ")));
  }
  return table;
}

ReportTable largest_table(const BuildReport& report, size_t most) {
  return asset_table("Biggest assets", most_of(report.largest, room_bytes), most, false);
}

ReportTable copies_table(const BuildReport& report, size_t most) {
  return asset_table("Copies", most_of(report.most_copied, copied_bytes), most, true);
}

size_t written_packs(const BuildReport& report) {
  return static_cast<size_t>(
      std::ranges::count(report.built, OutputFate::written, &BuiltPack::fate));
}

std::string loads_sentence(const BuildReport& report) {
  const Report& results = report.results;
  if (results.scenarios.empty()) return "No load was measured.";
  const LoadTotal total = total_of(results.scenarios);
  const bool is_one = results.scenarios.size() == 1;
  const auto [after, before] = seconds_texts(total.after.seconds, total.before.seconds);
  return fmt::format("{} {} {} {} of {} time instead of {} on {}{}{}.",
                     number_word(results.scenarios.size()), is_one ? "load" : "loads",
                     is_one ? "takes" : "take", after,
                     results.capacity_bytes == 0 ? "drive" : "disk", before, results.drive,
                     report.basis == LoadBasis::predicted ? " (predicted)" : "",
                     comparison(total.before.seconds, total.after.seconds));
}

std::string packs_sentence(const BuildReport& report) {
  const size_t packs = report.results.packs.size();
  if (packs == 0) return "There are no packs.";
  const PackTotal total = total_of(report.results.packs);
  const size_t written = written_packs(report);
  std::string out;
  if (!report.built.empty())
    out = written == 0 ? fmt::format("Nothing of {} had to be written; ", counted(packs, "pack"))
                       : fmt::format("{} of {} {} written; ", written, counted(packs, "pack"),
                                     written == 1 ? "was" : "were");
  else
    out = counted(packs, "pack") + "; ";
  out += fmt::format("{} in all, {:.1f} % of it padding", bytes_text(total.file_bytes),
                     padding_percent(total.padding_bytes, total.file_bytes));
  if (const auto share =
          ratio(static_cast<double>(total.file_bytes), static_cast<double>(report.content_bytes)))
    out += fmt::format(", {} times the content", number_cell(*share, 2));
  if (!report.removed_packs.empty())
    out += fmt::format("; {} removed", report.removed_packs.size());
  return out + ".";
}

std::string patch_sentence(const BuildReport& report) {
  std::string out;
  if (report.patch) {
    const PatchReport& patch = *report.patch;
    out =
        patch.grid_bytes == 0 && patch.chunked_bytes == 0
            ? "Players need no patch."
            : fmt::format(
                  "{} of new or changed assets make a patch of {} in content-defined chunks, {} in "
                  "chunks of 1 MiB at fixed places.",
                  bytes_text(patch.edited_bytes), bytes_text(patch.chunked_bytes),
                  bytes_text(patch.grid_bytes));
  }
  if (report.relayout) out += relayout_sentence(*report.relayout);
  return out.starts_with(' ') ? out.substr(1) : out;
}

std::string to_line(const BuildReport& report) {
  const size_t packs = report.results.packs.size();
  const PackTotal total = total_of(report.results.packs);
  std::string out = counted(packs, "pack");
  if (!report.built.empty()) out += fmt::format(" ({} written)", written_packs(report));
  out += fmt::format(", {}, padding {:.1f} %", bytes_text(total.file_bytes),
                     padding_percent(total.padding_bytes, total.file_bytes));
  if (report.patch) out += ", patch " + bytes_text(report.patch->chunked_bytes);
  const size_t loads = report.results.scenarios.size();
  if (loads > 0) {
    const LoadTotal seconds = total_of(report.results.scenarios);
    const auto [before, after] = seconds_texts(seconds.before.seconds, seconds.after.seconds);
    out += fmt::format(", {} {} -> {}", counted(loads, "load"), before, after);
  }
  const size_t warnings = report.results.warnings.size();
  if (warnings > 0) out += ", " + counted(warnings, "warning");
  return out;
}

}  // namespace seekless
