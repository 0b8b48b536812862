// Runs work that continues in the background. This process waits until the work has started, and
// reports an error in the start.
#pragma once

#include <functional>
#include <string>

#include "packer/base/error.h"

namespace seekless {

// Runs `work` in another process. When `work` calls `ready` with a text, this function returns that
// text, and the other process leaves its terminal and continues. If `work` fails before that, this
// fails with the same error. Must be called while this process has one thread.
using TellReady = std::function<void(const std::string&)>;
Result<std::string> run_in_background(const std::function<Result<void>(const TellReady&)>& work);

}  // namespace seekless
