// Lists the commands. Each is a file in the folder `command` that defines its add_NAME.
#pragma once

// Help shows the commands under these titles, which name the user's task. Commands with an empty
// title are hidden.
#define SEEKLESS_COMMANDS(COMMAND)             \
  COMMAND("Play a game faster", advise)        \
  COMMAND("Play a game faster", games)         \
  COMMAND("Play a game faster", ui)            \
  COMMAND("Play a game faster", play)          \
  COMMAND("Play a game faster", repack)        \
  COMMAND("Play a game faster", restore)       \
  COMMAND("Play a game faster", warm)          \
  COMMAND("Play a game faster", place)         \
  COMMAND("Record what a game reads", record)  \
  COMMAND("Record what a game reads", mark)    \
  COMMAND("Record what a game reads", import)  \
  COMMAND("Record what a game reads", analyze) \
  COMMAND("Make packs", init)                  \
  COMMAND("Make packs", build)                 \
  COMMAND("Make packs", profile)               \
  COMMAND("Make packs", plan)                  \
  COMMAND("Make packs", pack)                  \
  COMMAND("Inspect", doctor)                   \
  COMMAND("Inspect", where)                    \
  COMMAND("Inspect", simulate)                 \
  COMMAND("Inspect", report)                   \
  COMMAND("Inspect", drive)                    \
  COMMAND("Inspect", prove)                    \
  COMMAND("Update packs", diff)                \
  COMMAND("Update packs", patch)               \
  COMMAND("Update packs", apply)               \
  COMMAND("Read packs", info)                  \
  COMMAND("Read packs", verify)                \
  COMMAND("Read packs", extract)               \
  COMMAND("Read packs", mount)                 \
  COMMAND("Pack with another tool", emit)      \
  COMMAND("", completion)                      \
  COMMAND("", manual)                          \
  COMMAND("", settings)
