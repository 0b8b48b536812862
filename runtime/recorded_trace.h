// A recording as a trace, which `seekless profile`, `plan` and `analyze` read like any other.
#pragma once

#include <memory>
#include <string_view>

#include "runtime/file_io.h"
#include "runtime/name_space.h"
#include "runtime/recorder.h"

namespace seekless::runtime {

// Assets are named by `names`, which must outlive it. `scenario` is empty until the first mark, or
// what is being loaded.
std::unique_ptr<RecordedForm> make_recorded_trace(std::unique_ptr<OutputFile> file,
                                                  const NameSpace& names,
                                                  std::string_view scenario);

}  // namespace seekless::runtime
