// A layout and what is expected of it, as tables and a paragraph for a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "packer/layout/layout.h"

namespace seekless {

// Lines of at most `columns` characters, 80 or more; no line end behind the last one. The layout
// has its predictions.
std::string plan_text(const Layout& layout, size_t columns);

}  // namespace seekless
