#include "packer/content/internal/pickle_index.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "runtime/zip_fields.h"

namespace seekless {
namespace {

// Each file in an index takes six values, and each value about 70 bytes of memory.
constexpr size_t kMostValues = 4U << 20;

enum class PickledKind : uint8_t { number, text, tuple, list, dictionary, call, mark, other };

struct PickledValue {
  PickledKind kind = PickledKind::other;
  uint32_t number = 0;          // index in PickledIndex::numbers
  std::string_view text;        // points into the pickle; for a call: module and name
  std::vector<uint32_t> items;  // of a dictionary: a key, its value, the next key, ...
};

// Executes the pickle's instructions, as far as an index needs them. Values are referred to by
// number, because a pickle may use one value in several places.
class PickleReader {
 public:
  PickleReader(std::string_view pickle, const std::string& file) : pickle_(pickle), file_(file) {}

  Result<PickledIndex> read() {
    while (!is_over_) {
      begin_ = at_;
      if (values_.size() > kMostValues) return refused("more values than are read");
      SKL_TRY(const auto code, take(1));
      SKL_TRY_DO(obey(static_cast<uint8_t>(code[0])));
    }
    SKL_TRY(const auto top, pop());
    SKL_TRY_DO(add_stretches(top));
    return std::move(index_);
  }

 private:
  std::unexpected<Error> refused(std::string found) const {
    return damaged({.file = file_,
                    .place = fmt::format("byte {} of its index", begin_),
                    .expected = "a pickled dictionary of names and places",
                    .found = std::move(found)});
  }

  Result<std::string_view> take(uint64_t count) {
    if (count > pickle_.size() - at_) return refused("the end");
    const std::string_view bytes = pickle_.substr(at_, count);
    at_ += count;
    return bytes;
  }

  Result<std::string_view> take_line() {
    const size_t end = pickle_.find('\n', at_);
    if (end == std::string_view::npos) return refused("the end");
    const std::string_view line = pickle_.substr(at_, end - at_);
    at_ = end + 1;
    return line;
  }

  // Takes a number of `width` bytes, the lowest first.
  Result<uint64_t> take_number(size_t width) {
    SKL_TRY(const auto bytes, take(width));
    uint64_t value = 0;
    for (size_t i = width; i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[i]);
    return value;
  }

  uint32_t push(PickledValue value) {
    values_.push_back(std::move(value));
    stack_.push_back(static_cast<uint32_t>(values_.size() - 1));
    return stack_.back();
  }

  Result<void> push_text(size_t width) {
    SKL_TRY(const auto length, take_number(width));
    SKL_TRY(const auto text, take(length));
    push({.kind = PickledKind::text, .text = text});
    return {};
  }

  Result<void> push_number(uint64_t value, bool is_negative = false) {
    if (is_negative) return refused("a number below 0");
    index_.numbers.push_back({begin_, at_, value});
    push({.kind = PickledKind::number, .number = static_cast<uint32_t>(index_.numbers.size() - 1)});
    return {};
  }

  Result<void> push_long() {
    SKL_TRY(const auto width, take_number(1));
    SKL_TRY(const auto bytes, take(width));
    uint64_t value = 0;
    for (size_t i = bytes.size(); i-- > 0;) {
      if (i >= 8 && bytes[i] != '\0') return refused("a number of more than 64 bits");
      if (i < 8) value = value << 8 | static_cast<uint8_t>(bytes[i]);
    }
    return push_number(value, !bytes.empty() && (bytes.back() & 0x80) != 0);
  }

  Result<void> push_written_number() {
    SKL_TRY(auto line, take_line());
    if (line.ends_with('L')) line.remove_suffix(1);
    uint64_t value = 0;
    const auto read = std::from_chars(line.data(), line.data() + line.size(), value);
    if (read.ec != std::errc() || read.ptr != line.data() + line.size() || line.starts_with("0"))
      return line == "0" ? push_number(0) : refused("a number that can't be read");
    return push_number(value);
  }

  Result<uint32_t> pop() {
    if (stack_.empty()) return refused("a missing value");
    const uint32_t value = stack_.back();
    stack_.pop_back();
    return value;
  }

  // Pops all values after the last mark, and the mark.
  Result<std::vector<uint32_t>> pop_to_mark() {
    size_t first = stack_.size();
    while (first > 0 && values_[stack_[first - 1]].kind != PickledKind::mark) --first;
    if (first == 0) return refused("a missing mark");
    std::vector<uint32_t> items(stack_.begin() + static_cast<ptrdiff_t>(first), stack_.end());
    stack_.resize(first - 1);
    return items;
  }

  Result<void> push_last(PickledKind kind, size_t count) {
    std::vector<uint32_t> items(count);
    for (size_t i = count; i-- > 0;) {
      SKL_TRY(const auto item, pop());
      items[i] = item;
    }
    push({.kind = kind, .items = std::move(items)});
    return {};
  }

  Result<void> push_marked(PickledKind kind) {
    SKL_TRY(auto items, pop_to_mark());
    if (kind == PickledKind::dictionary && items.size() % 2 != 0) return refused("half a pair");
    push({.kind = kind, .items = std::move(items)});
    return {};
  }

