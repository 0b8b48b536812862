#include "packer/page/internal/releases_chart.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "packer/page/internal/ticks.h"
#include "packer/words/counted.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

// Units of the picture are pixels of a page on a desktop screen.
constexpr int kReleasesLeft = 62;
constexpr int kReleasesTop = 34;
constexpr int kReleasesWidth = 760;
constexpr int kReleasesHeight = 220;
constexpr int kReleasesBottom = 48;
constexpr size_t kMostReleaseBars = 100;
constexpr double kMostLabels = 5;

double written_mb(const Release& release) {
  return megabytes(release.update.written_bytes());
}

double edited_mb(const Release& release) {
  return megabytes(release.update.edited_bytes);
}

std::string bar(const char* kind, double x, double width, double height) {
  return fmt::format(
      "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>", kind, x,
      kReleasesHeight - height, width, height);
}

std::string scale_svg(double most) {
  std::string out;
  const double step = tick_step(most, kMostLabels);
  for (int i = 0; step > 0 && i * step <= most * (1 + 1e-9); ++i) {
    const double y = kReleasesHeight * (1 - i * step / most);
    out += fmt::format("<path class=\"grid\" d=\"M0 {:.1f}h{}\"/>", y, kReleasesWidth);
    out += fmt::format("<text x=\"-8\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", y + 5,
                       tick_label(i * step, step));
  }
  return out +
         fmt::format("<text class=\"faint\" x=\"{}\" y=\"-16\">MB</text>\n", 4 - kReleasesLeft);
}

std::string bars_svg(const std::vector<Release>& releases, size_t first, double most) {
  std::string out;
  const double step =
      static_cast<double>(kReleasesWidth) / static_cast<double>(releases.size() - first);
  for (size_t i = first; i < releases.size(); ++i) {
    const double x = step * static_cast<double>(i - first);
    out +=
        bar("after", x + step * 0.1, step * 0.8, kReleasesHeight * written_mb(releases[i]) / most);
    out +=
        bar("before", x + step * 0.25, step * 0.5, kReleasesHeight * edited_mb(releases[i]) / most);
    out += "\n";
  }
  for (size_t i = first; i < releases.size(); i += std::max<size_t>(1, releases.size() - 1 - first))
    out += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                       step * (static_cast<double>(i - first) + 0.5), kReleasesHeight + 22, i + 1);
  return out;
}

}  // namespace

std::string releases_chart(const std::vector<Release>& releases) {
  const size_t first = releases.size() - std::min(releases.size(), kMostReleaseBars);
  double most = 0;
  for (size_t i = first; i < releases.size(); ++i)
    most = std::max({most, written_mb(releases[i]), edited_mb(releases[i])});
  if (!(most > 0)) return {};
  const std::string label =
      fmt::format("Megabytes edited and written by release, from {} to {}; {} at the most",
                  first + 1, releases.size(), number_cell(most, 1));
  return fmt::format(
             "<section>\n<h2>Edited and written</h2>\n<svg class=\"price releases\" "
             "viewBox=\"{} {} {} {}\" role=\"img\" aria-label=\"{}\">\n",
             -kReleasesLeft, -kReleasesTop, kReleasesLeft + kReleasesWidth + 4,
             kReleasesTop + kReleasesHeight + kReleasesBottom, escape_html(label)) +
         scale_svg(most) + bars_svg(releases, first, most) +
         "</svg>\n<p class=\"note\">Wide bars: what clients that make files anew write. Narrow "
         "ones: what was edited.</p>\n</section>\n";
}

}  // namespace seekless
