// The parts that the page is put together from; each returns HTML, with all text escaped.
#pragma once

#include <string>
#include <string_view>

#include "packer/answer/report.h"

namespace seekless {

// The whole page; `title` and `lead` are plain text, `body` is HTML.
std::string page_html(std::string_view title, std::string_view lead, std::string_view body);

// A figure that stands out: its name, and HTML for its value. In a <dl class="facts">.
std::string fact_html(std::string_view name, std::string_view value_html);
// "before -> after", for a fact.
std::string change_html(std::string_view before, std::string_view after);

// The result in a sentence or two, for someone who has never heard of a seek. Not HTML: plain text.
std::string result_sentence(const Report& report);

// Names the two sides of the bars.
struct SideNames {
  std::string_view before = "before, as recorded";
  std::string_view after = "after, from the packs";
};

// Bars of seconds, before and after, of the scenarios that took longest. Empty without scenarios.
std::string bars_section(const Report& report, const SideNames& names = {});

// Each empty if there is nothing to tell.
std::string warnings_section(const Report& report);
std::string loads_section(const Report& report);
std::string assumptions_section(const Report& report);

// The way of the head in the scenarios that took longest and have moves. Empty without any.
std::string heads_section(const Report& report);

// Which scenario reads what, where. Empty without scenarios or packs.
std::string map_section(const Report& report);

// What the planner expected: its reasons, the price of copies, and its predictions beside what was
// simulated. Empty without a plan.
std::string plan_section(const Report& report);

// A table that can be scrolled on its own; rows are HTML, and `foot` may be empty.
std::string table_html(std::string_view label, std::string_view head, std::string_view body,
                       std::string_view foot);

}  // namespace seekless
