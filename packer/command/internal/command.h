// Declares what all commands share: how they join the command line, and how they answer. Each
// command is one file, which declares its options and names the function to run.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "packer/base/error.h"
#include "packer/words/counted.h"     // megabytes(), counted(): used in all answers
#include "packer/words/plain_text.h"  // printable(): used for all printed text

namespace CLI {
class App;
}

namespace seekless {

using Action = std::function<Result<void>()>;
using Json = nlohmann::ordered_json;

struct OptionRange {
  double least;
  double most;  // may be infinite
};

// Selects the meaning of "20k".
enum class SizeUnits { none, powers_of_1024, powers_of_1000 };

// Describes an option, or an argument that has no name on the command line.
struct OptionText {
  std::string name;        // "-o,--output"; for an argument, its name in the help: "TRACE"
  std::string takes = {};  // placeholder for the value; by default the values, or the range
  std::string help = {};   // a phrase without a full stop
  std::string usual =
      {};  // the default in words; otherwise the target's initial value, if it has one
  std::vector<std::string> values = {};
  std::optional<OptionRange> range = {};
  SizeUnits size = SizeUnits::none;
  // Returns an error message, or "" if the value is fine.
  std::function<std::string(const std::string&)> check = {};
  // Options that can't be combined with it, declared earlier.
  std::vector<std::string> not_with = {};
  std::vector<std::string> only_with = {};  // options that must be given with this one
  bool is_required = false;
  // True if the option takes all words up to the next option; otherwise it is repeated for each
  // value.
  bool takes_list = false;
  bool is_hidden = false;
};

// Points to where the value is stored. A bool is a flag; a list takes several values.
using OptionTarget =
    std::variant<bool*, std::string*, std::optional<std::string>*, std::vector<std::string>*,
                 uint32_t*, uint64_t*, std::optional<uint64_t>*, int32_t*, int64_t*, double*,
                 std::optional<double>*>;

// True if a value of this type is a number, so that its word on the command line must be one.
template <typename T>
inline constexpr bool kIsNumber = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
template <typename T>
inline constexpr bool kIsNumber<std::optional<T>> = kIsNumber<T>;

struct DeclaredTool;

// Declares one command, or the tool itself. Copies refer to the same command.
class Command {
 public:
  explicit Command(DeclaredTool& tool);

  // Returns a copy. Commands that are added to it are listed in the help under `title`, or hidden
  // if that is empty.
  Command group(const char* title) const;
  // Adds a subcommand.
  Command add(const std::string& name, const std::string& help) const;
  // Adds an option or an argument. The target must live as long as the tool.
  template <typename T>
    requires std::constructible_from<OptionTarget, T*>
  void option(const OptionText& text, T& target) const {
    declare(text, &target);
  }
  void footer(const std::string& text) const;
  // Sets what the command does.
  void runs(Action action) const;
  // Turns off the progress line, for a command that shows its progress itself or has none to show.
  void without_progress() const;
  // Requires one of the subcommands.
  void needs_command() const;
  // Accepts all following words unparsed: options, and words after "--".
  void takes_any_words() const;

  // These can be called after parsing. has() tells if the option was given; options_in_order()
  // lists all given options.
  bool has(const std::string& option) const;
  std::vector<std::string> options_in_order() const;
  // Returns the words after "--", which only 'play' separates; none if there is no "--".
  const std::optional<std::vector<std::string>>& words_apart() const;

  // Returns this command line without the words `without`, and with the words `with` at the end or
  // before a "--". Empty if one of `without` isn't a word by itself, such as '-n' in '-nv'.
  std::vector<std::string> again(const std::vector<std::string>& without,
                                 const std::vector<std::string>& with = {}) const;

  const DeclaredTool& tool() const { return *tool_; }
  const std::string& version() const;  // "seekless 1.0"

 private:
  Command(DeclaredTool& tool, CLI::App& app, size_t index)
      : tool_(&tool), app_(&app), index_(index) {}
  void declare(const OptionText& text, OptionTarget target) const;

  DeclaredTool* tool_;
  CLI::App* app_;
  size_t index_;  // index in the tool's described commands
  const char* group_ = nullptr;
};

// Receives a command's answer: text goes to standard output, JSON goes where --json says. With
// "--json -", only the JSON goes to standard output.
class Output {
 public:
  // Makes one that prints nothing, and collects warnings in `warnings`, which must outlive it.
  static Output collecting(std::vector<std::string>& warnings);

  // Adds the option --json to `command`.
  void add_option(const Command& command);
  // Adds the option --verbose to `command`, for details that few people want.
  void add_verbose(const Command& command);
  // Prints a line for people.
  void line(std::string_view text) const;
  // Prints a line for people if --verbose is given.
  void detail(std::string_view text) const;
  // Prints a line on standard error, which begins with "seekless: warning: ".
  void warn(std::string_view text) const;
  // Prints the recommended next command, ready to copy, as the last line of an answer; in the JSON
  // it is "next". `words` follow "seekless"; an empty list prints nothing.
  void next(const std::vector<std::string>& words) const;
  // Returns the line of next() instead, for a command whose standard output belongs to another
  // program.
  std::string next_line(const std::vector<std::string>& words) const;
  bool is_verbose() const { return is_verbose_; }
  bool wants_json() const;
  const std::string& json_path() const { return json_path_; }  // empty: no JSON is wanted
  bool json_goes_to_stdout() const { return json_path_ == "-"; }
  // Fails early if result() couldn't write the JSON, for commands that take long.
  Result<void> try_result() const;
  // Writes the JSON, if it was asked for.
  Result<void> result(const Json& json) const;

 private:
  void put(std::string_view text, bool breaks_lines) const;

  std::string json_path_;
  bool is_verbose_ = false;
  std::vector<std::string>* warnings_ = nullptr;
  mutable std::string next_;  // the command line given to next(); empty: none
};

// Prints a text on standard error. On a terminal, lines are broken between words.
void say_to_person(std::string_view text);

}  // namespace seekless
