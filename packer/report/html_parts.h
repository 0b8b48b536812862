// The parts that the page is put together from; each returns HTML, with all text escaped.
#pragma once

#include <string>
#include <string_view>

#include "packer/report/report.h"

namespace seekless {

// The page's style sheet.
std::string_view style_sheet();

// The result in a sentence or two, for someone who has never heard of a seek. Not HTML: plain text.
std::string result_sentence(const Report& report);

// Bars of seconds, before and after, of the scenarios that took longest. Empty without scenarios.
std::string bars_section(const Report& report);

// The way of the head in those scenarios that took longest and have moves. Empty without any.
std::string heads_section(const Report& report);

}  // namespace seekless
