// Makes the section of the page with the map of which scenario reads which part of which pack.
// Names are HTML, so that they keep their size at any width of the page. The picture that they
// label is one SVG that stretches.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "packer/page/internal/html_parts.h"
#include "packer/page/internal/pack_map.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

constexpr int kColumns = 1000;
constexpr size_t kMostMapRows = 200;
constexpr size_t kMostMapRuns = 1800;  // with the rows' own, the map has 2000 rectangles
constexpr size_t kLongestMapName = 60;
constexpr size_t kMostPacksTold = 3;
constexpr int kPictureHeight = 560;  // pixels, unless rows would get too thin or too thick
constexpr int kThinnestRow = 4;
constexpr int kThickestRow = 26;
constexpr int kNameHeight = 15;
// Share of the picture's width with room for a few letters on a desktop screen.
constexpr double kNarrowestNamed = 0.055;
constexpr int kNearestEdges = 16;  // columns; nearer edges would look like a grey area

std::string name_html(std::string_view name) {
  return escape_html(cut_middle(clean_line(name), kLongestMapName));
}

int row_height(size_t rows) {
  return std::clamp(kPictureHeight / static_cast<int>(rows), kThinnestRow, kThickestRow);
}

// Holds the left edge and the width in the picture, from 0 to 1.
struct Span {
  double left = 0;
  double width = 0;
};

Span span_of(const PacksInRow& places, size_t first, const std::vector<PackReport>& packs,
             size_t last) {
  const auto total = static_cast<double>(places.total_bytes);
  const auto start = static_cast<double>(places.start_bytes[first]);
  const auto end =
      static_cast<double>(places.start_bytes[last]) + static_cast<double>(packs[last].file_bytes);
  return {start / total, std::min(1.0, (end - start) / total)};
}

// Returns a label that shows `name`, and `whole` when the pointer rests on it.
std::string label_html(Span span, std::string_view name, std::string_view whole, uint64_t bytes) {
  const std::string size = bytes_text(bytes);
  return fmt::format(
      "<span style=\"left:{:.2f}%;width:{:.2f}%\" title=\"{}, {}\">{}<small> {}</small></span>",
      100 * span.left, 100 * span.width, name_html(whole), size, name_html(name), size);
}

std::string_view without_ending(std::string_view name) {
  constexpr std::string_view kEnding = ".skl";
  if (name.ends_with(kEnding)) name.remove_suffix(kEnding.size());
  return name;
}

// Describes packs of one kind that lie side by side.
struct PacksOfKind {
  size_t first = 0;  // index in PacksInRow::order
  size_t end = 0;
  uint64_t bytes = 0;
};

std::vector<PacksOfKind> groups_of(const PacksInRow& places, const std::vector<PackReport>& packs) {
  std::vector<PacksOfKind> groups;
  for (size_t i = 0; i < places.order.size(); ++i) {
    const PackReport& pack = packs[places.order[i]];
    if (groups.empty() || packs[places.order[groups.back().first]].kind != pack.kind)
      groups.push_back({i, i, 0});
    groups.back().end = i + 1;
    groups.back().bytes += std::min(pack.file_bytes, UINT64_MAX - groups.back().bytes);
  }
  return groups;
}

std::string group_name(std::string_view kind, size_t packs) {
  return kind == "sub" ? (packs == 1 ? "sub-pack" : "sub-packs") : std::string(kind);
}

// Returns the names above the packs: names of kinds, and below them names of single packs where
// there is room.
std::string labels_html(const PacksInRow& places, const std::vector<PackReport>& packs) {
  std::string kinds;
  std::string names;
  for (const PacksOfKind& group : groups_of(places, packs)) {
    const size_t first = places.order[group.first];
    const size_t last = places.order[group.end - 1];
    const Span span = span_of(places, first, packs, last);
    const std::string kind = group_name(packs[first].kind, group.end - group.first);
    if (span.width >= kNarrowestNamed) kinds += label_html(span, kind, kind, group.bytes);
    const bool is_named = group.end - group.first == 1 && packs[first].kind != "sub";
    for (size_t i = group.first; i < group.end; ++i) {
      const size_t pack = places.order[i];
      const Span own = span_of(places, pack, packs, pack);
      if (!is_named && own.width >= kNarrowestNamed)
        names += label_html(own, without_ending(packs[pack].name), packs[pack].name,
                            packs[pack].file_bytes);
    }
  }
  std::string out = fmt::format("<div class=\"packs kinds\">{}</div>\n", kinds);
  if (!names.empty()) out += fmt::format("<div class=\"packs single\">{}</div>\n", names);
  return out;
}

