#include "packer/page/internal/svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "packer/page/internal/head_path.h"
#include "packer/page/internal/ticks.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

// Units of the picture are half the pixels of a page on a desktop screen.
constexpr int kLeft = 204;  // labels of places
constexpr int kTop = 46;    // label of the end
constexpr int kPlotWidth = 860;
constexpr int kPlotHeight = 520;
constexpr int kRight = 24;
constexpr int kBottom = 78;  // labels of times
constexpr double kMostTicks = 6;

// Sorts reads by length: small reads of games, reads that read ahead, and sweeps.
struct ReadClass {
  std::string_view style;
  uint64_t first_bytes;
  uint64_t end_bytes;
  int stroke;
};
constexpr std::array kReadClasses = std::to_array<ReadClass>({
    {"small", 0, 64 << 10, 3},
    {"medium", 64 << 10, 1 << 20, 5},
    {"large", 1 << 20, UINT64_MAX, 8},
});

const LoadCost& cost_of(const ScenarioReport& scenario, Side side) {
  return side == Side::before ? scenario.before : scenario.after;
}

const std::vector<HeadMove>& moves_of(const ScenarioReport& scenario, Side side) {
  return side == Side::before ? scenario.before_moves : scenario.after_moves;
}

int x_of(double seconds, const HeadScales& scales) {
  const double share = ratio(duration_or_zero(seconds), scales.seconds).value_or(0);
  return static_cast<int>(std::lround(kPlotWidth * std::min(1.0, share)));
}

// Returns the second at which a read is drawn to end. The read continues at the drive's rate, at
// most until `latest_s`, which is the next read or the load's end.
double end_seconds(const HeadMove& move, double latest_s, const HeadScales& scales) {
  const double start = duration_or_zero(move.start_s);
  const auto length = static_cast<double>(move.length_bytes);
  const double end = start + ratio(length, scales.bytes_per_second).value_or(0);
  return std::max(start, std::min(end, latest_s));
}

std::vector<DrawnRead> drawn_reads(std::span<const HeadMove> moves, double done_s,
                                   const HeadScales& scales) {
  std::vector<DrawnRead> reads;
  reads.reserve(moves.size());
  for (size_t i = 0; i < moves.size(); ++i) {
    const double latest_s = i + 1 < moves.size() ? duration_or_zero(moves[i + 1].start_s) : done_s;
    reads.push_back({{x_of(moves[i].start_s, scales), scales.places.y(moves[i].position_bytes)},
                     {x_of(end_seconds(moves[i], latest_s, scales), scales),
                      scales.places.y(end_of(moves[i]))}});
  }
  return reads;
}

std::string reads_svg(std::span<const HeadMove> moves, std::span<const DrawnRead> drawn,
                      size_t budget_bytes) {
  std::string out;
  for (const ReadClass& read_class : kReadClasses) {
    std::vector<DrawnRead> reads;
    for (size_t i = 0; i < moves.size(); ++i)
      if (moves[i].length_bytes >= read_class.first_bytes &&
          moves[i].length_bytes < read_class.end_bytes)
        reads.push_back(drawn[i]);
    if (reads.empty()) continue;
    const size_t left = budget_bytes - std::min(budget_bytes, out.size());
    const ThinnedPath path = reads_path(reads, kPlotWidth, kPlotHeight, left);
    out += fmt::format("<path class=\"read {}\" stroke-width=\"{}\" d=\"{}\"/>\n", read_class.style,
                       std::max(path.cell, read_class.stroke), path.d);
  }
  return out;
}

std::string bands_svg(const PlaceScale& places) {
  std::string out;
  for (const DiskBand& band : places.bands()) {
    const int middle = (band.top + band.bottom) / 2;
    out += fmt::format("<rect class=\"band\" x=\"0\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
                       band.top, kPlotWidth, band.bottom - band.top);
    out += fmt::format("<text x=\"-14\" y=\"{}\" text-anchor=\"end\">{}</text>\n", middle - 3,
                       place_text(band.first_bytes));
    out += fmt::format("<text class=\"faint\" x=\"-14\" y=\"{}\" text-anchor=\"end\">+ {}</text>\n",
                       middle + 27, bytes_text(band.end_bytes - band.first_bytes));
  }
  return out;
}