  Result<void> add_items(PickledKind kind, std::span<const uint32_t> items) {
    if (stack_.empty() || values_[stack_.back()].kind != kind)
      return refused("items of something else");
    if (kind == PickledKind::dictionary && items.size() % 2 != 0) return refused("half a pair");
    std::vector<uint32_t>& all = values_[stack_.back()].items;
    all.insert(all.end(), items.begin(), items.end());
    return {};
  }

  Result<void> add_marked(PickledKind kind) {
    SKL_TRY(const auto items, pop_to_mark());
    return add_items(kind, items);
  }

  Result<void> add_last(PickledKind kind, size_t count) {
    if (stack_.size() < count) return refused("a missing value");
    const std::vector<uint32_t> items(stack_.end() - static_cast<ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    return add_items(kind, items);
  }

  Result<void> put(uint64_t name) {
    if (stack_.empty()) return refused("a missing value");
    memo_[name] = stack_.back();
    return {};
  }

  Result<void> get(uint64_t name) {
    const auto found = memo_.find(name);
    if (found == memo_.end()) return refused("an unknown value");
    stack_.push_back(found->second);
    return {};
  }

  Result<uint64_t> take_name() {
    SKL_TRY(const auto line, take_line());
    uint64_t name = 0;
    const auto read = std::from_chars(line.data(), line.data() + line.size(), name);
    if (read.ec != std::errc()) return refused("a name that isn't a number");
    return name;
  }

  Result<void> push_global() {
    const size_t begin = at_;
    SKL_TRY_DROP(take_line());
    SKL_TRY_DROP(take_line());
    push({.kind = PickledKind::call, .text = pickle_.substr(begin, at_ - begin)});
    return {};
  }

  // In pickles for Python 2, Python 3 writes bytes as a call. Two such calls are recognised, and
  // none is executed.
  Result<void> reduce() {
    SKL_TRY(const auto arguments, pop());
    SKL_TRY(const auto function, pop());
    const PickledValue& of = values_[arguments];
    const std::string_view name = values_[function].text;
    if (values_[function].kind != PickledKind::call || of.kind != PickledKind::tuple)
      return refused("a call");
    if (name == "__builtin__\nbytes\n" && of.items.empty()) {
      push({.kind = PickledKind::text});
      return {};
    }
    if (name != "_codecs\nencode\n" || of.items.size() != 2 ||
        values_[of.items[0]].kind != PickledKind::text)
      return refused("a call");
    push({.kind = PickledKind::text, .text = values_[of.items[0]].text});
    is_latin_.push_back(stack_.back());
    return {};
  }

  Result<void> skip_frame() {
    SKL_TRY_DROP(take(8));
    index_.frames.emplace_back(begin_, at_);
    return {};
  }

  Result<void> skip_version() {
    SKL_TRY_DROP(take(1));
    return {};
  }

  Result<void> put_named() {
    SKL_TRY(const auto name, take_name());
    return put(name);
  }

  Result<void> get_named() {
    SKL_TRY(const auto name, take_name());
    return get(name);
  }

  Result<void> put_numbered(size_t width) {
    SKL_TRY(const auto name, take_number(width));
    return put(name);
  }

  Result<void> get_numbered(size_t width) {
    SKL_TRY(const auto name, take_number(width));
    return get(name);
  }

  Result<void> push_binary_number(size_t width) {
    SKL_TRY(const auto value, take_number(width));
    return push_number(value, width == 4 && value > INT32_MAX);
  }

  Result<void> obey(uint8_t code) {
    switch (code) {
      case 0x80:
        return skip_version();
      case 0x95:
        return skip_frame();
      case '.':
        is_over_ = true;
        return {};
      case '(':
        push({.kind = PickledKind::mark});
        return {};
      case '}':
        push({.kind = PickledKind::dictionary});
        return {};
      case ']':
        push({.kind = PickledKind::list});
        return {};
      case ')':
        push({.kind = PickledKind::tuple});
        return {};
      case 'd':
        return push_marked(PickledKind::dictionary);
      case 'l':
        return push_marked(PickledKind::list);
      case 't':
        return push_marked(PickledKind::tuple);
      case 0x85:
        return push_last(PickledKind::tuple, 1);
      case 0x86:
        return push_last(PickledKind::tuple, 2);
      case 0x87:
        return push_last(PickledKind::tuple, 3);
      case 'a':
        return add_last(PickledKind::list, 1);
      case 'e':
        return add_marked(PickledKind::list);
      case 's':
        return add_last(PickledKind::dictionary, 2);
      case 'u':
        return add_marked(PickledKind::dictionary);
      case 'U':
      case 'C':
      case 0x8C:
        return push_text(1);
      case 'T':
      case 'B':
      case 'X':
        return push_text(4);
      case 0x8D:
      case 0x8E:
        return push_text(8);
      case 'K':
        return push_binary_number(1);
      case 'M':
        return push_binary_number(2);
      case 'J':
        return push_binary_number(4);
      case 0x8A:
        return push_long();
      case 'I':
      case 'L':
        return push_written_number();
      case 'q':
        return put_numbered(1);
      case 'r':
        return put_numbered(4);
      case 'h':
        return get_numbered(1);
      case 'j':
        return get_numbered(4);
      case 'p':
        return put_named();
      case 'g':
        return get_named();
      case 0x94:
        return put(memo_.size());
      case 'c':
        return push_global();
      case 'R':
        return reduce();
      default:
        return refused(fmt::format("the instruction {:#04x}", code));
    }
  }

  Result<void> add_stretches(uint32_t top) {
    if (values_[top].kind != PickledKind::dictionary) return refused("something else");
    const std::vector<uint32_t>& pairs = values_[top].items;
    for (size_t i = 0; i < pairs.size(); i += 2) {
      const PickledValue& name = values_[pairs[i]];
      const PickledValue& list = values_[pairs[i + 1]];
      if (name.kind != PickledKind::text || list.kind != PickledKind::list)
        return refused("a name without a list of places");
      if (list.items.empty()) index_.name_without_place = name.text;
      for (size_t number = 0; number < list.items.size(); ++number) {
        SKL_TRY_DO(add_stretch(name.text, number, values_[list.items[number]]));
        index_.stretches.back().is_part = list.items.size() > 1;
        index_.stretches.back().is_name_bytes = bytes_of_text(pairs[i]) < name.text.size();
      }
    }
    return {};
  }

  Result<void> add_stretch(std::string_view name, size_t number, const PickledValue& tuple) {
    const std::vector<uint32_t>& items = tuple.items;
    if (index_.stretches.size() >= pickle_.size()) return refused("the same list again and again");
    if (tuple.kind != PickledKind::tuple || (items.size() != 2 && items.size() != 3) ||
        values_[items[0]].kind != PickledKind::number ||
        values_[items[1]].kind != PickledKind::number)
      return refused("no place and length");
    PickledStretch stretch = {
        .name = number == 0 ? std::string(name) : fmt::format("{}#{}", name, number),
        .place = values_[items[0]].number,
        .length = values_[items[1]].number};
    if (items.size() == 3) {
      if (values_[items[2]].kind != PickledKind::text) return refused("no first bytes");
      stretch.prefix_bytes = bytes_of_text(items[2]);
    }
    // Many stretches may share one long name.
    name_bytes_ += stretch.name.size();
    if (name_bytes_ > 2 * pickle_.size()) return refused("the same name again and again");
    index_.stretches.push_back(std::move(stretch));
    return {};
  }

  // In bytes written as text for Python 2, each byte above 127 takes two bytes.
  uint64_t bytes_of_text(uint32_t value) const {
    const std::string_view text = values_[value].text;
    if (!std::ranges::binary_search(is_latin_, value)) return text.size();
    return static_cast<uint64_t>(std::ranges::count_if(
        text, [](char byte) { return (static_cast<uint8_t>(byte) & 0xC0) != 0x80; }));
  }

  const std::string_view pickle_;
  const std::string& file_;
  size_t at_ = 0;
  size_t begin_ = 0;  // start of the instruction
  bool is_over_ = false;
  std::vector<PickledValue> values_;
  std::vector<uint32_t> stack_;     // indices in values_
  std::vector<uint32_t> is_latin_;  // sorted, since values are only added
  std::map<uint64_t, uint32_t> memo_;
  uint64_t name_bytes_ = 0;
  PickledIndex index_;
};

// Writes a number as Python does: in the shortest form, or as a long one if it needs more than 31
// bits.
std::string instruction_of(uint64_t value) {
  size_t width = value <= UINT8_MAX ? 1 : value <= UINT16_MAX ? 2 : 4;
  std::string code(1, value <= UINT8_MAX ? 'K' : value <= UINT16_MAX ? 'M' : 'J');
  if (value > INT32_MAX) {
    width = 1;
    while (width < 9 && (value >> (8 * width - 1)) != 0) ++width;
    code = {'\x8A', static_cast<char>(width)};
  }
  for (size_t i = 0; i < width; ++i) code += i < 8 ? static_cast<char>(value >> (8 * i)) : '\0';
  return code;
}

}  // namespace

Result<PickledIndex> read_pickled_index(std::string_view pickle, const std::string& file) {
  return PickleReader(pickle, file).read();
}

std::string with_numbers(std::string_view pickle, const PickledIndex& index,
                         std::span<const ReplacedNumber> numbers) {
  std::string result;
  size_t at = 0;
  size_t next_frame = 0;
  const auto copy_to = [&](size_t end) {
    for (; next_frame < index.frames.size() && index.frames[next_frame].first < end; ++next_frame) {
      const auto [frame_begin, frame_end] = index.frames[next_frame];
      result += pickle.substr(at, frame_begin - at);
      at = frame_end;
    }
    result += pickle.substr(at, end - at);
  };
  for (const auto& [number, value] : numbers) {
    const PickledNumber& old = index.numbers[number];
    copy_to(old.begin);
    result += instruction_of(value);
    at = old.end;
  }
  copy_to(pickle.size());
  return result;
}

}  // namespace seekless
