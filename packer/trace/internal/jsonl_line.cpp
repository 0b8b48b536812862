// Parses a line with nlohmann's event-driven parser. Lines are flat, so each becomes a struct of
// the keys it may have, without a tree in between.
#include "packer/trace/internal/jsonl_line.h"

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/trace/event.h"
#include "packer/words/utf8.h"

namespace seekless {
namespace {

using enum JsonlLine::Key;
using Key = JsonlLine::Key;

constexpr std::array<std::string_view, JsonlLine::kKeyCount> kKeyNames = {
    "seekless", "version", "scenario", "machine", "command", "dialect", "began", "path",
    "raw",      "gap",     "file",     "open",    "read",    "map",     "at",    "span",
    "took",     "thread",  "process",  "errno",   "begins",  "ends"};

enum class Type : uint8_t { text, integer, flag, lengths };

constexpr Type type_of(Key key) {
  switch (key) {
    case kSeekless:
    case kScenario:
    case kMachine:
    case kCommand:
    case kDialect:
    case kPath:
    case kBegins:
    case kEnds:
      return Type::text;
    case kRaw:
    case kOpen:
      return Type::flag;
    case kRead:
    case kMap:
      return Type::lengths;
    default:
      return Type::integer;
  }
}

// Receives the events of nlohmann's parser; returning false stops it. Values of unknown keys are
// skipped.
class LineHandler {
 public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  LineHandler(JsonlLine& fields, std::string& problem) : fields_(fields), problem_(problem) {
    fields_.present = 0;
    fields_.lengths.clear();
    fields_.is_list = false;
    fields_.is_whole = false;
  }

  bool null() { return !is_ours() || wrong("null"); }
  bool boolean(bool value) {
    if (!is_ours()) return true;
    if (type_of(*key_) != Type::flag) return wrong("a boolean");
    fields_.integers[*key_] = value ? 1 : 0;
    return set();
  }
  bool number_integer(number_integer_t value) {
    if (!is_ours()) return true;
    if (type_of(*key_) == Type::lengths) return add_length(value);
    if (type_of(*key_) != Type::integer) return wrong("a number");
    fields_.integers[*key_] = value;
    return set();
  }
  bool number_unsigned(number_unsigned_t value) {
    if (is_ours() && value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      return wrong("a number that is too large");
    return number_integer(static_cast<int64_t>(value));
  }
  bool number_float(number_float_t, const string_t&) {
    return !is_ours() || wrong("a number with a fraction");
  }
  bool string(string_t& value) {
    if (!is_ours()) return true;
    if (type_of(*key_) == Type::lengths && depth_ == 1 && value == "whole") {
      fields_.is_whole = true;
      return set();
    }
    if (type_of(*key_) != Type::text) return wrong("a string");
    fields_.texts[*key_].swap(value);
    return set();
  }
  bool binary(binary_t&) { return false; }
  bool start_object(size_t) {
    if (is_ours()) return wrong("an object");
    ++depth_;
    return true;
  }
  bool key(string_t& name) {
    if (depth_ != 1) return true;
    const auto known = std::ranges::find(kKeyNames, name);
    key_.reset();
    if (known == kKeyNames.end()) return true;
    key_ = static_cast<Key>(known - kKeyNames.begin());
    if (!fields_.has(*key_)) return true;
    problem_ = fmt::format("'{}' twice", name);
    return false;
  }
  bool end_object() { return leave(); }
  bool start_array(size_t) {
    if (depth_ == 0) {
      problem_ = "a list";
      return false;
    }
    if (is_ours()) {
      if (*key_ != kRead || depth_ != 1) return wrong("a list");
      fields_.is_list = true;
      set();
    }
    ++depth_;
    return true;
  }
  bool end_array() { return leave(); }
  bool parse_error(size_t at, const std::string&, const nlohmann::json::exception&) {
    problem_ = fmt::format("no JSON at byte {} of the line", at);
    return false;
  }

  bool is_object() const { return was_object_; }

 private:
  // Returns true if the current value belongs to a known key.
  bool is_ours() {
    if (depth_ == 0) return false;
    return key_.has_value() && (depth_ == 1 || (depth_ == 2 && fields_.is_list && *key_ == kRead));
  }
  bool set() {
    fields_.present |= 1U << *key_;
    return true;
  }
  bool leave() {
    --depth_;
    was_object_ = depth_ == 0;
    return true;
  }
  bool add_length(int64_t value) {
    if (value < 0 || static_cast<uint64_t>(value) > kPlaceLimitBytes)
      return wrong("a wrong length");
    fields_.lengths.push_back(value);
    return set();
  }
  bool wrong(const char* found) {
    problem_ = fmt::format("{} as '{}'", found, kKeyNames[*key_]);
    return false;
  }

  JsonlLine& fields_;
  std::string& problem_;
  std::optional<Key> key_;
  uint32_t depth_ = 0;
  bool was_object_ = false;
};

}  // namespace

std::string_view key_name(JsonlLine::Key key) {
  return kKeyNames[key];
}

bool JsonlLine::parse(std::string_view text, std::string& problem) {
  problem.clear();
  if (parse_plain(text)) return true;
  LineHandler handler(*this, problem);
  const bool parsed = nlohmann::json::sax_parse(text.begin(), text.end(), &handler);
  if (!parsed || !handler.is_object()) {
    if (problem.empty()) problem = "no object";
    return false;
  }
  return integer(kRaw, 0) == 0 || undo_raw(problem);
}

bool JsonlLine::undo_raw(std::string& problem) {
  for (uint32_t i = 0; i < kKeyCount; ++i) {
    const Key key = static_cast<Key>(i);
    if (!has(key) || type_of(key) != Type::text) continue;
    if (auto bytes = bytes_of_characters(texts[key])) {
      texts[key] = *std::move(bytes);
      continue;
    }
    problem = fmt::format("a character beyond U+00FF as '{}' of a raw line", kKeyNames[i]);
    return false;
  }
  return true;
}

}  // namespace seekless
