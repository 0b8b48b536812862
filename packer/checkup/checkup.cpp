#include "packer/checkup/checkup.h"

#include <algorithm>

namespace seekless {

std::vector<const Finding*> hindrances(const Checkup& checkup, std::string_view command) {
  std::vector<const Finding*> all;
  for (const Finding& finding : checkup.findings)
    if (finding.outcome == Outcome::fails &&
        std::ranges::find(finding.commands, command) != finding.commands.end())
      all.push_back(&finding);
  return all;
}

}  // namespace seekless
