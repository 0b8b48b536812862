#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include "packer/checkup/checkup.h"
#include "packer/checkup/internal/probe.h"
#include "packer/host/files.h"
#include "packer/host/may_write.h"
#include "packer/place/mover.h"
#include "packer/record/try_recording.h"
#include "packer/serve/serving_parts.h"
#include "packer/serve/session.h"

namespace seekless {
namespace {

// A busy disk may take a while to read the first file.
constexpr auto kMostTime = std::chrono::seconds(5);

Result<ProbeAnswer> try_fuse() {
  SKL_TRY_DROP(open_fuse_device());
  return ProbeAnswer{Outcome::works, "/dev/fuse opens"};
}

Result<ProbeAnswer> try_user_name_spaces() {
  auto entered = enter_own_users();
  if (entered) return ProbeAnswer{Outcome::works, "a process can have its own"};
  if (::geteuid() != 0) return std::unexpected(entered.error());
  const std::string& message = entered.error().message;
  return ProbeAnswer{Outcome::limited, message.substr(0, message.find("; ")), "root needs none"};
}

Result<ProbeAnswer> try_serving(const std::string& folder) {
  SKL_TRY_DO(check_can_serve("or use 'seekless warm'"));
  const std::string path = canonical_path(folder);
  // The root folder can't be served, only folders in it. Any other folder shows whether mounting
  // works.
  const std::string tried = path == "/" ? "/tmp" : path;
  const std::array<std::string, 1> folders = {tried};
  SKL_TRY_DO(try_to_mount(folders));
  return ProbeAnswer{Outcome::works, fmt::format("{} can be served, to one process alone", tried)};
}

Result<ProbeAnswer> try_to_record() {
  SKL_TRY_DO(try_recording());
  return ProbeAnswer{Outcome::works, "a program's reads can be followed"};
}

Result<ProbeAnswer> try_moving(const std::string& folder) {
  SKL_TRY(const auto mover, mover_for(folder, [](std::string_view) {}));
  if (!may_write(folder))
    return failed({.file = folder,
                   .found = "that its files may only be read",
                   .advice = "place them as their owner or as root"});
  return ProbeAnswer{Outcome::works, fmt::format("files can be {}", mover.way)};
}

Result<ProbeAnswer> try_to_mount_packs() {
  // Root can mount without fusermount3.
  if (::geteuid() == 0 || !::system("fusermount3 -V >/dev/null 2>&1"))
    return ProbeAnswer{Outcome::works, ::geteuid() == 0 ? "root needs none" : "it starts"};
  return failed({.place = "fusermount3",
                 .found = "that it doesn't start",
                 .advice = "install it (Debian: fuse3)"});
}

std::vector<SystemProbe> probes_of(const std::string& folder) {
  return {
      {"drive", {}, [folder] { return try_drive(folder); }},
      {"fuse", {"mount"}, try_fuse},
      {"user_name_spaces", {}, try_user_name_spaces},
      {"serving_folders", {}, [folder] { return try_serving(folder); }, Outcome::limited},
      {"what_is_learned", {"play"}, try_state},
      {"tracing", {"record"}, try_to_record},
      {"places_of_files", {"place"}, [folder] { return try_places(folder); }},
      {"moving_files", {"place"}, [folder] { return try_moving(folder); }},
      {"page_cache", {}, [folder] { return try_page_cache(folder); }, Outcome::limited},
      {"fusermount3", {"mount"}, try_to_mount_packs},
      {"io_uring", {}, try_system_engine, Outcome::limited},
      {"room", {}, [folder] { return try_room(folder); }, Outcome::unknown},
      {"memory", {}, try_memory, Outcome::unknown},
  };
}

// Serving a folder fails for the same reasons as its parts, so each reason is reported only once.
// `play` still helps by watching the game.
void tell_once(std::vector<Finding>& findings) {
  const auto named = [&](std::string_view name) {
    return std::ranges::find(findings, name, &Finding::name);
  };
  const auto serving = named("serving_folders");
  for (const char* part : {"fuse", "user_name_spaces"}) {
    if (serving->outcome != Outcome::limited || serving->found != named(part)->found) continue;
    serving->found = fmt::format("it needs {}", part);
    serving->advice.clear();
  }
  if (serving->outcome == Outcome::limited)
    serving->advice += std::string(serving->advice.empty() ? "" : "; ") +
                       "until then 'seekless play' fetches beside the game what it needs";
}

}  // namespace

std::vector<std::string> checked_commands() {
  return {"play", "record", "place", "warm", "mount"};
}

Checkup check_up(const std::string& folder) {
  Checkup checkup = {.folder = folder, .findings = run_probes(probes_of(folder), kMostTime)};
  for (const Finding& finding : checkup.findings) {
    if (finding.name != "drive" || finding.outcome == Outcome::unknown) continue;
    checkup.is_rotational = finding.outcome == Outcome::works;
  }
  tell_once(checkup.findings);
  return checkup;
}

}  // namespace seekless
