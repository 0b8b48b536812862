#include "packer/checkup/checkup.h"

#include <algorithm>

#include "packer/checkup/internal/probe.h"
#include "packer/host/files.h"

namespace seekless {

Result<std::string> folder_that_answers(const std::string& path) {
  constexpr auto kMostWait = std::chrono::seconds(5);
  const auto look = [path]() -> Result<ProbeAnswer> {
    SKL_TRY(const auto kind, known_kind_of_path(path));
    if (kind == PathKind::folder) return ProbeAnswer{Outcome::works, canonical_path(path)};
    return failed({.file = path,
                   .expected = "a folder",
                   .found = kind == PathKind::missing ? "nothing" : "no folder"});
  };
  const Finding found = run_probes({{"folder", {}, look}}, kMostWait).front();
  if (found.outcome == Outcome::works) return found.found;
  if (found.outcome == Outcome::fails)
    return std::unexpected(Error{ErrorKind::failed, found.found});
  return failed({.file = path,
                 .expected = "a folder whose file system answers",
                 .found = found.found,
                 .advice = "see whether its disk or its server is there"});
}

std::vector<const Finding*> hindrances(const Checkup& checkup, std::string_view command) {
  std::vector<const Finding*> all;
  for (const Finding& finding : checkup.findings)
    if (finding.outcome == Outcome::fails &&
        std::ranges::find(finding.commands, command) != finding.commands.end())
      all.push_back(&finding);
  return all;
}

}  // namespace seekless
