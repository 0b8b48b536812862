#include "packer/command/internal/overlay_options.h"

namespace seekless {

void OverlayOptions::add_to(CLI::App& command) {
  command
      .add_option("--overlay", name,
                  "Rewrite nothing: write one archive more, of this name, with the entries that "
                  "recordings read, beside the others or to -o. Its name has to win over theirs. "
                  "Deleting it undoes it")
      ->type_name("NAME");
  CLI::Option* first = command.add_flag_callback(
      "--overlay-first", [this] { winning = WinningName::first; },
      "For engines in which, of the archives in a folder, the one wins whose name comes first");
  command
      .add_flag_callback(
          "--overlay-last", [this] { winning = WinningName::last; },
          "The one wins whose name comes last, as in id Tech 3; this is the default")
      ->excludes(first);
}

Result<void> OverlayOptions::check(const CLI::App& command) const {
  const auto given = [&](const char* option) { return command.get_option(option)->count() > 0; };
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
