// Defines the answer of 'analyze', which says how a recorded program reads: in sentences, in tables
// and as JSON. It is made from the figures of each run.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/analysis/analysis.h"
#include "packer/verdict/verdict.h"

namespace seekless {

struct Conclusion {
  bool is_warm = false;  // the run was read faster than the drive can read
  std::string text;      // one paragraph: what was measured, and what the model says
};

// Draws the conclusion about one run. `drive` is the name of the drive that `run.cold` is computed
// for.
Conclusion conclude(const RunFigures& run, const std::string& drive);

// Lists the assumptions of the model as sentences. The list is empty if the model has no figures
// for any run.
std::vector<std::string> assumptions_of(const std::vector<RunFigures>& runs, bool has_content);

struct AnalyzeAnswer {
  Analysis analysis;
  Verdict verdict;
};

// Begins the sentence about the files' assumed places, which the verdict's seconds depend on. Text
// answers show it.
inline constexpr const char* kOfVerdict = "The verdict's seconds ";

// Prints the verdict, a table of the loads, and notes. `is_verbose` shows the figures of each run
// instead: one run alone, two runs of one scenario side by side, more runs as rows of a table. It
// adds where the reads of a single run went, and what was measured and assumed. No line is wider
// than `columns`, which is at least 80. The last line has no newline.
std::string to_text(const AnalyzeAnswer& answer, size_t columns, bool is_verbose);
// Returns JSON that follows schemas/results/analyze.schema.json.
nlohmann::ordered_json to_json(const AnalyzeAnswer& answer);

}  // namespace seekless
