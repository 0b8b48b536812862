#include "packer/checkup/internal/probe.h"

#include <fmt/format.h>

#include "packer/host/block_device.h"
#include "packer/host/calls.h"
#include "packer/host/extents.h"
#include "packer/host/files.h"
#include "packer/host/folder_walk.h"
#include "packer/host/machine.h"
#include "packer/host/may_write.h"
#include "packer/host/own_folder.h"
#include "packer/host/whole_files.h"
#include "packer/warm/system_cache.h"
#include "packer/words/counted.h"
#include "packer/words/figures.h"
#include "runtime/io_engine.h"

namespace seekless {
namespace {

constexpr uint64_t kGibibyte = uint64_t{1} << 30;
// 'play' leaves this much of the disk free.
constexpr uint64_t kKeptFree = kGibibyte;

// Returns a file with content in the folder or below it; empty if there is none nearby.
std::string any_file_in(const std::string& folder) {
  constexpr int kMostFiles = 1000;
  std::string found;
  int seen = 0;
  const auto visit = [&](const FoundFile& file) -> Result<void> {
    const bool fits = !file.leads_nowhere && !file.is_link && file.size_bytes > 0;
    if (fits) found = folder + "/" + file.relative_path;
    if (fits || ++seen == kMostFiles) return failed({.found = "enough"});
    return {};
  };
  const auto pass_over = [](const std::string&, const std::string&) -> Result<void> { return {}; };
  static_cast<void>(visit_tree(folder, {.visit = visit, .leads_back = pass_over}));
  return found;
}

ProbeAnswer nothing_to_try_with(const std::string& folder) {
  return {Outcome::unknown, fmt::format("{} has no file to try it with", folder),
          "name a game's folder: seekless doctor FOLDER"};
}

}  // namespace

Finding finding_of(const SystemProbe& probe, const Result<ProbeAnswer>& tried) {
  Finding finding = {.name = probe.name, .commands = probe.commands};
  if (tried) {
    finding.outcome = tried->outcome;
    finding.found = tried->found;
    finding.advice = tried->advice;
    return finding;
  }
  const std::string& message = tried.error().message;
  const size_t end = message.find("; ");
  finding.outcome = probe.without;
  finding.found = message.substr(0, end);
  if (end != std::string::npos) finding.advice = message.substr(end + 2);
  return finding;
}

Finding unanswered(const SystemProbe& probe, const std::string& why) {
  return {
      .name = probe.name, .outcome = Outcome::unknown, .found = why, .commands = probe.commands};
}

Result<ProbeAnswer> try_places(const std::string& folder) {
  const std::string file = any_file_in(folder);
  if (file.empty()) return nothing_to_try_with(folder);
  SKL_TRY(const auto places, read_extents(file));
  return ProbeAnswer{Outcome::works, fmt::format("the file system tells them ({} in {})", file,
                                                 counted(places.extents.size(), "piece"))};
}

Result<ProbeAnswer> try_drive(const std::string& folder) {
  const FoundDrive drive = drive_of_path(folder);
  if (drive.is_on_network)
    return ProbeAnswer{Outcome::limited, drive.description,
                       "places there can't be told: run seekless where the disk is"};
  if (!drive.is_rotational)
    return ProbeAnswer{Outcome::unknown, drive.description,
                       "seekless takes it for a rotating disk; --drive names another"};
  if (*drive.is_rotational) return ProbeAnswer{Outcome::works, drive.description};
  return ProbeAnswer{Outcome::limited, drive.description,
                     "seeks cost it nothing: nothing to gain there"};
}

Result<ProbeAnswer> try_room(const std::string& folder) {
  SKL_TRY(const auto free, free_bytes(folder));
  const std::string text = fmt::format("{} free for {}", bytes_text(free), folder);
  if (free > 2 * kKeptFree) return ProbeAnswer{Outcome::works, text};
  return ProbeAnswer{
      Outcome::limited, text,
      "laying out and packing need room: free some, or name another disk (--state, -o)"};
}

Result<ProbeAnswer> try_memory() {
  const uint64_t bytes = memory_bytes();
  if (bytes == 0) return ProbeAnswer{Outcome::unknown, "the system doesn't tell how much there is"};
  const std::string text = bytes_text(bytes);
  if (bytes >= kGibibyte) return ProbeAnswer{Outcome::works, text};
  return ProbeAnswer{Outcome::limited, text, "only a quarter of it is read ahead into"};
}

Result<ProbeAnswer> try_page_cache(const std::string& folder) {
  const std::string file = any_file_in(folder);
  if (file.empty()) return nothing_to_try_with(folder);
  const Descriptor opened(calls::open_to_read(file, false));
  if (opened.get() < 0)
    return ProbeAnswer{Outcome::unknown, fmt::format("{} can't be opened", file)};
  if (tells_cached(opened.get()))
    return ProbeAnswer{Outcome::works, "the system tells what is in memory"};
  return ProbeAnswer{Outcome::limited,
                     "the system doesn't tell what of other users' files is in memory",
                     "'warm' then reads what is in memory already, too"};
}

Result<ProbeAnswer> try_state() {
  SKL_TRY(const auto place, state_place("play", ""));
  std::string above = place;
  while (!calls::is_there(above) && above.rfind('/') != 0 && above.contains('/'))
    above.resize(above.rfind('/'));
  if (above == place) SKL_TRY_DO(check_holding_folder(place));
  if (!may_write(above))
    return failed({.file = above,
                   .expected = "a folder that you may write to, for what 'play' learns",
                   .found = "one that you may not",
                   .advice = "set $XDG_STATE_HOME, or name a place with --state"});
  return ProbeAnswer{Outcome::works, place};
}

Result<ProbeAnswer> try_system_engine() {
  constexpr uint32_t kDepth = 4;
  if (runtime::make_system_engine(kDepth))
    return ProbeAnswer{Outcome::works, "the reader has many reads in flight without threads"};
  return failed({.place = "the reader",
                 .found = "that it isn't built in, or that the system refuses it",
                 .advice = "nothing has to be done: threads read instead"});
}

}  // namespace seekless