// Returns lines between the packs, unless they are too close together to be told apart, and
// stronger lines between the kinds.
std::string edges_svg(const PacksInRow& places, const std::vector<PackReport>& packs, int height) {
  std::string of_packs;
  std::string of_kinds;
  int last = 0;
  for (size_t i = 0; i + 1 < places.order.size(); ++i) {
    const size_t pack = places.order[i];
    const bool ends_kind = packs[pack].kind != packs[places.order[i + 1]].kind;
    const Span span = span_of(places, pack, packs, pack);
    const int x = static_cast<int>(std::lround(kColumns * (span.left + span.width)));
    if (x - last < kNearestEdges && !ends_kind) continue;
    (ends_kind ? of_kinds : of_packs) += fmt::format("M{} 0v{}", x, height);
    last = x;
  }
  std::string out;
  if (!of_packs.empty()) out += fmt::format("<path class=\"edge\" d=\"{}\"/>\n", of_packs);
  if (!of_kinds.empty()) out += fmt::format("<path class=\"edge kind\" d=\"{}\"/>\n", of_kinds);
  return out;
}

// Returns a sentence such as "map/rush needs 40.1 MB of 41.2 MB that it reads: 12.0 MB of
// common.skl, 29.2 MB of map-rush.skl".
std::string row_sentence(const ScenarioReads& reads, const std::vector<PackReport>& packs) {
  std::vector<PackUse> uses = pack_uses(reads, packs);
  std::ranges::stable_sort(uses, std::ranges::greater{}, &PackUse::read_bytes);
  PackUse sum;
  std::string places;
  for (size_t i = 0; i < uses.size(); ++i) {
    sum.read_bytes += uses[i].read_bytes;
    sum.needed_bytes += uses[i].needed_bytes;
    sum.copied_bytes += uses[i].copied_bytes;
    if (i < kMostPacksTold)
      places += fmt::format("{}{} of {}", i == 0 ? ": " : ", ", bytes_text(uses[i].read_bytes),
                            cut_middle(clean_line(packs[uses[i].pack].name), kLongestMapName));
  }
  if (uses.size() > kMostPacksTold)
    places += fmt::format(" and of {} more", uses.size() - kMostPacksTold);
  const std::string name = cut_middle(clean_line(reads.name), kLongestMapName);
  if (sum.read_bytes == 0) return name + " reads nothing";
  std::string copies;
  if (sum.copied_bytes > 0) copies = fmt::format("; {} are copies", bytes_text(sum.copied_bytes));
  return fmt::format("{} needs {} of {} that it reads{}{}", name, bytes_text(sum.needed_bytes),
                     bytes_text(sum.read_bytes), places, copies);
}

