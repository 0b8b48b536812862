// Parses any bytes as a build file. The result must be an error of kind usage that isn't much
// longer than the input, or settings within their ranges.
#include <cmath>
#include <cstdint>
#include <string_view>

#include "packer/plan/plan_settings.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace seekless;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto settings = parse_plan_settings(text, "seekless.json");
  if (!settings) {
    require(settings.error().kind == ErrorKind::usage);
    require(settings.error().message.size() < size * 4 + 2000);
    return 0;
  }
  const PlanOptions& options = settings->options;
  require(options.budget_ratio >= 1);
  require(options.gain_s_per_gb >= 0);
  for (const auto& [scenario, weight] : options.weights)
    require(std::isfinite(weight) && weight >= 0);
  for (const Session& session : options.sessions) require(session.size() > 1);
  for (const PlanRule& rule : options.rules) require(bool(check_rule(rule, "", "")));
  return 0;
}
