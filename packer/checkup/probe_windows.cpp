#include <future>
#include <memory>

#include "packer/checkup/internal/probe.h"
#include "packer/host/detached_thread.h"

namespace seekless {
namespace {

Result<ProbeAnswer> tried(const SystemProbe& probe) {
  try {
    return probe.run();
  } catch (const std::exception& exception) {
    return std::unexpected(to_error(exception));
  }
}

}  // namespace

std::vector<Finding> run_probes(const std::vector<SystemProbe>& probes,
                                std::chrono::milliseconds most) {
  const auto until = std::chrono::steady_clock::now() + most;
  std::vector<std::future<Result<ProbeAnswer>>> answers;
  for (const SystemProbe& probe : probes) {
    auto promise = std::make_shared<std::promise<Result<ProbeAnswer>>>();
    answers.push_back(promise->get_future());
    // If the thread hangs, it ends with this process.
    run_detached([probe, promise] { promise->set_value(tried(probe)); });
  }
  std::vector<Finding> findings;
  for (size_t i = 0; i < probes.size(); ++i)
    findings.push_back(answers[i].wait_until(until) == std::future_status::ready
                           ? finding_of(probes[i], answers[i].get())
                           : unanswered(probes[i], "the trial took too long"));
  return findings;
}

}  // namespace seekless
