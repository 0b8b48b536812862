#include "packer/page/internal/ticks.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace seekless {
namespace {

constexpr int kMostDecimals = 9;
constexpr double kLongNumber = 1e6;  // from this step on, labels have an exponent

int decimals_of(double step) {
  return std::max(0, static_cast<int>(-std::floor(std::log10(step))));
}

}  // namespace

double tick_step(double span, double most) {
  const double least = span / most;
  if (!(least > 0) || !std::isnormal(least)) return 0;
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  double step = 10 * power;
  for (const double times : {5.0, 2.0, 1.0})
    if (times * power >= least) step = times * power;
  return std::isnormal(step) && decimals_of(step) <= kMostDecimals ? step : 0;
}

std::string tick_label(double value, double step) {
  return step >= kLongNumber ? fmt::format("{:.3g}", value)
                             : fmt::format("{:.{}f}", value, decimals_of(step));
}

}  // namespace seekless
