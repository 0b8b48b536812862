// Declares what all commands share: how they join the command line, and how they answer.
// A command is one file: it declares its options, and sets `chosen` when it is the one asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "packer/base/error.h"
#include "packer/words/counted.h"     // megabytes(), counted(), for all that is told
#include "packer/words/plain_text.h"  // printable(), for all that is printed

namespace seekless {

using Action = std::function<Result<void>()>;
using Json = nlohmann::ordered_json;

void add_record(CLI::App& app, Action& chosen);
void add_mark(CLI::App& app, Action& chosen);
void add_import(CLI::App& app, Action& chosen);
void add_profile(CLI::App& app, Action& chosen);
void add_plan(CLI::App& app, Action& chosen);
void add_pack(CLI::App& app, Action& chosen);
void add_init(CLI::App& app, Action& chosen);
void add_build(CLI::App& app, Action& chosen);
void add_repack(CLI::App& app, Action& chosen);
void add_restore(CLI::App& app, Action& chosen);
void add_verify(CLI::App& app, Action& chosen);
void add_info(CLI::App& app, Action& chosen);
void add_list(CLI::App& app, Action& chosen);
void add_cat(CLI::App& app, Action& chosen);
void add_extract(CLI::App& app, Action& chosen);
void add_diff(CLI::App& app, Action& chosen);
void add_patch(CLI::App& app, Action& chosen);
void add_apply(CLI::App& app, Action& chosen);
void add_drive(CLI::App& app, Action& chosen);
void add_analyze(CLI::App& app, Action& chosen);
void add_report(CLI::App& app, Action& chosen);
void add_simulate(CLI::App& app, Action& chosen);
void add_where(CLI::App& app, Action& chosen);
void add_place(CLI::App& app, Action& chosen);
void add_mount(CLI::App& app, Action& chosen);
void add_play(CLI::App& app, Action& chosen);
void add_warm(CLI::App& app, Action& chosen);
void add_emit(CLI::App& app, Action& chosen);
void add_completion(CLI::App& app, Action& chosen);
void add_manual(CLI::App& app, Action& chosen);

// Where a command's answer goes: text for people on standard output, JSON where --json says. With
// "--json -" the JSON alone goes to standard output.
class Output {
 public:
  // One that prints nothing, and keeps what there is to warn of in `warnings`, which outlives it.
  static Output collecting(std::vector<std::string>& warnings);

  // Adds the option --json to `command`.
  void add_option(CLI::App& command);
  // Adds the option --verbose to `command`, for what few want to read.
  void add_verbose(CLI::App& command);
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
