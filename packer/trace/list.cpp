// Reads a plain list of names, one path a line, in the order they are read; each counts as read as
// a whole. Any text is such a list in a way, so this comes last, and takes what looks like paths
// only: not tables, markup, logs, prose or bytes. With --format list, any line is a name.
#include <algorithm>

#include "packer/host/ascii.h"
#include "packer/trace/text_dialect.h"
#include "packer/trace/text_dialects.h"

namespace seekless {
namespace {

bool has_control(std::string_view text) {
  return std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

bool has_ending(std::string_view name) {
  constexpr size_t kMaxEnding = 8;
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot + 1 == name.size()) return false;
  const std::string_view ending = name.substr(dot + 1);
  return ending.size() <= kMaxEnding && std::ranges::all_of(ending, is_letter_or_digit);
}

bool looks_like_path(std::string_view text) {
  constexpr std::ptrdiff_t kMostSpaces = 4;
  if (has_control(text) || text.front() == ' ' || text.ends_with(' ')) return false;
  // Markup, JSON, CSV with quotes, comments; and what other tools' lines begin and end with.
  if (std::string_view("<{[\"'#;*|").find(text.front()) != std::string_view::npos ||
      std::string_view(";{}>\"'").find(text.back()) != std::string_view::npos)
    return false;
  if (std::ranges::count(text, ' ') > kMostSpaces || std::ranges::count(text, ',') > 2 ||
      text.find(": ") != std::string_view::npos || text.find("://") != std::string_view::npos ||
      text.find(" = ") != std::string_view::npos || text.find("//") == 0)
    return false;
  const bool has_folder = text.find_first_of("/\\") != std::string_view::npos;
  return has_folder ? text.size() > 1 : has_ending(text);
}

}  // namespace

bool recognise_list(std::string_view front) {
  if (front.empty() || front.find('\0') != std::string_view::npos) return false;
  size_t lines = 0;
  size_t alike = 0;
  while (!front.empty()) {
    const size_t end = front.find('\n');
    if (end == std::string_view::npos && lines > 0) break;
    std::string_view line = front.substr(0, end);
    front = end == std::string_view::npos ? std::string_view{} : front.substr(end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    ++lines;
    alike += looks_like_path(line) ? 1 : 0;
  }
  return alike > 0 && alike * 10 >= lines * 9;
}

Result<void> parse_list(ByteStream& stream, const ImportOptions&, TraceSink& sink,
                        ImportReport& report) {
  EventWriter writer(sink);
  if (auto begun = writer.begin("list"); !begun) return begun;
  return for_each_line(stream, LastLine::may_end, report,
                       [&](std::string_view text) -> Result<bool> {
                         if (text.find('\0') != std::string_view::npos) return false;
                         Event event;
                         event.length_bytes = kWholeFile;
                         return writer.add_in_order(text, event);
                       });
}

}  // namespace seekless
