// Declares what all commands share: how they join the command line, and how they answer.
// A command is one file: it declares its options, and sets `chosen` when it is the one asked for.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "packer/base/error.h"
#include "packer/words/counted.h"     // megabytes(), counted(), for all that is told
#include "packer/words/plain_text.h"  // printable(), for all that is printed

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

// Tells which bytes "20k" is.
enum class SizeUnits { none, powers_of_1024, powers_of_1000 };

// Describes an option, or an argument that has no name on the command line.
struct OptionText {
  std::string name;        // "-o,--output"; of an argument what the help calls it, "TRACE"
  std::string takes = {};  // stands for the value; by default the values, or the range
  std::string help = {};   // a phrase without a full stop
  std::string usual =
      {};  // tells the default in words; by default the target's value, if it has one
  std::vector<std::string> values = {};
  std::optional<OptionRange> range = {};
  SizeUnits size = SizeUnits::none;
  std::function<std::string(const std::string&)> check = {};  // returns what is wrong, or ""
  std::vector<std::string> not_with = {};                     // options declared before
  bool is_required = false;
  bool takes_list =
      false;  // all words up to the next option; otherwise a list's option is repeated
  bool is_hidden = false;
};

// Points to where the value goes. A bool is a flag; a list takes several values.
using OptionTarget =
    std::variant<bool*, std::string*, std::optional<std::string>*, std::vector<std::string>*,
                 uint32_t*, uint64_t*, std::optional<uint64_t>*, int32_t*, int64_t*, double*,
                 std::optional<double>*>;

struct DeclaredTool;

// Declares one command, or the tool itself. Copies declare the same one.
class Command {
 public:
  explicit Command(DeclaredTool& tool);

  // The help lists commands that are added to the copy under `title`, and none if that is empty.
  Command group(const char* title) const;
  // Adds a command below this one.
  Command add(const std::string& name, const std::string& help) const;
  // The target must live as long as the tool.
  template <typename T>
    requires std::constructible_from<OptionTarget, T*>
  void option(const OptionText& text, T& target) const {
    declare(text, &target);
  }
  void footer(const std::string& text) const;
  // Sets what the command does.
  void runs(Action action) const;
  // No line on the terminal tells how far it is: it tells that itself, or has nothing to tell.
  void without_progress() const;
  // One of the commands below it has to be named.
  void needs_command() const;
  // Takes all that follows without looking at it: options, and what stands after "--".
  void takes_any_words() const;

  // After parsing: whether the command line has the option, and all that it has, in its order.
  bool has(const std::string& option) const;
  std::vector<std::string> options_in_order() const;

  const DeclaredTool& tool() const { return *tool_; }
  const std::string& version() const;  // "seekless 1.0"

 private:
  Command(DeclaredTool& tool, CLI::App& app, size_t index)
      : tool_(&tool), app_(&app), index_(index) {}
  void declare(const OptionText& text, OptionTarget target) const;

  DeclaredTool* tool_;
  CLI::App* app_;
  size_t index_;  // among the tool's described commands
  const char* group_ = nullptr;
};

// Where a command's answer goes: text for people on standard output, JSON where --json says. With
// "--json -" the JSON alone goes to standard output.
class Output {
 public:
  // One that prints nothing, and keeps what there is to warn of in `warnings`, which outlives it.
  static Output collecting(std::vector<std::string>& warnings);

  // Adds the option --json to `command`.
  void add_option(const Command& command);
  // Adds the option --verbose to `command`, for what few want to read.
  void add_verbose(const Command& command);
  // Prints a line for people.
  void line(std::string_view text) const;
  // The same, if --verbose asks for it.
  void detail(std::string_view text) const;
  // A line on standard error, from "seekless: warning: ".
  void warn(std::string_view text) const;
  bool is_verbose() const { return is_verbose_; }
  bool wants_json() const;
  // Writes the JSON, if it was asked for.
  Result<void> result(const Json& json) const;

 private:
  std::string json_path_;
  bool is_verbose_ = false;
  std::vector<std::string>* warnings_ = nullptr;
};

// To standard error: on a terminal, lines are broken between words.
void say_to_person(std::string_view text);

}  // namespace seekless
