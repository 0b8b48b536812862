// Parses the lines that make up most of a trace: whole numbers, lists of lengths and "open",
// without a space, as the writer writes them. This takes a tenth of the time of the JSON parser.
// Any other line is left to the JSON parser, which also says what is wrong with it.
#include <array>
#include <charconv>

#include "packer/trace/event.h"
#include "packer/trace/internal/jsonl_line.h"

namespace seekless {
namespace {

using Key = JsonlLine::Key;

// Packs up to eight letters into one number, so that a switch finds a key without comparing text.
constexpr uint64_t packed(std::string_view letters) {
  uint64_t number = 0;
  for (const char letter : letters) number = number << 8 | static_cast<uint8_t>(letter);
  return number;
}

// Returns kKeyCount if a plain line can't have this key.
Key key_of(uint64_t packed_name) {
  switch (packed_name) {
    case packed("gap"):
      return Key::kGap;
    case packed("file"):
      return Key::kFile;
    case packed("open"):
      return Key::kOpen;
    case packed("read"):
      return Key::kRead;
    case packed("at"):
      return Key::kAt;
    case packed("span"):
      return Key::kSpan;
    case packed("took"):
      return Key::kTook;
    case packed("thread"):
      return Key::kThread;
    case packed("process"):
      return Key::kProcess;
    case packed("errno"):
      return Key::kErrno;
    default:
      return Key::kKeyCount;
  }
}

class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool take(char expected) {
    if (at_ == end_ || *at_ != expected) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view expected) {
    if (!std::string_view(at_, end_).starts_with(expected)) return false;
    at_ += expected.size();
    return true;
  }
  // Packs the letters up to a quotation mark; returns 0 if they are too many to pack.
  uint64_t packed_name() {
    const char* begin = at_;
    while (at_ != end_ && *at_ >= 'a' && *at_ <= 'z') ++at_;
    return at_ - begin <= 8 ? packed({begin, at_}) : 0;
  }
  // Reads a JSON number: without leading zeros, and at most 18 digits, which can't overflow.
  bool number(int64_t& value) {
    const char* digits = at_ + (at_ != end_ && *at_ == '-' ? 1 : 0);
    const auto [stopped, error] = std::from_chars(at_, end_, value);
    const auto count = stopped - digits;
    if (error != std::errc() || count > 18 || (*digits == '0' && (count > 1 || digits != at_)))
      return false;
    at_ = stopped;
    return true;
  }
  bool is_at_end() const { return at_ == end_; }

 private:
  const char* at_;
  const char* end_;
};

bool is_length(int64_t value) {
  return value >= 0 && static_cast<uint64_t>(value) <= kPlaceLimitBytes;
}

bool take_lengths(JsonCursor& cursor, JsonlLine& line) {
  const auto one = [&] {
    int64_t value = 0;
    if (!cursor.number(value) || !is_length(value)) return false;
    line.lengths.push_back(value);
    return true;
  };
  if (!cursor.take('[')) return one();
  line.is_list = true;
  do {
    if (!one()) return false;
  } while (cursor.take(','));
  return cursor.take(']');
}

bool take_open(JsonCursor& cursor, JsonlLine& line) {
  const bool is_open = cursor.take("true");
  line.integers[Key::kOpen] = is_open ? 1 : 0;
  return is_open || cursor.take("false");
}

}  // namespace

bool JsonlLine::parse_plain(std::string_view text) {
  present = 0;
  lengths.clear();
  is_list = false;
  is_whole = false;
  JsonCursor cursor(text);
  if (!cursor.take('{')) return false;
  do {
    if (!cursor.take('"')) return false;
    const Key key = key_of(cursor.packed_name());
    if (!cursor.take('"') || !cursor.take(':') || key == kKeyCount || has(key)) return false;
    const bool is_taken = key == kRead   ? take_lengths(cursor, *this)
                          : key == kOpen ? take_open(cursor, *this)
                                         : cursor.number(integers[key]);
    if (!is_taken) return false;
    present |= 1U << key;
  } while (cursor.take(','));
  return cursor.take('}') && cursor.is_at_end();
}

}  // namespace seekless
