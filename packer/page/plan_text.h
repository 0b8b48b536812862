// A layout and what is expected of it, as tables and a paragraph for a terminal.
#pragma once

#include <cstddef>
#include <string>

#include <nlohmann/json.hpp>

#include "packer/content/content.h"
#include "packer/layout/layout.h"
#include "packer/plan/planner.h"

namespace seekless {

// Lines of at most `columns` characters, 80 or more; no line end after the last one. The layout
// has its predictions.
std::string plan_text(const Layout& layout, size_t columns);

// The same for machines: {command, layout, assets, bytes, sources, shadowed, scenarios, packs,
// gone, prediction}.
nlohmann::ordered_json plan_json(const std::string& layout, const Content& content,
                                 const Plan& plan);

}  // namespace seekless
