// In the place of the commands that serve folders or move files on their disk, where Windows has no
// such calls as Linux: each says so, and what to do instead.
#include <memory>
#include <string>
#include <vector>

#include "packer/command/internal/command.h"
#include "packer/command/internal/real_places.h"

namespace seekless {
namespace {

void add_absent(CLI::App& app, Action& chosen, const std::string& name, const std::string& advice) {
  CLI::App* command = app.add_subcommand(name, "Not there on Windows yet: " + advice);
  // All that follows is taken, and not looked at: options, and what stands after "--".
  command->prefix_command();
  const auto words = std::make_shared<std::vector<std::string>>();
  command->add_option("WORD", *words)->group("");
  command->callback([&chosen, name, advice, words] {
    chosen = [name, advice]() -> Result<void> {
      return failed({.place = name,
                     .expected = "Linux",
                     .found = "Windows, where it isn't there yet",
                     .advice = advice});
    };
  });
}

}  // namespace

// Windows tells where files lie, and not what finding them takes.
std::optional<SecondsAfter> seconds_where_files_lie(const Content&, const std::vector<std::string>&,
                                                    const KeptRuns&, const DriveProfile&) {
  return std::nullopt;
}

void add_mount(CLI::App& app, Action& chosen) {
  add_absent(app, chosen, "mount", "bring the assets out with 'seekless extract'");
}

void add_place(CLI::App& app, Action& chosen) {
  add_absent(app, chosen, "place", "pack or repack the content instead");
}

void add_play(CLI::App& app, Action& chosen) {
  add_absent(app, chosen, "play", "read ahead with 'seekless warm'");
}

}  // namespace seekless
