#include "packer/place/load_order.h"

#include <algorithm>

namespace seekless {
namespace {

// Tells when a run first reads a file, relative to its other files: 0 is the beginning, 1 the end.
struct Ranks {
  double sum = 0;
  uint32_t runs = 0;

  double mean() const { return sum / runs; }
};

std::vector<uint32_t> files_in_order(const ContentRun& run) {
  std::vector<uint32_t> files;
  std::vector<bool> is_known;
  for (const Event& event : run.events) {
    if (event.path >= is_known.size()) is_known.resize(event.path + 1);
    if (event.kind == EventKind::open || event.length_bytes == 0 || is_known[event.path]) continue;
    is_known[event.path] = true;
    files.push_back(event.path);
  }
  return files;
}

ScenarioFiles order(const KeptRuns& runs, std::string scenario, std::vector<uint32_t> numbers) {
  std::map<uint32_t, Ranks> ranks;
  for (const uint32_t number : numbers) {
    const auto files = files_in_order(runs.run(number));
    for (size_t i = 0; i < files.size(); ++i) {
      Ranks& of = ranks[files[i]];
      of.sum += static_cast<double>(i) / static_cast<double>(files.size());
      ++of.runs;
    }
  }
  ScenarioFiles ordered = {std::move(scenario), std::move(numbers), {}};
  for (const auto& [file, of] : ranks)
    if (of.runs * 2 >= ordered.runs.size()) ordered.files.push_back(file);
  std::ranges::stable_sort(ordered.files, {}, [&](uint32_t file) { return ranks.at(file).mean(); });
  return ordered;
}

}  // namespace

std::vector<ScenarioFiles> files_by_scenario(const KeptRuns& runs) {
  std::map<std::string, std::vector<uint32_t>> by_name;
  for (uint32_t i = 0; i < runs.size(); ++i) by_name[runs.run(i).scenario].push_back(i);
  std::vector<ScenarioFiles> all;
  for (auto& [name, numbers] : by_name) all.push_back(order(runs, name, std::move(numbers)));
  return all;
}

}  // namespace seekless
