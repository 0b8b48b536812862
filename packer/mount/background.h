// Work that goes on in the background once it has begun well: this process waits for that, and
// tells what went wrong otherwise.
#pragma once

#include <functional>
#include <string>

#include "packer/base/error.h"

namespace seekless {

// Runs `work` in a process of its own. Once that calls `ready`, what it hands over is returned
// here, and the other process leaves its terminal and goes on. Fails with what `work` failed with
// before. Must be called while this process has one thread.
using TellReady = std::function<void(const std::string&)>;
Result<std::string> run_in_background(const std::function<Result<void>(const TellReady&)>& work);

}  // namespace seekless
