#include "packer/command/internal/repack_answer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/host/terminal.h"

namespace seekless {

Result<void> tell(const RepackOutcome& outcome, const Verdict& verdict,
                  const std::optional<RepackForecast>& forecast,
                  const std::vector<TraceMapping>& mappings, const Output& answer) {
  answer.line(to_text(outcome));
  for (const RepackedArchive& archive : outcome.archives)
    if (archive.is_faulty)
      answer.warn(fmt::format("{}: left as it is: {}", archive.name, archive.reason));
  Json json = to_json(outcome);
  json["verdict"] = to_json(verdict);
  json["forecast"] = forecast ? to_json(*forecast) : Json();
  if (forecast) answer.line("\n" + to_text(*forecast, terminal_width()));
  tell_unmapped(mappings, answer);
  return answer.result(json);
}

}  // namespace seekless
