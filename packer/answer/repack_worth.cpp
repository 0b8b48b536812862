#include "packer/answer/repack_worth.h"

#include <fmt/format.h>

#include "packer/words/counted.h"
#include "packer/words/figures.h"

namespace seekless {
namespace {

// A load's time varies by this much with the place that the file system chooses.
constexpr double kHardlyNoticedS = 0.02;

}  // namespace

Result<void> check_gain(const RepackForecast& forecast, const std::string& content) {
  const auto refuse = [&](std::string expected, std::string found, std::string advice) {
    return failed({.file = content,
                   .expected = std::move(expected),
                   .found = std::move(found),
                   .advice = advice + "; --force does it all the same. Nothing was changed"});
  };
  const std::string record_again = "record again what the game reads now";
  if (forecast.fit.misfit == Misfit::past_end)
    return refuse("recordings of the archives as they are",
                  fmt::format("reads past the end of {}", forecast.fit.file), record_again);
  if (forecast.fit.misfit == Misfit::changed)
    return refuse("recordings of the archives as they are",
                  fmt::format("{}, which is newer than they are, with other places of its entries",
                              forecast.fit.file),
                  record_again);
  if (forecast.fit.misfit == Misfit::elsewhere)
    return refuse("recordings of the archives as they are",
                  fmt::format("{}, in which no entry begins where they read", forecast.fit.file),
                  record_again);
  if (!forecast.gone.empty())
    return refuse(
        "recordings of the archives as they are",
        fmt::format("{} that recordings read and that the archives don't have, such as "
                    "'{}'",
                    counted(forecast.gone.size(), "entry", "entries"), forecast.gone.front()),
        record_again);
  if (forecast.after_s() <= forecast.before_s() * kLeastGain + kHardlyNoticedS) return {};
  const auto [after, before] = seconds_texts(forecast.after_s(), forecast.before_s());
  return refuse("archives that are read no slower than before",
                fmt::format("{} instead of {}, predicted for {}", after, before, forecast.drive),
                "leave them as they are, or try --overlay with --dry-run");
}

}  // namespace seekless
