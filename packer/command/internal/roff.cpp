#include "packer/command/internal/roff.h"

#include <array>
#include <sstream>

namespace seekless {
namespace {

constexpr std::string_view kSpecial = "\\-'`^~";
constexpr std::array<std::string_view, kSpecial.size()> kEscapes = {"\\e",   "\\-",   "\\(aq",
                                                                    "\\(ga", "\\(ha", "\\(ti"};

}  // namespace

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool begins_line = out.empty() || out.back() == '\n';
    if (begins_line && (c == '.' || c == '\'')) out += "\\&";
    const size_t at = kSpecial.find(c);
    out += at == std::string_view::npos ? std::string_view(&c, 1) : kEscapes[at];
  }
  return out;
}

std::string bold(std::string_view text) {
  return "\\fB" + roff(text) + "\\fR";
}

std::string italic(std::string_view text) {
  return "\\fI" + roff(text) + "\\fR";
}

std::string roff_sections(const std::string& footer) {
  std::string out;
  bool is_literal = false;
  bool is_gap = false;  // true if the next text needs a gap before it; a heading has its own
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);) {
    const bool is_indented = line.starts_with("  ");
    if (is_literal && !is_indented) out += ".EE\n";
    if (!is_literal && is_indented) out += ".EX\n";
    is_literal = is_indented;
    if (is_indented) {
      out += roff(line.substr(2)) + "\n";
    } else if (line.ends_with(':')) {
      const bool is_heading = line.find(' ') == std::string::npos;
      line.pop_back();
      out += is_heading ? ".SH " + roff(upper(line)) + "\n" : roff(line) + ":\n";
    } else if (!line.empty()) {
      out += (is_gap ? ".PP\n" : "") + roff(line) + "\n";
    }
    is_gap = line.empty();
  }
  return is_literal ? out + ".EE\n" : out;
}

}  // namespace seekless
