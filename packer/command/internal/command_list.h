// Lists the commands. Each is a file in the folder `command` that defines its add_NAME.
#pragma once

// Help shows the commands under these titles, which say what people want to do. Commands with an
// empty title are hidden.
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
  COMMAND("Look", doctor)                      \
  COMMAND("Look", where)                       \
  COMMAND("Look", simulate)                    \
  COMMAND("Look", report)                      \
  COMMAND("Look", drive)                       \
  COMMAND("Look", prove)                       \
  COMMAND("Move what changed", diff)           \
  COMMAND("Move what changed", patch)          \
  COMMAND("Move what changed", apply)          \
  COMMAND("Read packs", info)                  \
  COMMAND("Read packs", verify)                \
  COMMAND("Read packs", extract)               \
  COMMAND("Read packs", mount)                 \
  COMMAND("Pack with another tool", emit)      \
  COMMAND("", completion)                      \
  COMMAND("", manual)                          \
  COMMAND("", settings)