std::string time_axis_svg(const HeadScales& scales) {
  std::string out;
  const double step = tick_step(scales.seconds, kMostTicks);
  for (int i = 0; step > 0 && i <= kMostTicks && i * step <= scales.seconds * 1.0001; ++i) {
    const int x = x_of(i * step, scales);
    out += fmt::format("<path class=\"grid\" d=\"M{} 0v{}\"/>\n", x, kPlotHeight);
    out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x,
                       kPlotHeight + 34, tick_label(i * step, step));
  }
  return out + fmt::format(
                   "<text class=\"faint\" x=\"{}\" y=\"{}\" text-anchor=\"end\">"
                   "seconds</text>\n",
                   kPlotWidth, kPlotHeight + 68);
}

// Marks the end of the load, in words.
std::string end_svg(double seconds, const HeadScales& scales) {
  const int x = x_of(seconds, scales);
  const std::string_view anchor = x > kPlotWidth * 5 / 6 ? "end"
                                  : x < kPlotWidth / 6   ? "start"
                                                         : "middle";
  return fmt::format("<path class=\"end\" d=\"M{} -8v{}\"/>\n", x, kPlotHeight + 8) +
         fmt::format(
             "<text class=\"end-label\" x=\"{}\" y=\"-18\" text-anchor=\"{}\">"
             "done: {}</text>\n",
             x, anchor, seconds_text(seconds));
}

}  // namespace

std::string_view to_string(Side side) {
  return side == Side::before ? "before" : "after";
}

std::string bar_svg(Side side, double share, double bound_share, std::string_view label) {
  const auto percent = [](double value) { return 100 * std::clamp(value, 0.0, 1.0); };
  return fmt::format(
      "<svg class=\"bar {}\" role=\"img\" aria-label=\"{}\">"
      "<rect width=\"{:.2f}%\" height=\"100%\"/>"
      "<line class=\"mark\" x1=\"{:.2f}%\" x2=\"{:.2f}%\" y1=\"0\" y2=\"100%\"/></svg>",
      to_string(side), escape_html(label), percent(share), percent(bound_share),
      percent(bound_share));
}

int head_picture_height() {
  return kPlotHeight;
}

std::string head_picture_svg(const ScenarioReport& scenario, Side side, const HeadScales& scales,
                             std::string_view id, std::string_view description,
                             size_t budget_bytes) {
  const std::vector<HeadMove>& moves = moves_of(scenario, side);
  double done_s = duration_or_zero(cost_of(scenario, side).seconds);
  if (!moves.empty()) done_s = std::max(done_s, duration_or_zero(moves.back().start_s));
  const std::vector<DrawnRead> reads = drawn_reads(moves, done_s, scales);
  std::string out = fmt::format(
      "<svg class=\"head {}\" viewBox=\"{} {} {} {}\" role=\"img\" "
      "aria-labelledby=\"{}-t {}-d\">\n<title id=\"{}-t\">{}, {}</title>\n"
      "<desc id=\"{}-d\">{}</desc>\n",
      to_string(side), -kLeft, -kTop, kLeft + kPlotWidth + kRight, kTop + kPlotHeight + kBottom, id,
      id, id, escape_html(scenario.name), to_string(side), id, escape_html(description));
  out += bands_svg(scales.places) + time_axis_svg(scales);
  if (!moves.empty()) {
    const ThinnedPath travel = travel_path(reads, kPlotWidth, budget_bytes / 2);
    out += fmt::format("<path class=\"travel\" d=\"{}\"/>\n", travel.d);
    out += reads_svg(moves, reads, budget_bytes / 2);
    out += end_svg(done_s, scales);
  }
  return out + "</svg>\n";
}

}  // namespace seekless
