// The lines that a trace is made of, millions of them: whole numbers, lists of lengths and "open",
// without a space, as the writer writes them. These are taken apart here in a tenth of the time;
// whatever is any other than that is left to the parser of JSON, which says what is wrong with it.
#include <array>
#include <charconv>
#include <optional>

#include "packer/trace/event.h"
#include "packer/trace/jsonl_line.h"

namespace seekless {
namespace {

using Key = JsonlLine::Key;

// Those of whole numbers by their first letter; of two with one, the second has four letters.
std::optional<Key> number_key(std::string_view name) {
  const auto if_is = [name](std::string_view known, Key key) {
    return name == known ? std::optional(key) : std::nullopt;
  };
  switch (name.empty() ? '\0' : name.front()) {
    case 'g':
      return if_is("gap", Key::kGap);
    case 'f':
      return if_is("file", Key::kFile);
    case 'a':
      return if_is("at", Key::kAt);
    case 's':
      return if_is("span", Key::kSpan);
    case 't':
      return name.size() == 4 ? if_is("took", Key::kTook) : if_is("thread", Key::kThread);
    case 'p':
      return if_is("process", Key::kProcess);
    case 'e':
      return if_is("errno", Key::kErrno);
    default:
      return std::nullopt;
  }
}

class Cursor {
 public:
  explicit Cursor(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

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
  // Of letters, up to a quotation mark.
  std::string_view name() {
    const char* begin = at_;
    while (at_ != end_ && *at_ >= 'a' && *at_ <= 'z') ++at_;
    return {begin, at_};
  }
  // As JSON has it: without zeros in front. At most 18 digits, which can't overflow.
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

bool take_lengths(Cursor& cursor, JsonlLine& line) {
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

bool take_open(Cursor& cursor, JsonlLine& line) {
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
  Cursor cursor(text);
  if (!cursor.take('{')) return false;
  do {
    if (!cursor.take('"')) return false;
    const std::string_view name = cursor.name();
    if (!cursor.take("\":")) return false;
    const auto key = name == "read"   ? std::optional(Key::kRead)
                     : name == "open" ? std::optional(Key::kOpen)
                                      : number_key(name);
    if (!key || has(*key)) return false;
    const bool is_taken = *key == kRead   ? take_lengths(cursor, *this)
                          : *key == kOpen ? take_open(cursor, *this)
                                          : cursor.number(integers[*key]);
    if (!is_taken) return false;
    present |= 1U << *key;
  } while (cursor.take(','));
  return cursor.take('}') && cursor.is_at_end();
}

}  // namespace seekless
