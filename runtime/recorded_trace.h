// A recording as a trace, which `seekless profile`, `plan` and `analyze` read like any other.
#pragma once

#include <memory>
#include <string_view>

#include "runtime/file_io.h"
#include "runtime/name_space.h"
#include "runtime/recorder.h"

namespace seekless::runtime {

// `names` gives the assets' names, and must outlive the recording. `scenario` is the one being
// loaded until the first mark; empty means none.
std::unique_ptr<RecordedForm> make_recorded_trace(std::unique_ptr<OutputFile> file,
                                                  const NameSpace& names,
                                                  std::string_view scenario);

}  // namespace seekless::runtime
