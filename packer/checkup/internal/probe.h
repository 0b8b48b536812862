// Runs probes: short trials of one feature each. They run at the same time, each for a few seconds
// at most.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "packer/checkup/checkup.h"

namespace seekless {

// Holds what a probe found out. An error says what is missing, and after "; " what to do.
struct ProbeAnswer {
  Outcome outcome = Outcome::works;
  std::string found;
  std::string advice = {};
};

struct SystemProbe {
  std::string name;
  std::vector<std::string> commands;  // commands that need the feature
  std::function<Result<ProbeAnswer>()> run;
  // The outcome if it fails.
  Outcome without = Outcome::fails;
};

// Runs each probe in its own process (on Windows a thread), so that it can enter name spaces, hang
// or crash. A probe that takes longer than `most` is ended, and counts as unknown.
std::vector<Finding> run_probes(const std::vector<SystemProbe>& probes,
                                std::chrono::milliseconds most);

// Converts a trial's result. An error's message is split into what was found and what to do. Pure.
Finding finding_of(const SystemProbe& probe, const Result<ProbeAnswer>& tried);
// Returns the finding of a probe that didn't answer.
Finding unanswered(const SystemProbe& probe, const std::string& why);

// These probes are the same on all systems.
Result<ProbeAnswer> try_places(const std::string& folder);
Result<ProbeAnswer> try_drive(const std::string& folder);
Result<ProbeAnswer> try_room(const std::string& folder);
Result<ProbeAnswer> try_memory();
Result<ProbeAnswer> try_page_cache(const std::string& folder);
Result<ProbeAnswer> try_state();
Result<ProbeAnswer> try_system_engine();

}  // namespace seekless
