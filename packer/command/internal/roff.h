// Writes text as roff with the man macros, for man pages.
#pragma once

#include <string>
#include <string_view>

namespace seekless {

// Escapes text so that no character starts a roff request, and hyphens can be copied.
std::string roff(std::string_view text);
std::string bold(std::string_view text);
std::string italic(std::string_view text);

// Converts ASCII letters to upper case; other characters stay.
std::string upper(std::string_view text);

// Formats a command's footer. Paragraphs stay paragraphs, a line of one word and a colon becomes a
// heading, and lines that are indented by two keep their line breaks.
std::string roff_sections(const std::string& footer);

}  // namespace seekless
