// How repack answers, whether it rewrites archives or writes an overlay.
#pragma once

#include <optional>
#include <vector>

#include "packer/answer/repack_answer.h"
#include "packer/command/internal/inputs.h"
#include "packer/verdict/judging.h"

namespace seekless {

// The answer, for people and as JSON, after the verdict's lines.
Result<void> tell(const RepackOutcome& outcome, const Verdict& verdict,
                  const std::optional<RepackForecast>& forecast,
                  const std::vector<TraceMapping>& mappings, const Output& answer);

}  // namespace seekless
