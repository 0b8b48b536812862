// A layout and what is expected of it, as tables and a paragraph for a terminal.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/content/content.h"
#include "packer/layout/layout.h"
#include "packer/plan/planner.h"

namespace seekless {

// What is known of content that a game holds several times.
struct EqualContent {
  uint64_t assets = 0;  // that have the content of another one
  uint64_t bytes = 0;   // of these
  std::string example;  // one of them
  std::string of;       // the one whose content it has
  // Seconds of all recorded scenarios, weighted: as planned, and where each of these assets has a
  // place of its own. None: too few to be worth finding out.
  struct Seconds {
    double once = 0;
    double apart = 0;
  };
  std::optional<Seconds> seconds = {};
};

// `same_as`: as PlanOptions has it.
EqualContent count_equal(const Content& content, const std::vector<uint32_t>& same_as);
// Sentences; empty if there is none.
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
