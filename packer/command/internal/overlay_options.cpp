#include "packer/command/internal/overlay_options.h"

namespace seekless {

void OverlayOptions::add_to(const Command& command) {
  command.option({.name = "--overlay",
                  .takes = "NAME",
                  .help = "Leave the archives as they are. Make a new archive of this name, beside "
                          "the others or in the folder of -o, with copies of the entries that "
                          "recordings read. The engine must load it last. To undo, delete it"},
                 name);
  command.option({.name = "--overlay-first",
                  .help = "For engines that prefer the archive whose name sorts first"},
                 is_first);
  command.option({.name = "--overlay-last",
                  .help = "For engines that prefer the archive whose name sorts last, such as "
                          "id Tech 3; this is the default",
                  .not_with = {"--overlay-first"}},
                 is_last);
}

Result<void> OverlayOptions::check(const Command& command) const {
  const auto given = [&](const char* option) { return command.has(option); };
  const auto refuse = [](const char* option, const char* expected) {
    return wrong_usage({.place = option, .expected = expected, .found = "another use"});
  };
  if (name.empty()) {
    for (const char* option : {"--overlay-first", "--overlay-last"})
      if (given(option)) return refuse(option, "it beside --overlay NAME");
    if (given("--overlay")) return refuse("--overlay", "a name, such as zz_seekless.pk3");
    return {};
  }
  for (const char* option : {"--in-place", "--sort-directory"})
    if (given(option)) return refuse(option, "it without --overlay, which rewrites no archive");
  return {};
}

}  // namespace seekless
