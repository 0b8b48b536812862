// Tries the system features that seekless needs, for 'seekless doctor'. Each trial uses the
// feature, takes a limited time, and leaves nothing behind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/base/error.h"

namespace seekless {

enum class Outcome : uint8_t {
  works,
  limited,  // it works, but less well
  fails,
  unknown,  // it couldn't be tried
};

struct Finding {
  std::string name;  // for scripts: "user_name_spaces"
  Outcome outcome = Outcome::unknown;
  std::string found;   // a phrase
  std::string advice;  // empty if there is nothing to do
  // The commands that don't work if this fails.
  std::vector<std::string> commands;
};

struct Checkup {
  std::string folder;
  std::optional<bool> is_rotational;  // the folder's drive; nothing if unknown
  std::vector<Finding> findings;
};

// Returns the canonical path of a folder. Fails if `path` isn't a folder, or if its file system
// doesn't answer for seconds, for example because its server is gone.
Result<std::string> folder_that_answers(const std::string& path);

// Runs all trials with this folder, which must exist. Must be called while this process has one
// thread.
Checkup check_up(const std::string& folder);

// Returns the commands that depend on a trial on this system, in the order in which people meet
// them.
std::vector<std::string> checked_commands();

// Returns the findings that keep a command from working; none if it works.
std::vector<const Finding*> hindrances(const Checkup& checkup, std::string_view command);

}  // namespace seekless
