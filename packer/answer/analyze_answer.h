// The answer of 'analyze': how a recorded program reads, in sentences, tables and JSON.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/analysis/analysis.h"
#include "packer/verdict/verdict.h"

namespace seekless {

struct Conclusion {
  bool is_warm = false;  // read faster than the drive can
  std::string text;      // one paragraph: what was measured, and what the model says
};

// `drive` is the name of the one that `run.cold` was charged to.
Conclusion conclude(const RunFigures& run, const std::string& drive);

// Lists what the model takes for granted, in sentences; none if it says nothing of any run.
std::vector<std::string> assumptions_of(const std::vector<RunFigures>& runs, bool has_content);

struct AnalyzeAnswer {
  Analysis analysis;
  Verdict verdict;
};

// The verdict; then the figures of one run, two of one scenario side by side, or more in a table;
// then notes. `is_verbose` adds where a single run's reads went, and what was measured and assumed.
// No line is wider than `columns`, 80 or more; without the last line's end.
std::string to_text(const AnalyzeAnswer& answer, size_t columns, bool is_verbose);
// Follows schemas/results/analyze.schema.json.
nlohmann::ordered_json to_json(const AnalyzeAnswer& answer);

}  // namespace seekless
