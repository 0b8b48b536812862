// Parses one line of strace's text: who, when, which call, its arguments and result. This file
// knows only the grammar; strace.cpp knows what the calls mean. It allocates nothing; all results
// point into the line.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace seekless {

// Lists how lines may be stamped: -ttt, -tt or -t, -r, or not at all.
enum class StraceClock : uint8_t { none, relative, time_of_day, unix_time };

struct StraceLine {
  enum class LineKind : uint8_t {
    call,        // "read(3, "..., 5) = 5": `rest` is what follows the first parenthesis
    unfinished,  // the same, with " <unfinished ...>" removed from its end
    resumed,     // "<... read resumed>..., 5) = 5": `rest` is what follows '>'
    exited,      // "+++ exited with 0 +++"
    attached,    // "strace: Process 7 attached"; `rest` holds the front of a call printed before it
    remark,      // signals, strace's own messages, stack traces: nothing about files
    unknown,     // no known kind; `rest` is the whole line
  };
  LineKind kind = LineKind::unknown;
  StraceClock clock = StraceClock::none;
  std::optional<uint32_t> thread;  // missing without -f
  int64_t time_ns = 0;             // in the unit and epoch of the line's clock
  std::string_view name;           // the call's name
  std::string_view rest;
  uint32_t attached_thread = 0;
  int64_t duration_ns = -1;  // the call's duration, if it isn't in `rest`
};

StraceLine split_strace_line(std::string_view text);

struct StraceCall {
  static constexpr size_t kMaxArguments = 8;  // no call about files has more

  // Only the first `count` belong to this call; clear() leaves the others as they were.
  std::array<std::string_view, kMaxArguments> arguments = {};
  size_t count = 0;         // number of arguments; those beyond the maximum aren't kept
  bool has_result = false;  // false for "?" and calls that never returned
  int64_t result = 0;
  std::string_view error;              // "ENOENT", if the result is -1
  std::string_view result_annotation;  // text in <...> after the result
  int64_t duration_ns = -1;            // given by -T; -1 without

  // Prepares it for the next line, which costs less than a new object.
  void clear() {
    count = 0;
    has_result = false;
    result = 0;
    error = result_annotation = {};
    duration_ns = -1;
  }
  std::string_view argument(size_t index) const {
    return index < count ? arguments[index] : std::string_view{};
  }
};

// `rest` comes from a line of kind `call`. Returns false if it is malformed.
bool split_strace_call(std::string_view rest, StraceCall& call);

// Parses the text after the closing parenthesis alone: " = 4</g/a.pak>", "= -1 ENOENT (...)".
bool split_strace_result(std::string_view text, StraceCall& call);

// Splits the first part of the arguments of a call that hasn't ended.
void split_strace_front(std::string_view front, StraceCall& call);

// Returns the duration at the end of a line with -T, or -1.
int64_t strace_duration_ns(std::string_view rest);

struct StraceDescriptor {
  int32_t number = -1;          // -100 for AT_FDCWD
  bool has_annotation = false;  // the descriptor is followed by its path (-y)
  std::string_view annotation;  // text in <...>, still escaped
};

inline constexpr int32_t kStraceCwd = -100;

// Parses "3", "3</g/a.pak>", "5</g/b>(deleted)" or "AT_FDCWD</home>".
std::optional<StraceDescriptor> parse_descriptor(std::string_view argument);
// Parses a decimal number, or a hexadecimal one after "0x"; a minus sign is allowed.
std::optional<int64_t> parse_strace_number(std::string_view argument);

// Describes a flag by its name, without a prefix such as "O_" that perf leaves out, and by its
// number, for -X raw: the flag is set if the number has these `bits` under `mask`. The numbers are
// x86-64's, which most machines share.
struct StraceFlag {
  std::string_view name;
  uint64_t bits;
  uint64_t mask;
};
// Finds a flag in "O_RDONLY|O_CLOEXEC", "0x80000" or "0x80000 /* O_CLOEXEC */", even after
// "flags=", or perf's "flags: ", in a longer text.
bool has_strace_flag(std::string_view argument, const StraceFlag& flag);

// This ends the first half of a call that was interrupted by another thread's call.
inline constexpr std::string_view kStraceUnfinished = "<unfinished ...>";

// Undoes escapes into `out`: \n \t \r \v \f \" \\ \ooo \xhh. Returns false if one is malformed.
bool unescape_strace(std::string_view text, std::string& out);
// Removes a string's quotes and undoes its escapes. Returns false if the text is no string, or was
// cut ("..."...).
bool parse_strace_string(std::string_view argument, std::string& out);

// Returns the number of an error on Linux by its name; EIO (5) for an unknown name.
int32_t os_error_of_name(std::string_view name);

}  // namespace seekless
