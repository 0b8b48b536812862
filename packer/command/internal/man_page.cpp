#include "packer/command/internal/man_page.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "packer/command/internal/roff.h"

namespace seekless {
namespace {

std::string lower_first(std::string text) {
  // A word in capitals is left as it is.
  if (text.size() > 1 && text[1] >= 'a' && text[1] <= 'z' && text[0] >= 'A' && text[0] <= 'Z')
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

std::string without_end(std::string text) {
  while (!text.empty() && text.back() == '.') text.pop_back();
  return text;
}

std::string synopsis(const DescribedCommand& command) {
  std::string out = ".SH SYNOPSIS\n" + bold("seekless");
  if (!command.words.empty()) out += " " + bold(command.path());
  out += std::string(" [") + italic("options") + "]";
  for (const DescribedOption& option : command.options) {
    if (!option.is_positional) continue;
    const std::string name = italic(option.names.front()) + (option.is_repeatable ? " ..." : "");
    out += option.is_required ? " " + name : " [" + name + "]";
  }
  if (!command.subcommands.empty()) out += " " + italic("command") + " ...";
  return out + "\n";
}

std::string option_entry(const DescribedOption& option) {
  std::string out = ".TP\n";
  for (size_t i = 0; i < option.names.size(); ++i)
    out += (i == 0 ? "" : ", ") +
           (option.is_positional ? italic(option.names[i]) : bold(option.names[i]));
  if (!option.is_positional && !option.placeholder.empty()) out += " " + italic(option.placeholder);
  out += "\n" + roff(option.description) + ".\n";
  const std::string values = fmt::format("{}", fmt::join(option.values, "|"));
  if (!option.is_positional && !values.empty() && option.placeholder != values)
    out += roff(fmt::format("One of {}.\n", fmt::join(option.values, ", ")));
  if (!option.default_text.empty()) out += "Default: " + roff(option.default_text) + ".\n";
  if (option.is_required && !option.is_positional) out += "Required.\n";
  return out;
}

std::string options_section(const DescribedCommand& command, bool positional) {
  std::string out;
  for (const DescribedOption& option : command.options)
    if (option.is_positional == positional) out += option_entry(option);
  if (out.empty()) return {};
  return fmt::format(".SH {}\n{}", positional ? "ARGUMENTS" : "OPTIONS", out);
}

std::string commands_section(const std::vector<DescribedCommand>& commands,
                             const DescribedCommand& command) {
  if (command.subcommands.empty()) return {};
  std::string out = ".SH COMMANDS\n";
  for (const DescribedCommand& sub : commands)
    if (sub.words.size() == command.words.size() + 1 &&
        std::equal(command.words.begin(), command.words.end(), sub.words.begin()))
      out += fmt::format(".TP\n{}(1)\n{}.\n", bold(man_page_name(sub)),
                         roff(without_end(sub.description)));
  return out;
}

std::string see_also(const std::vector<DescribedCommand>& commands,
                     const DescribedCommand& command) {
  std::vector<std::string> pages;
  for (const DescribedCommand& other : commands) {
    const bool is_near = other.words.size() <= 1 ||
                         other.words[0] == (command.words.empty() ? "" : command.words[0]);
    if (is_near && other.words != command.words)
      pages.push_back(bold(man_page_name(other)) + "(1)");
  }
  return fmt::format(".SH SEE ALSO\n{}\n", fmt::join(pages, ",\n"));
}

constexpr std::string_view kExitStatus =
    ".SH EXIT STATUS\n.TP\n0\nDone.\n.TP\n1\nFailed: the work couldn\\(aqt be done.\n.TP\n2\nWrong "
    "usage.\n.TP\n3\nAn input is damaged: it isn\\(aqt what it claims to be.\n";

}  // namespace

std::string man_page_name(const DescribedCommand& command) {
  std::string name = "seekless";
  for (const std::string& word : command.words) name += "-" + word;
  return name;
}

std::string man_page(const std::vector<DescribedCommand>& commands, const DescribedCommand& command,
                     std::string_view date, std::string_view version) {
  const std::string name = man_page_name(command);
  std::string out =
      fmt::format(".TH {} 1 {} \"{}\" \"User Commands\"\n", upper(name), date, version);
  out += fmt::format(".SH NAME\n{} \\- {}\n", roff(name),
                     roff(lower_first(without_end(command.description))));
  out += synopsis(command);
  out += options_section(command, true) + options_section(command, false) +
         commands_section(commands, command) + roff_sections(command.footer);
  return out + std::string(kExitStatus) + see_also(commands, command);
}

}  // namespace seekless
