#include "packer/trace/run_name.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "packer/base/ascii.h"
#include "packer/base/glob.h"
#include "packer/base/paths.h"

namespace seekless {
namespace {

constexpr std::array<std::string_view, 12> kTraceEndings = {".lz4",    ".gz",    ".zip",   ".zst",
                                                            ".strace", ".jsonl", ".trace", ".log",
                                                            ".txt",    ".csv",   ".pml",   ".xml"};

bool is_separator(char c) {
  return c == '-' || c == '_' || c == ' ';
}

// Removes digits from the end. Returns false, and removes nothing, if there are none.
bool take_number(std::string_view& text) {
  const size_t before = text.size();
  while (!text.empty() && is_digit(text.back())) text.remove_suffix(1);
  return text.size() < before;
}

// Removes "r" or "run" from the end, in either case, and one separator between it and a number.
bool take_run_word(std::string_view& text) {
  std::string_view rest = text;
  if (!rest.empty() && is_separator(rest.back())) rest.remove_suffix(1);
  for (const std::string_view word : {std::string_view("run"), std::string_view("r")}) {
    if (rest.size() < word.size()) continue;
    const std::string_view end = rest.substr(rest.size() - word.size());
    if (!std::ranges::equal(end, word, {}, lower_case)) continue;
    text = rest.substr(0, rest.size() - word.size());
    return true;
  }
  return false;
}

// Turns "a.2", "a.r2" and "a.run-2" into "a".
bool take_dotted_run(std::string_view& text) {
  std::string_view rest = text;
  if (!take_number(rest)) return false;
  if (!rest.ends_with('.')) take_run_word(rest);
  if (!rest.ends_with('.') || rest.size() == 1) return false;
  text = rest.substr(0, rest.size() - 1);
  return true;
}

// Turns "a (2)" into "a"; file managers name copies this way.
bool take_counted_run(std::string_view& text) {
  std::string_view rest = text;
  if (!rest.ends_with(')')) return false;
  rest.remove_suffix(1);
  if (!take_number(rest) || !rest.ends_with('(')) return false;
  rest.remove_suffix(1);
  while (rest.ends_with(' ')) rest.remove_suffix(1);
  if (rest.empty()) return false;
  text = rest;
  return true;
}

}  // namespace

std::string trace_stem(std::string_view path) {
  if (path == "-") return "trace";
  std::string_view stem = file_name(path);
  for (bool is_shorter = true; is_shorter;) {
    is_shorter = false;
    for (const std::string_view ending : kTraceEndings) {
      if (stem.size() <= ending.size() || !stem.ends_with(ending)) continue;
      stem.remove_suffix(ending.size());
      is_shorter = true;
    }
  }
  return std::string(stem);
}

std::string scenario_of_file(std::string_view path) {
  const std::string stem = trace_stem(path);
  std::string_view scenario = stem;
  if (!take_counted_run(scenario)) take_dotted_run(scenario);
  return std::string(scenario);
}

std::optional<std::string> likely_scenario(std::string_view scenario) {
  std::string_view rest = scenario;
  if (!take_number(rest)) return std::nullopt;
  std::string_view worded = rest;
  if (take_run_word(worded) && worded.size() > 1 && is_separator(worded.back())) rest = worded;
  if (rest.size() < 2 || !is_separator(rest.back())) return std::nullopt;
  while (!rest.empty() && is_separator(rest.back())) rest.remove_suffix(1);
  if (rest.empty()) return std::nullopt;
  return std::string(rest);
}

Result<RunRule> RunRule::parse(std::string_view text) {
  const size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0)
    return wrong_usage({.place = "--runs",
                        .expected = "GLOB=NAME, such as 'boot-*=boot'",
                        .found = fmt::format("'{}'", text)});
  return RunRule{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

const RunRule* rule_for(const std::vector<RunRule>& rules, std::string_view path) {
  const std::string stem = trace_stem(path);
  const auto fits = std::ranges::find_if(
      rules, [&](const RunRule& rule) { return matches_glob(rule.glob, stem); });
  return fits == rules.end() ? nullptr : &*fits;
}

std::string scenario_by_rules(const std::vector<RunRule>& rules, std::string_view path) {
  const RunRule* rule = rule_for(rules, path);
  if (rule == nullptr) return "";
  return rule->scenario.empty() ? trace_stem(path) : rule->scenario;
}

}  // namespace seekless
