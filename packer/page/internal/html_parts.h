// Makes the parts of the page. Each function returns HTML, with all text escaped.
#pragma once

#include <string>
#include <string_view>

#include "packer/answer/report.h"

namespace seekless {

// Returns the whole page. `title` and `lead` are plain text; `body` is HTML.
std::string page_html(std::string_view title, std::string_view lead, std::string_view body);

// Returns an item of a <dl class="facts">. The value is HTML.
std::string fact_html(std::string_view name, std::string_view value_html);
// Returns "before -> after", for a fact.
std::string change_html(std::string_view before, std::string_view after);

// Returns the result in a sentence or two, for someone who has never heard of a seek. This is plain
// text, not HTML.
std::string result_sentence(const Report& report);

// Names the two sides of the bars.
struct SideNames {
  std::string_view before = "before, as recorded";
  std::string_view after = "after, from the packs";
  std::string_view seconds = "Seconds that the drive is busy";  // what the bars show
};

// Returns bars of seconds, before and after, for the scenarios that took longest. It is empty
// if there are no scenarios.
std::string bars_section(const Report& report, const SideNames& names = {});

// These return an empty text if there is nothing to show.
std::string warnings_section(const Report& report);
std::string loads_section(const Report& report);
std::string assumptions_section(const Report& report);

// Shows the path of the head in the longest scenarios that have moves. It is empty if no
// scenario has moves.
std::string heads_section(const Report& report);

// Shows the map of which scenario reads which part of which pack. It is empty if there are no
// scenarios or no packs.
std::string map_section(const Report& report);

// Shows the plan: the planner's reasons, the price of copies, and its predictions beside simulated
// values. It is empty if there is no plan.
std::string plan_section(const Report& report);

// Returns a table that can be scrolled on its own. The rows are HTML, and `foot` may be empty.
std::string table_html(std::string_view label, std::string_view head, std::string_view body,
                       std::string_view foot);

}  // namespace seekless
