#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "packer/checkup/checkup.h"
#include "packer/checkup/internal/probe.h"
#include "packer/place/mover.h"

namespace seekless {
namespace {

constexpr auto kMostTime = std::chrono::seconds(5);

SystemProbe absent(const std::string& name, std::vector<std::string> commands, const char* advice) {
  return {name, std::move(commands), [advice]() -> Result<ProbeAnswer> {
            return ProbeAnswer{Outcome::fails, "Windows has no system call for it", advice};
          }};
}

// Room for no files is found without a move, but only by an administrator.
Result<ProbeAnswer> try_moving(const std::string& folder) {
  SKL_TRY(const auto mover, mover_for(folder, [](std::string_view) {}));
  SKL_TRY_DROP(mover.reserve({}));
  return ProbeAnswer{Outcome::works, fmt::format("files can be {}", mover.way)};
}

}  // namespace

std::vector<std::string> checked_commands() {
  return {"warm", "play", "place", "mount"};
}

Checkup check_up(const std::string& folder) {
  const std::vector<SystemProbe> probes = {
      {"drive", {}, [folder] { return try_drive(folder); }},
      absent("serving_folders", {"play", "mount"}, "read ahead with 'seekless warm'"),
      {"moving_files", {"place"}, [folder] { return try_moving(folder); }},
      {"places_of_files", {"place"}, [folder] { return try_places(folder); }},
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
