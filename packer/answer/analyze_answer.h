// An analysis for people and machines: sentences, tables, JSON.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/analysis/analysis.h"

namespace seekless {

struct Conclusion {
  bool is_warm = false;  // read faster than the drive can
  std::string text;      // one paragraph: what was measured, and what the model says
};

// `drive` is the name of the one that `run.cold` was charged to.
Conclusion conclude(const RunFigures& run, const std::string& drive);

// What the model takes for granted, in sentences; none if it tells nothing of any run.
std::vector<std::string> assumptions_of(const std::vector<RunFigures>& runs, bool has_content);

// One run in full, two of one scenario side by side, more in a table. No line is wider than
// `columns`, 80 or more; ends with a newline.
std::string to_text(const Analysis& analysis, size_t columns);
// As in schemas/analysis.schema.json.
nlohmann::ordered_json to_json(const Analysis& analysis);

}  // namespace seekless
