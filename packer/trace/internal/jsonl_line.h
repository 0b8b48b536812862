// One line of the project's own form of a trace, taken apart: which keys it has, and their values.
// Knows of JSON; what the keys mean together is jsonl_reader.cpp's affair.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace seekless {

struct JsonlLine {
  // Every key that a line may have; see schemas/trace.schema.json for what each means.
  enum Key : uint32_t {
    kSeekless,
    kVersion,
    kScenario,
    kMachine,
    kCommand,
    kDialect,
    kBegan,
    kPath,
    kRaw,
    kGap,
    kFile,
    kOpen,
    kRead,
    kMap,
    kAt,
    kSpan,
    kTook,
    kThread,
    kProcess,
    kErrno,
    kBegins,
    kEnds,
    kKeyCount
  };

  uint32_t present = 0;  // bit by Key
  std::array<int64_t, kKeyCount> integers = {};
  std::array<std::string, kKeyCount> texts;
  std::vector<int64_t> lengths;
  bool is_list = false;   // "read" is a list
  bool is_whole = false;  // "read" or "map" is "whole"

  bool has(Key key) const { return (present >> key & 1U) != 0; }
  int64_t integer(Key key, int64_t otherwise) const { return has(key) ? integers[key] : otherwise; }

  // Takes the place of what was there. False if the text is no such line; `problem` tells why.
  bool parse(std::string_view text, std::string& problem);

 private:
  // Of a line without strings, spaces or anything rare; false says nothing about the line.
  bool parse_plain(std::string_view text);
  bool undo_raw(std::string& problem);
};

std::string_view key_name(JsonlLine::Key key);

}  // namespace seekless
