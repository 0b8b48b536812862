// Runs work that continues in the background once it has started well. This process waits for the
// start, and reports an error in it.
#pragma once

#include <functional>
#include <string>

#include "packer/base/error.h"

namespace seekless {

// Runs `work` in a process of its own. When it calls `ready`, this function returns the text that
// it passed, and the other process leaves its terminal and continues. If `work` fails before that,
// this fails with the same error. Must be called while this process has one thread.
using TellReady = std::function<void(const std::string&)>;
Result<std::string> run_in_background(const std::function<Result<void>(const TellReady&)>& work);

}  // namespace seekless
