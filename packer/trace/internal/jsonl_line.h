// Parses one line of the project's own trace format into keys and values. This file knows only
// JSON; jsonl_reader.cpp knows the keys' meaning.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace seekless {

struct JsonlLine {
  // Lists every key that a line may have; schemas/trace.schema.json explains each.
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

  uint32_t present = 0;  // one bit for each Key
  std::array<int64_t, kKeyCount> integers = {};
  std::array<std::string, kKeyCount> texts;
  std::vector<int64_t> lengths;
  bool is_list = false;   // "read" is a list
  bool is_whole = false;  // "read" or "map" is "whole"

  bool has(Key key) const { return (present >> key & 1U) != 0; }
  int64_t integer(Key key, int64_t otherwise) const { return has(key) ? integers[key] : otherwise; }

  // Replaces the previous values. Returns false if the text is no such line; `problem` then says
  // why.
  bool parse(std::string_view text, std::string& problem);

 private:
  // Parses a line without strings, spaces or rare keys. If this returns false, parse() must be
  // used.
  bool parse_plain(std::string_view text);
  bool undo_raw(std::string& problem);
};

std::string_view key_name(JsonlLine::Key key);

}  // namespace seekless
