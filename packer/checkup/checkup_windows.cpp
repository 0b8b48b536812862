#include <utility>

#include "packer/checkup/checkup.h"
#include "packer/checkup/internal/probe.h"

namespace seekless {
namespace {

constexpr auto kMostTime = std::chrono::seconds(5);

SystemProbe absent(const std::string& name, std::vector<std::string> commands, const char* advice) {
  return {name, std::move(commands), [advice]() -> Result<ProbeAnswer> {
            return ProbeAnswer{Outcome::fails, "Windows has no system call for it", advice};
          }};
}

}  // namespace

std::vector<std::string> checked_commands() {
  return {"warm", "play", "place", "mount"};
}

Checkup check_up(const std::string& folder) {
  const std::vector<SystemProbe> probes = {
      {"drive", {}, [folder] { return try_drive(folder); }},
      absent("serving_folders", {"play", "mount"}, "read ahead with 'seekless warm'"),
      absent("moving_files", {"place"}, "pack or repack the content instead"),
      {"places_of_files", {}, [folder] { return try_places(folder); }, Outcome::limited},
      {"page_cache", {}, [folder] { return try_page_cache(folder); }, Outcome::limited},
      {"what_is_learned", {}, try_state, Outcome::limited},
      {"completion_ports", {}, try_system_engine, Outcome::limited},
      {"room", {}, [folder] { return try_room(folder); }, Outcome::unknown},
      {"memory", {}, try_memory, Outcome::unknown},
  };
  Checkup checkup = {.folder = folder, .findings = run_probes(probes, kMostTime)};
  const Finding& drive = checkup.findings.front();
  if (drive.outcome != Outcome::unknown) checkup.is_rotational = drive.outcome == Outcome::works;
  return checkup;
}

}  // namespace seekless
