// Replaces, on Windows, the commands that show folders or move files on their disk, because
// Windows lacks the system calls for that. Each prints that it isn't available, and what to do
// instead.
#include <memory>
#include <string>
#include <vector>

#include "packer/command/internal/advise_ways.h"
#include "packer/command/internal/command.h"
#include "packer/command/internal/prove_made.h"
#include "packer/host/may_write.h"

namespace seekless {
namespace {

void add_absent(const Command& tool, const std::string& name, const std::string& advice) {
  const Command command = tool.add(name, "Not there on Windows yet: " + advice);
  command.takes_any_words();
  const auto words = std::make_shared<std::vector<std::string>>();
  command.option({.name = "WORD", .is_hidden = true}, *words);
  command.runs([name, advice, words]() -> Result<void> {
    return failed({.place = name,
                   .expected = "Linux",
                   .found = "Windows, where it isn't there yet",
                   .advice = advice});
  });
}

}  // namespace

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
                 .found = "Windows, where 'place' isn't there yet",
                 .advice = "take --way packs or --way repack"});
}

void add_mount(const Command& tool) {
  add_absent(tool, "mount", "bring the assets out with 'seekless extract'");
}

void add_place(const Command& tool) {
  add_absent(tool, "place", "pack or repack the content instead");
}

}  // namespace seekless
