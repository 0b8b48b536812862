// Reads what fatrace prints, with times (-t: of day; -t -t: since 1970) or without, with users
// (-u), or as lines of JSON (--json):
//     02:12:11.404376 game(3937): O /g/a.pak
//     game(3937) [1000:1000]: RC /g/a.pak
//     {"timestamp":1447208931.404376,"comm":"game","pid":3937,"types":"O","path":"/g/a.pak"}
// It reports files, but not offsets (accesses.h). Events of folders (+ D < >), close (C) and write
// (W) are skipped, and so is "device 8:2 inode 658203", a file without a name.
#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "packer/trace/event.h"
#include "packer/trace/internal/accesses.h"
#include "packer/trace/internal/dialects.h"
#include "packer/trace/internal/text_dialect.h"

namespace seekless {
namespace {

using Json = nlohmann::json;

bool are_kinds(std::string_view text) {
  return !text.empty() && text.find_first_not_of("ORCW+D<>") == std::string_view::npos;
}

// Returns false if there is a time that can't be parsed.
bool take_times(std::string_view& text, AccessLine& line) {
  std::string_view rest = text;
  const std::string_view word = take_word(rest);
  // A program's name may also be a number, but no space follows it then.
  if (word.empty() || word.front() < '0' || word.front() > '9' || word.ends_with(')')) return true;
  line.day_ns = parse_time_of_day_ns(word);
  if (!line.day_ns && word.find('.') != std::string_view::npos) line.unix_ns = parse_unix_ns(word);
  if (line.day_ns || line.unix_ns) text = rest.substr(rest.starts_with(' ') ? 1 : 0);
  constexpr std::ptrdiff_t kColonsOfTime = 2;
  return line.day_ns || std::ranges::count(word, ':') != kColonsOfTime;
}

// "(3937): " or "(3937) [1000:1000]: " after the program's name; both may hold parentheses.
bool take_process(std::string_view& text, AccessLine& line) {
  for (size_t open = text.find('('); open != std::string_view::npos;
       open = text.find('(', open + 1)) {
    std::string_view rest = text.substr(open + 1);
    const size_t close = rest.find(')');
    if (close == std::string_view::npos) return false;
    const auto process = parse_id(rest.substr(0, close));
    if (!process) continue;
    rest.remove_prefix(close + 1);
    if (rest.starts_with(" [")) rest.remove_prefix(std::min(rest.find(']'), rest.size() - 1) + 1);
    if (!rest.starts_with(": ")) continue;
    line.process = *process;
    text = rest.substr(2);
    return true;
  }
  return false;
}

// Returns the path without the text that --exe and --parents put after it.
std::string_view take_path(std::string_view text) {
  for (const std::string_view after : {" exe=/", ", parents=(pid="})
    text = text.substr(0, text.find(after));
  return text;
}

bool split_text(std::string_view text, AccessLine& line) {
  if (!take_times(text, line) || !take_process(text, line)) return false;
  line.kinds = take_word(text);
  if (!are_kinds(line.kinds)) return false;
  // Kinds are padded to three characters.
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  if (text.starts_with('/')) line.path = take_path(text);
  return !line.path.empty() || text.starts_with("device ") || text.starts_with("(deleted)");
}

// Reads "HH:MM:SS.uuuuuu", or a number of seconds since 1970.
bool read_times(const Json& object, AccessLine& line) {
  const auto time = object.find("timestamp");
  if (time == object.end()) return true;
  if (const auto* text = time->get_ptr<const std::string*>(); text != nullptr) {
    line.day_ns = parse_time_of_day_ns(*text);
    return line.day_ns.has_value();
  }
  if (!time->is_number()) return false;
  const auto seconds = time->get<double>();
  if (!(seconds >= 0) || seconds * 1e9 > static_cast<double>(INT64_MAX / 2)) return false;
  // A double holds microseconds of these years, and no more digits.
  line.unix_ns = std::llround(seconds * 1e6) * 1000;
  return true;
}

// Reads a name that is given as a list of bytes, because it isn't UTF-8 or JSON would escape it.
bool read_raw_path(const Json& bytes, std::string& path) {
  if (!bytes.is_array()) return false;
  for (const Json& byte : bytes) {
    if (!byte.is_number_unsigned() || byte.get<uint64_t>() > 0xff) return false;
    path += static_cast<char>(byte.get<uint64_t>());
  }
  return true;
}

// {"timestamp":1447208931.404376,"comm":"game","pid":3937,"types":"RCO","path":"/g/a.pak"}
bool split_json(std::string_view text, AccessLine& line) {
  const Json object = Json::parse(text, nullptr, false);
  if (!object.is_object()) return false;
  const auto process = object.find("pid");
  const auto kinds = object.find("types");
  if (process == object.end() || !process->is_number_unsigned() || kinds == object.end() ||
      !kinds->is_string() || process->get<uint64_t>() > UINT32_MAX)
    return false;
  line.process = process->get<uint32_t>();
  line.kinds = kinds->get<std::string>();
  if (!are_kinds(line.kinds) || !read_times(object, line)) return false;
  if (const auto path = object.find("path"); path != object.end()) {
    if (!path->is_string()) return false;
    line.path = path->get<std::string>();
  } else if (const auto raw = object.find("path_raw"); raw != object.end()) {
    if (!read_raw_path(*raw, line.path)) return false;
  }
  return line.path.empty() || line.path.front() == '/';
}

// Returns false if `text` is no such line; `line` is then undefined.
bool split_fatrace_line(std::string_view text, AccessLine& line) {
  line = {};
  return text.starts_with('{') ? split_json(text, line) : split_text(text, line);
}

bool recognise_fatrace(std::string_view front) {
  return most_lines(front, [](std::string_view text) {
    AccessLine line;
    return split_fatrace_line(text, line);
  });
}

Result<void> parse_fatrace(ByteStream& stream, const ImportOptions&, TraceSink& sink,
                           ImportReport& report) {
  return parse_accesses(stream, "fatrace", split_fatrace_line, sink, report);
}

}  // namespace

const Dialect kFatraceDialect = {"fatrace", "02:12:11.404376 game(3937): O /g/a.pak",
                                 recognise_fatrace, parse_fatrace};

}  // namespace seekless