std::string row_svg(const std::vector<StepRun>& runs, std::string_view sentence, int top,
                    int height) {
  constexpr std::array<std::string_view, 4> kClasses = {"", "passed", "needed", "copied"};
  const int gap = height >= 12 ? 4 : 1;
  std::array<std::string, 4> paths;
  for (const StepRun& run : runs) {
    const int width = run.end - run.first;
    paths[static_cast<size_t>(run.use)] +=
        fmt::format("M{} {}h{}v{}h-{}z", run.first, top + gap / 2, width, height - gap, width);
  }
  std::string out =
      fmt::format("<g><title>{}</title><rect class=\"row\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                  escape_html(sentence), top + gap / 2, kColumns, height - gap);
  for (size_t i = 0; i < paths.size(); ++i)
    if (!paths[i].empty())
      out += fmt::format("<path class=\"{}\" d=\"{}\"/>", kClasses[i], paths[i]);
  return out + "</g>\n";
}

// Returns the names of the rows. If rows are thinner than a name, only every second, third, ...
// name is shown.
std::string names_html(std::span<const ScenarioReads> scenarios, int height) {
  const auto step = static_cast<size_t>((kNameHeight + height - 1) / height);
  std::string out;
  for (size_t i = 0; i < scenarios.size(); i += step) {
    const std::string name = name_html(scenarios[i].name);
    out += fmt::format("<span style=\"top:{}px\" title=\"{}\">{}</span>\n",
                       static_cast<int>(i) * height + height / 2, name, name);
  }
  return out;
}

std::string map_html(std::span<const ScenarioReads> shown, const Report& report, const PackMap& map,
                     const PacksInRow& places) {
  const int height = row_height(shown.size());
  const int all = height * static_cast<int>(shown.size());
  std::string rows;
  for (size_t i = 0; i < shown.size(); ++i)
    rows += row_svg(map.rows[i], row_sentence(shown[i], report.packs), static_cast<int>(i) * height,
                    height);
  return fmt::format(
      "<div class=\"map\">\n<div class=\"names\" style=\"height:{}px\">\n{}</div>\n"
      "<div class=\"plot\">\n{}<svg viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" "
      "style=\"height:{}px\" role=\"img\" aria-label=\"What {} {} read of {} in {}\">\n{}{}"
      "</svg>\n</div>\n</div>\n",
      all, names_html(shown, height), labels_html(places, report.packs), kColumns, all, all,
      grouped(shown.size()), shown.size() == 1 ? "scenario" : "scenarios",
      bytes_text(places.total_bytes),
      report.packs.size() == 1 ? "a pack" : fmt::format("{} packs", grouped(report.packs.size())),
      rows, edges_svg(places, report.packs, all));
}

}  // namespace

std::string map_section(const Report& report) {
  const PacksInRow places = in_row(report.packs);
  if (report.reads.empty() || places.total_bytes == 0) return {};
  const std::span shown =
      std::span(report.reads).first(std::min(kMostMapRows, report.reads.size()));
  const PackMap map = make_pack_map(shown, report.packs, kColumns, kMostMapRuns);
  const bool has_copies =
      std::ranges::any_of(shown, [](const ScenarioReads& reads) { return !reads.copied.empty(); });
  const bool has_narrow = std::ranges::any_of(report.packs, [&](const PackReport& pack) {
    return static_cast<double>(pack.file_bytes) * kColumns <
           static_cast<double>(places.total_bytes) * kNearestEdges;
  });
  const double step_bytes =
      static_cast<double>(places.total_bytes) / kColumns * std::min(map.step_columns, kColumns);
  std::string out = fmt::format(
      "<section>\n<h2>Which scenario reads what, where</h2>\n"
      "<p>The packs lie side by side, each as wide as it is large, {} in all; each row is a "
      "scenario.</p>\n"
      "<p class=\"legend\"><span><i class=\"needed\"></i>needed</span> {}"
      "<span><i class=\"passed\"></i>only read through</span></p>\n",
      bytes_text(places.total_bytes),
      has_copies ? "<span><i class=\"copied\"></i>needed, a copy: other packs hold it, too</span> "
                 : "");
  out += map_html(shown, report, map, places);
  out += fmt::format(
      "<p class=\"note\">Drawn in steps of {}: each has the colour of most of what is read in "
      "it.{}{}</p>\n",
      bytes_text(static_cast<uint64_t>(std::max(1.0, step_bytes))),
      has_narrow ? " Narrow packs may have no line of their own." : "",
      shown.size() == report.reads.size()
          ? ""
          : fmt::format(" Shown are the first {} of {} scenarios.", shown.size(),
                        grouped(report.reads.size())));
  return out + "</section>\n";
}

}  // namespace seekless
