// Replaces, on Windows, what shows folders, because Windows lacks the system calls for that: it
// prints that it isn't available, and what to do instead. 'place' is neither advised nor proven
// here, because it hasn't moved a file on a real disk with Windows yet.
#include <memory>
#include <string>
#include <vector>

#include "packer/command/internal/advise_ways.h"
#include "packer/command/internal/command.h"
#include "packer/command/internal/prove_made.h"
#include "packer/host/may_write.h"

namespace seekless {
void add_ways_of_system(const AdvisedLoads& loads, std::vector<AdvisedWay>& ways) {
  ways.push_back(loads.play(loads.learned_s(), ""));
}

std::string why_not_written(const std::string& folder, bool) {
  if (may_write(folder)) return "";
  return failed({.file = folder,
                 .expected = "a folder in which this user may make files",
                 .found = "one that isn't",
                 .advice = "call it from a prompt that was opened as administrator"})
      .error()
      .message;
}

Result<MadeForProof> make_placed_files(const ProveSubject& subject, const MakingTerms&) {
  return failed({.file = subject.roots.front(),
                 .place = "--way place",
                 .expected = "Linux",
                 .found = "Windows, where 'prove' doesn't place files yet",
                 .advice = "take --way packs or --way repack"});
}

void add_mount(const Command& tool) {
  constexpr const char* kInstead = "bring the assets out with 'seekless extract'";
  const Command command = tool.add("mount", std::string("Not there on Windows yet: ") + kInstead);
  command.takes_any_words();
  const auto words = std::make_shared<std::vector<std::string>>();
  command.option({.name = "WORD", .is_hidden = true}, *words);
  command.runs([words]() -> Result<void> {
    return failed({.place = "mount",
                   .expected = "Linux",
                   .found = "Windows, where it isn't there yet",
                   .advice = kInstead});
  });
}

}  // namespace seekless
