// Takes one line of strace's text apart: who, when, which call, its arguments and result. It knows
// the grammar only; strace.cpp knows what the calls mean. Nothing here allocates; all results point
// into the line.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace seekless {

// Says how lines are stamped: -ttt, -tt or -t, -r, or not at all.
enum class StraceClock : uint8_t { none, relative, time_of_day, unix_time };

struct StraceLine {
  enum class LineKind : uint8_t {
    call,        // "read(3, "..., 5) = 5": `rest` is what follows the first parenthesis
    unfinished,  // the same, with " <unfinished ...>" removed from its end
    resumed,     // "<... read resumed>..., 5) = 5": `rest` is what follows '>'
    exited,      // "+++ exited with 0 +++"
    attached,    // "strace: Process 7 attached"; `rest` holds the front of a call that stood before
                 // it
    remark,      // signals, strace's own messages, stack traces: nothing about files
    unknown,     // none of these; `rest` is the whole line
  };
  LineKind kind = LineKind::unknown;
  StraceClock clock = StraceClock::none;
  std::optional<uint32_t> thread;  // missing without -f
  int64_t time_ns = 0;             // in the unit and epoch of the line's clock
  std::string_view name;           // name of the call
  std::string_view rest;
  uint32_t attached_thread = 0;
  int64_t duration_ns = -1;  // of the call, if it doesn't stand in `rest`
};

StraceLine split_strace_line(std::string_view text);

struct StraceCall {
  static constexpr size_t kMaxArguments = 8;  // more than any call about files has

  std::array<std::string_view, kMaxArguments> arguments = {};
  size_t count = 0;         // number of arguments; those beyond the maximum aren't kept
  bool has_result = false;  // false for "?" and calls that never returned
  int64_t result = 0;
  std::string_view error;              // "ENOENT", where the result is -1
  std::string_view result_annotation;  // text in <...> after the result
  int64_t duration_ns = -1;            // given by -T; -1 without

  std::string_view argument(size_t index) const {
    return index < count ? arguments[index] : std::string_view{};
  }
};

// `rest` comes from a line of kind `call`. Returns false if it is malformed.
bool split_strace_call(std::string_view rest, StraceCall& call);

// The same for what follows the closing parenthesis alone: " = 4</g/a.pak>", "= -1 ENOENT (...)".
bool split_strace_result(std::string_view text, StraceCall& call);

// Splits the arguments so far of a call that hasn't ended.
void split_strace_front(std::string_view front, StraceCall& call);

// Returns the duration at the end of a line with -T, or -1.
int64_t strace_duration_ns(std::string_view rest);

struct StraceDescriptor {
  int32_t number = -1;          // -100 for AT_FDCWD
  bool has_annotation = false;  // with -y
  std::string_view annotation;  // text in <...>, still escaped
};

inline constexpr int32_t kStraceCwd = -100;

// Parses "3", "3</g/a.pak>", "5</g/b>(deleted)" or "AT_FDCWD</home>".
std::optional<StraceDescriptor> parse_descriptor(std::string_view argument);
// Parses a decimal number, or a hexadecimal one after "0x"; a minus sign is allowed.
std::optional<int64_t> parse_strace_number(std::string_view argument);

// A flag by its name without a prefix such as "O_", which perf leaves out, or as -X raw has it:
// `bits` of the number, out of `mask`. Numbers are those of x86-64, which most other machines
// share.
struct StraceFlag {
  std::string_view name;
  uint64_t bits;
  uint64_t mask;
};
// "O_RDONLY|O_CLOEXEC", "0x80000", "0x80000 /* O_CLOEXEC */"; also after "flags=", or
// perf's "flags: ", in a longer text.
bool has_strace_flag(std::string_view argument, const StraceFlag& flag);

// The end of a call's first half, when another thread's call came between.
inline constexpr std::string_view kStraceUnfinished = "<unfinished ...>";

// Undoes escapes into `out`: \n \t \r \v \f \" \\ \ooo \xhh. Returns false if one is malformed.
bool unescape_strace(std::string_view text, std::string& out);
// Takes the quotes off a string and undoes its escapes. Returns false if it is no string, or was
// cut ("..."...).
bool parse_strace_string(std::string_view argument, std::string& out);

// Returns the number of an error on Linux by its name; EIO (5) for an unknown name.
int32_t os_error_of_name(std::string_view name);

}  // namespace seekless
