// A layout and what is expected of it, as tables and a paragraph for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/content/content.h"
#include "packer/layout/layout.h"
#include "packer/plan/equal_assets.h"
#include "packer/plan/planner.h"

namespace seekless {

// Sentences, of one or more.
std::string equal_text(const EqualContent& equal, const Content& content, const Plan& plan,
                       size_t columns);

// Lines of at most `columns` characters, 80 or more; no line end after the last one.
std::string plan_text(const Plan& plan, size_t columns);

// The same for machines: {command, layout, assets, bytes, sources, shadowed, equal, scenarios,
// packs, gone, prediction}.
nlohmann::ordered_json plan_json(const std::string& layout, const Content& content,
                                 const std::vector<uint32_t>& same_as, const EqualContent& equal,
                                 const Plan& plan);

}  // namespace seekless
