// Text as roff takes it, with the man macros: what man pages are written in.
#pragma once

#include <string>
#include <string_view>

namespace seekless {

// No character begins a request, and hyphens stay those that can be copied.
std::string roff(std::string_view text);
std::string bold(std::string_view text);
std::string italic(std::string_view text);

// ASCII letters alone.
std::string upper(std::string_view text);

// A command's footer: paragraphs as they are, a line of one word and a colon as a heading, lines
// that are indented by two as they stand.
std::string roff_sections(const std::string& footer);

}  // namespace seekless
