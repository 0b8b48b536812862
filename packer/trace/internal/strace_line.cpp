#include "packer/trace/internal/strace_line.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>

#include "packer/base/ascii.h"

namespace seekless {
namespace {

constexpr uint32_t kMaxThread = INT32_MAX;  // a pid is an int

bool is_word(char c) {
  return is_letter_or_digit(c) || c == '_';
}

void skip_spaces(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
}

// A memcmp of a known size is a compare or two; starts_with calls a function.
bool begins(std::string_view text, std::string_view what) {
  return text.size() >= what.size() && std::memcmp(text.data(), what.data(), what.size()) == 0;
}

bool ends(std::string_view text, std::string_view what) {
  return text.size() >= what.size() &&
         std::memcmp(text.data() + text.size() - what.size(), what.data(), what.size()) == 0;
}

bool skip(std::string_view& text, std::string_view what) {
  if (!begins(text, what)) return false;
  text.remove_prefix(what.size());
  return true;
}

// Takes digits off the front. So few that they can't overflow needn't be checked for it.
template <typename T>
bool take_number(std::string_view& text, T& value) {
  const size_t most = std::min<size_t>(text.size(), std::numeric_limits<T>::digits10);
  T few = 0;
  size_t at = 0;
  for (; at < most && is_digit(text[at]); ++at) few = few * 10 + static_cast<T>(text[at] - '0');
  if (at == 0) return false;
  if (at == text.size() || !is_digit(text[at])) {
    value = few;
    text.remove_prefix(at);
    return true;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

// Reads ".123456" as nanoseconds, with up to nine digits; no fraction gives 0.
int64_t take_fraction_ns(std::string_view& text) {
  static constexpr std::array<int64_t, 10> kUnits = {
      1'000'000'000, 100'000'000, 10'000'000, 1'000'000, 100'000, 10'000, 1'000, 100, 10, 1};
  if (!skip(text, ".")) return 0;
  const size_t most = std::min(text.size(), kUnits.size() - 1);
  int64_t value = 0;
  size_t digits = 0;
  for (; digits < most && is_digit(text[digits]); ++digits)
    value = value * 10 + (text[digits] - '0');
  size_t end = digits;
  while (end < text.size() && is_digit(text[end])) ++end;
  text.remove_prefix(end);
  return value * kUnits[digits];
}

// The number at the front of a line is a time if a fraction or a colon follows it, or if it is
// larger than any pid (as seconds: 1973 and later).
constexpr int64_t kFirstUnixTime = 100'000'000;
// Nanoseconds can't express a later time; this is the year 2262.
constexpr int64_t kLastUnixTime = 9'200'000'000;

bool take_time_of_day(std::string_view& text, int64_t hours, StraceLine& line) {
  int64_t minutes = 0;
  int64_t seconds = 0;
  if (!skip(text, ":") || !take_number(text, minutes) || !skip(text, ":") ||
      !take_number(text, seconds) || hours > 24 || minutes > 59 || seconds > 60)
    return false;
  line.clock = StraceClock::time_of_day;
  line.time_ns = ((hours * 60 + minutes) * 60 + seconds) * 1'000'000'000 + take_fraction_ns(text);
  return true;
}

// Takes the time off the front, if there is one.
void take_time(std::string_view& text, StraceLine& line) {
  std::string_view rest = text;
  skip_spaces(rest);
  int64_t seconds = 0;
  if (!take_number(rest, seconds) || rest.empty()) return;
  bool is_coarse = true;
  if (rest.front() == ':') {
    if (!take_time_of_day(rest, seconds, line)) return;
    is_coarse = line.time_ns % 1'000'000'000 == 0;
  } else {
    if (seconds > kLastUnixTime || (rest.front() != '.' && seconds < kFirstUnixTime)) return;
    is_coarse = rest.front() != '.';
    line.clock = seconds >= kFirstUnixTime ? StraceClock::unix_time : StraceClock::relative;
    line.time_ns = seconds * 1'000'000'000 + take_fraction_ns(rest);
  }
  // With -r, another clock's time may come first: "12:34:56 (+     0.000123) read(".
  std::string_view after = rest;
  skip_spaces(after);
  if (skip(after, "(+")) {
    skip_spaces(after);
    int64_t delta_seconds = 0;
    if (!take_number(after, delta_seconds) || delta_seconds > kLastUnixTime) return;
    const int64_t delta_ns = delta_seconds * 1'000'000'000 + take_fraction_ns(after);
    if (!skip(after, ")")) return;
    if (is_coarse) {
      line.clock = StraceClock::relative;
      line.time_ns = delta_ns;
    }
    rest = after;
  }
  skip_spaces(rest);
  text = rest;
}

// Takes "123 ", "123<comm> ", "[pid  123] " or "[pid 123<comm>] ".
void take_thread(std::string_view& text, StraceLine& line) {
  std::string_view rest = text;
  const bool is_bracketed = skip(rest, "[pid ");
  skip_spaces(rest);
  uint32_t thread = 0;
  if (!take_number(rest, thread) || thread > kMaxThread) return;
  if (rest.starts_with('<')) {
    const size_t end = rest.find(is_bracketed ? ">]" : "> ");
    if (end == std::string_view::npos) return;
    rest.remove_prefix(end + 1);
  }
  if (!skip(rest, is_bracketed ? "]" : " ")) return;
  // A bare number may also be a time in whole seconds.
  if (!is_bracketed && thread >= kFirstUnixTime) return;
  line.thread = thread;
  // Leaves the spaces, because take_time skips them.
  text = rest;
}

// Skips "[00007f3dbf569b1d] " of -i and "[ 257] " of -n.
void skip_brackets(std::string_view& text) {
  while (text.starts_with('[')) {
    size_t at = 1;
    while (at < text.size() && (is_word(text[at]) || text[at] == ' ' || text[at] == '?')) ++at;
    if (at + 1 >= text.size() || text[at] != ']' || text[at + 1] != ' ') return;
    text.remove_prefix(at + 2);
    skip_spaces(text);
  }
}

bool take_name(std::string_view& text, std::string_view& name) {
  size_t at = 0;
  while (at < text.size() && is_word(text[at])) ++at;
  if (at == 0 || is_digit(text.front())) return false;
  name = text.substr(0, at);
  text.remove_prefix(at);
  return true;
}

// Removes "strace: Process 9108 attached" from the end; it may stand alone or after other text.
bool take_attached(std::string_view& text, uint32_t& thread) {
  if (!ends(text, " attached")) return false;
  size_t at = text.rfind("strace: Process ");
  size_t length = std::strlen("strace: Process ");
  if (at == std::string_view::npos && begins(text, "Process ")) {
    at = 0;  // form before version 4.20
    length = std::strlen("Process ");
  }
  if (at == std::string_view::npos) return false;
  std::string_view number = text.substr(at + length);
  if (!take_number(number, thread) || !number.starts_with(" attached")) return false;
  text = text.substr(0, at);
  return true;
}

void split_event(std::string_view text, StraceLine& line) {
  line.rest = text;
  if (take_attached(text, line.attached_thread)) {
    line.kind = StraceLine::LineKind::attached;
    line.rest = take_name(text, line.name) && skip(text, "(") ? text : std::string_view{};
    return;
  }
  if (begins(text, "strace: ") || begins(text, "--- ") || begins(text, "Process ") ||
      begins(text, "[ Process PID=") || ends(text, "<detached ...>")) {
    line.kind = StraceLine::LineKind::remark;
    return;
  }
  if (begins(text, "+++ ")) {
    line.kind = begins(text, "+++ exited") || begins(text, "+++ killed")
                    ? StraceLine::LineKind::exited
                    : StraceLine::LineKind::remark;
    return;
  }
  if (skip(text, "<... ")) {
    if (!take_name(text, line.name) || !skip(text, " resumed>")) return;
    line.kind = StraceLine::LineKind::resumed;
    line.rest = text;
    return;
  }
  if (!take_name(text, line.name) || !skip(text, "(")) return;
  line.kind = StraceLine::LineKind::call;
  if (ends(text, kStraceUnfinished)) {
    line.kind = StraceLine::LineKind::unfinished;
    text.remove_suffix(kStraceUnfinished.size());
    if (text.ends_with(' ')) text.remove_suffix(1);
  }
  line.rest = text;
}

// Returns the place after the closing quote, or npos; `at` is after the opening quote.
size_t end_of_string(std::string_view text, size_t at) {
  while (at < text.size()) {
    if (text[at] == '"') return at + 1;
    at += text[at] == '\\' ? 2 : 1;
  }
  return std::string_view::npos;
}

// Returns the place after the '>' that ends an annotation, or npos; `at` is at its '<', after a
// descriptor. Paths have their own '<' and '>' escaped; "</dev/pts/0<char 136:0>>" is what -yy
// makes of a device. Sockets are "<TCP:[127.0.0.1:80->127.0.0.1:81]>" and the like.
size_t end_of_annotation(std::string_view text, size_t at) {
  const bool is_path =
      text.substr(at + 1).starts_with('/') || text.substr(at + 1).starts_with('\\');
  const size_t close = text.find('>', at + 1);
  if (close == std::string_view::npos) return close;
  const size_t open = text.substr(0, close).find(is_path ? '<' : '[', at + 1);
  if (open == std::string_view::npos) return close + 1;
  const size_t end = text.find(is_path ? ">>" : "]>", open);
  return end == std::string_view::npos ? end : end + 2;
}

// Returns the place after the element that begins at `at`: a string, an annotation, a comment, or
// one character.
size_t end_of_element(std::string_view text, size_t at) {
  switch (text[at]) {
    case '"':
      return end_of_string(text, at + 1);
    case '<':
      if (at > 0 && is_word(text[at - 1]) && at + 1 < text.size() && text[at + 1] != '<' &&
          text[at + 1] != '=')
        return end_of_annotation(text, at);
      return at + (text.substr(at).starts_with("<<") ? 2 : 1);
    case '/':
      if (text.substr(at).starts_with("/*")) {
        const size_t end = text.find("*/", at + 2);
        return end == std::string_view::npos ? end : end + 2;
      }
      return at + 1;
    default:
      return at + 1;
  }
}

// Marks the characters that have a meaning for split_arguments, which skips all others.
constexpr auto kHasMeaning = [] {
  std::array<bool, 256> has_meaning = {};
  for (const char c : std::string_view("\"</,()[]{}")) has_meaning[static_cast<uint8_t>(c)] = true;
  return has_meaning;
}();

// Splits arguments up to the parenthesis that closes them, and returns the place after it. If there
// is none, returns npos, and the text after the last comma is the last argument.
size_t split_arguments(std::string_view text, StraceCall& call) {
  size_t begin = 0;
  size_t depth = 0;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (!kHasMeaning[static_cast<uint8_t>(c)]) {
      ++at;
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    const bool is_end = c == ')' && depth == 0;
    if (is_end || (c == ',' && depth == 0)) {
      if (call.count < StraceCall::kMaxArguments && (at > begin || !is_end))
        call.arguments[call.count++] = text.substr(begin, at - begin);
      if (is_end) return at + 1;
      begin = at + 1;
      while (begin < text.size() && text[begin] == ' ') ++begin;
      at = begin;
      continue;
    }
    if ((c == ')' || c == ']' || c == '}') && depth > 0) --depth;
    at = end_of_element(text, at);
  }
  if (call.count < StraceCall::kMaxArguments && begin < text.size())
    call.arguments[call.count++] = text.substr(begin);
  return std::string_view::npos;
}

// Appends the byte of an escape "\x41"; `at` is after the "x".
bool unescape_hex(std::string_view text, size_t& at, std::string& out) {
  int value = 0;
  size_t digits = 0;
  for (; digits < 2 && at < text.size() && hex_digit(text[at]) >= 0; ++digits, ++at)
    value = value * 16 + hex_digit(text[at]);
  out += static_cast<char>(value);
  return digits > 0;
}

// Appends the byte of an octal escape; `at` is at its first digit.
bool unescape_octal(std::string_view text, size_t& at, std::string& out) {
  int value = 0;
  for (size_t digits = 0; digits < 3 && at < text.size() && text[at] >= '0' && text[at] <= '7';
       ++digits, ++at)
    value = value * 8 + (text[at] - '0');
  out += static_cast<char>(value);
  return value <= 0xff;
}

constexpr std::string_view kEscapeLetters = "ntrvfab\"\\'<>";
constexpr std::string_view kEscapedBytes = "\n\t\r\v\f\a\b\"\\'<>";

bool unescape_one(std::string_view text, size_t& at, std::string& out) {
  const char c = text[at];
  if (c >= '0' && c <= '7') return unescape_octal(text, at, out);
  ++at;
  if (c == 'x') return unescape_hex(text, at, out);
  const size_t letter = kEscapeLetters.find(c);
  if (letter == std::string_view::npos) return false;
  out += kEscapedBytes[letter];
  return true;
}

struct NamedError {
  std::string_view name;
  int32_t number;
};

// Lists Linux' error numbers (asm-generic/errno.h) by name. A trace means these numbers, whatever
// system reads it.
constexpr NamedError kErrors[] = {
    // clang-format off
    {"E2BIG", 7}, {"EACCES", 13}, {"EADDRINUSE", 98}, {"EADDRNOTAVAIL", 99},
    {"EADV", 68}, {"EAFNOSUPPORT", 97}, {"EAGAIN", 11}, {"EALREADY", 114},
    {"EBADE", 52}, {"EBADF", 9}, {"EBADFD", 77}, {"EBADMSG", 74},
    {"EBADR", 53}, {"EBADRQC", 56}, {"EBADSLT", 57}, {"EBFONT", 59},
    {"EBUSY", 16}, {"ECANCELED", 125}, {"ECHILD", 10}, {"ECHRNG", 44},
    {"ECOMM", 70}, {"ECONNABORTED", 103}, {"ECONNREFUSED", 111}, {"ECONNRESET", 104},
    {"EDEADLK", 35}, {"EDEADLOCK", 35}, {"EDESTADDRREQ", 89}, {"EDOM", 33},
    {"EDOTDOT", 73}, {"EDQUOT", 122}, {"EEXIST", 17}, {"EFAULT", 14},
    {"EFBIG", 27}, {"EHOSTDOWN", 112}, {"EHOSTUNREACH", 113}, {"EIDRM", 43},
    {"EILSEQ", 84}, {"EINPROGRESS", 115}, {"EINTR", 4}, {"EINVAL", 22},
    {"EIO", 5}, {"EISCONN", 106}, {"EISDIR", 21}, {"EISNAM", 120},
    {"EKEYEXPIRED", 127}, {"EKEYREJECTED", 129}, {"EKEYREVOKED", 128}, {"EL2HLT", 51},
    {"EL2NSYNC", 45}, {"EL3HLT", 46}, {"EL3RST", 47}, {"ELIBACC", 79},
    {"ELIBBAD", 80}, {"ELIBEXEC", 83}, {"ELIBMAX", 82}, {"ELIBSCN", 81},
    {"ELNRNG", 48}, {"ELOOP", 40}, {"EMEDIUMTYPE", 124}, {"EMFILE", 24},
    {"EMLINK", 31}, {"EMSGSIZE", 90}, {"EMULTIHOP", 72}, {"ENAMETOOLONG", 36},
    {"ENAVAIL", 119}, {"ENETDOWN", 100}, {"ENETRESET", 102}, {"ENETUNREACH", 101},
    {"ENFILE", 23}, {"ENOANO", 55}, {"ENOBUFS", 105}, {"ENOCSI", 50},
    {"ENODATA", 61}, {"ENODEV", 19}, {"ENOENT", 2}, {"ENOEXEC", 8},
    {"ENOKEY", 126}, {"ENOLCK", 37}, {"ENOLINK", 67}, {"ENOMEDIUM", 123},
    {"ENOMEM", 12}, {"ENOMSG", 42}, {"ENONET", 64}, {"ENOPKG", 65},
    {"ENOPROTOOPT", 92}, {"ENOSPC", 28}, {"ENOSR", 63}, {"ENOSTR", 60},
    {"ENOSYS", 38}, {"ENOTBLK", 15}, {"ENOTCONN", 107}, {"ENOTDIR", 20},
    {"ENOTEMPTY", 39}, {"ENOTNAM", 118}, {"ENOTRECOVERABLE", 131}, {"ENOTSOCK", 88},
    {"ENOTSUP", 95}, {"ENOTTY", 25}, {"ENOTUNIQ", 76}, {"ENXIO", 6},
    {"EOPNOTSUPP", 95}, {"EOVERFLOW", 75}, {"EOWNERDEAD", 130}, {"EPERM", 1},
    {"EPFNOSUPPORT", 96}, {"EPIPE", 32}, {"EPROTO", 71}, {"EPROTONOSUPPORT", 93},
    {"EPROTOTYPE", 91}, {"ERANGE", 34}, {"EREMCHG", 78}, {"EREMOTE", 66},
    {"EREMOTEIO", 121}, {"ERESTART", 85}, {"ERFKILL", 132}, {"EROFS", 30},
    {"ESHUTDOWN", 108}, {"ESOCKTNOSUPPORT", 94}, {"ESPIPE", 29}, {"ESRCH", 3},
    {"ESRMNT", 69}, {"ESTALE", 116}, {"ESTRPIPE", 86}, {"ETIME", 62},
    {"ETIMEDOUT", 110}, {"ETOOMANYREFS", 109}, {"ETXTBSY", 26}, {"EUCLEAN", 117},
    {"EUNATCH", 49}, {"EUSERS", 87}, {"EWOULDBLOCK", 11}, {"EXDEV", 18},
    {"EXFULL", 54},
    // clang-format on
};
constexpr int32_t kInputOutputError = 5;

}  // namespace

StraceLine split_strace_line(std::string_view text) {
  StraceLine line;
  // strace -k prints stack frames.
  if (begins(text, " > ")) {
    line.kind = StraceLine::LineKind::remark;
    return line;
  }
  take_thread(text, line);
  take_time(text, line);
  skip_spaces(text);
  skip_brackets(text);
  split_event(text, line);
  return line;
}

bool split_strace_call(std::string_view rest, StraceCall& call) {
  call.clear();
  const size_t end = split_arguments(rest, call);
  if (end == std::string_view::npos) return false;
  if (!split_strace_result(rest.substr(end), call)) return false;
  call.duration_ns = strace_duration_ns(rest);
  return true;
}

bool split_strace_result(std::string_view text, StraceCall& call) {
  skip_spaces(text);
  if (!skip(text, "= ")) return false;
  if (text.starts_with('?') || text.starts_with('<')) return true;
  size_t end = 0;
  while (end < text.size() && (is_word(text[end]) || text[end] == '-')) ++end;
  const auto value = parse_strace_number(text.substr(0, end));
  if (!value || (end < text.size() && text[end] != ' ' && text[end] != '<')) return false;
  call.has_result = true;
  call.result = *value;
  if (end < text.size() && text[end] == '<') {
    const size_t close = end_of_annotation(text, end);
    if (close == std::string_view::npos) return false;
    call.result_annotation = text.substr(end + 1, close - end - 2);
  }
  text.remove_prefix(end);
  skip_spaces(text);
  if (*value == -1) take_name(text, call.error);
  return true;
}

void split_strace_front(std::string_view front, StraceCall& call) {
  call.clear();
  if (front.ends_with(' ')) front.remove_suffix(1);
  split_arguments(front, call);
}

int64_t strace_duration_ns(std::string_view rest) {
  if (!rest.ends_with('>')) return -1;
  const size_t open = rest.rfind('<');
  if (open == std::string_view::npos) return -1;
  std::string_view inside = rest.substr(open + 1, rest.size() - open - 2);
  int64_t seconds = 0;
  if (!take_number(inside, seconds) || seconds > kFirstUnixTime) return -1;
  const int64_t fraction_ns = take_fraction_ns(inside);
  return inside.empty() ? seconds * 1'000'000'000 + fraction_ns : -1;
}

std::optional<StraceDescriptor> parse_descriptor(std::string_view argument) {
  StraceDescriptor descriptor;
  if (!take_number(argument, descriptor.number)) {
    // The other two are written by -X verbose and -X raw.
    if (!skip(argument, "AT_FDCWD") && !skip(argument, "-100 /* AT_FDCWD */") &&
        !skip(argument, "-100"))
      return std::nullopt;
    descriptor.number = kStraceCwd;
  }
  if (argument.empty()) return descriptor;
  if (argument.front() != '<') return std::nullopt;
  const size_t close = argument.rfind('>');
  if (close == std::string_view::npos) return std::nullopt;
  descriptor.has_annotation = true;
  descriptor.annotation = argument.substr(1, close - 1);
  return descriptor;
}

std::optional<int64_t> parse_strace_number(std::string_view argument) {
  const bool is_negative = skip(argument, "-");
  uint64_t value = 0;
  if (skip(argument, "0x")) {
    const char* all = argument.data() + argument.size();
    const auto [end, error] = std::from_chars(argument.data(), all, value, 16);
    if (error != std::errc() || end != all) return std::nullopt;
  } else if (!take_number(argument, value) || !argument.empty()) {
    return std::nullopt;
  }
  const auto bits = static_cast<int64_t>(value);
  return is_negative ? static_cast<int64_t>(0 - value) : bits;
}

bool has_strace_flag(std::string_view argument, const StraceFlag& flag) {
  if (argument.find(flag.name) != std::string_view::npos) return true;
  if (argument.starts_with("O_")) return false;  // all flags of an open have names
  for (const std::string_view front : {"flags=", "flags: "})
    if (const size_t at = argument.find(front); at != std::string_view::npos)
      argument.remove_prefix(at + front.size());
  size_t end = 0;
  while (end < argument.size() && is_word(argument[end])) ++end;
  if (end == 0 || !is_digit(argument.front())) return false;
  const auto number = parse_strace_number(argument.substr(0, end));
  return number && (static_cast<uint64_t>(*number) & flag.mask) == flag.bits;
}

bool unescape_strace(std::string_view text, std::string& out) {
  out.clear();
  for (size_t at = 0; at < text.size();) {
    const size_t plain = std::min(text.find('\\', at), text.size());
    out += text.substr(at, plain - at);
    at = plain;
    if (at == text.size()) break;
    if (++at == text.size()) return false;
    if (!unescape_one(text, at, out)) return false;
  }
  return true;
}

bool parse_strace_string(std::string_view argument, std::string& out) {
  if (!skip(argument, "\"") || !argument.ends_with('"')) return false;
  argument.remove_suffix(1);
  return unescape_strace(argument, out);
}

int32_t os_error_of_name(std::string_view name) {
  const auto* found = std::ranges::lower_bound(kErrors, name, {}, &NamedError::name);
  if (found == std::end(kErrors) || found->name != name) return kInputOutputError;
  return found->number;
}

}  // namespace seekless
