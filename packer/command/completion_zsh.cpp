#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "packer/command/internal/completion.h"
#include "packer/command/internal/completion_words.h"

namespace seekless {
namespace {

// Escapes a text for zsh, where it stands in brackets and between colons.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("[]:\\").contains(c)) out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const DescribedOption& option) {
  switch (option.takes) {
    case Takes::nothing:
      return {};
    case Takes::file:
      return ":file:_files";
    case Takes::folder:
      return ":folder:_files -/";
    case Takes::one_of:
      return fmt::format(":value:({})", fmt::join(option.values, " "));
    case Takes::text:
      break;
  }
  return fmt::format(":{}: ", zsh_text(option.placeholder));
}

std::string zsh_arguments(const DescribedCommand& command) {
  std::string out = "_arguments -S";
  for (const DescribedOption& option : command.options) {
    if (option.is_positional) continue;
    const std::string star = option.is_repeatable ? "*" : "";
    for (const std::string& name : option.names) {
      // The value may also stand after '='.
      const bool has_equals = option.takes != Takes::nothing && name.starts_with("--");
      out += " \\\n        " +
             in_quotes(fmt::format("{}{}{}[{}]{}", star, name, has_equals ? "=" : "",
                                   zsh_text(brief(option.description)), zsh_action(option)));
    }
  }
  if (!command.subcommands.empty()) return out + " \\\n        '1: :->command' '*:: :->rest'";
  return out + (takes_files(command) ? " \\\n        '*:file:_files'" : "");
}

std::string zsh_case(const std::vector<DescribedCommand>& commands,
                     const DescribedCommand& command) {
  std::string out =
      fmt::format("    {})\n      {}\n", in_quotes(command.path()), zsh_arguments(command));
  if (!command.subcommands.empty()) {
    out += "      words_below=(\n";
    for (const std::string& word : command.subcommands)
      out += fmt::format(
          "        {}\n",
          in_quotes(word + ":" + zsh_text(brief_of_subcommand(commands, command, word))));
    out += "      )\n";
  }
  return out + "      ;;\n";
}

}  // namespace

std::string zsh_completion(const std::vector<DescribedCommand>& commands) {
  std::string out =
      "#compdef seekless\n# zsh completion for seekless; made by 'seekless completion zsh'\n"
      "_seekless() {\n"
      "  local context state state_descr line\n  typeset -A opt_args\n"
      "  local -a words_below\n  local command=$1\n  case $command in\n";
  for (const DescribedCommand& command : commands) out += zsh_case(commands, command);
  out += R"sh(  esac
  case $state in
    command) _describe -t commands 'seekless command' words_below ;;
    rest) _seekless "$command${command:+ }${line[1]}" ;;
  esac
}
if [[ $funcstack[1] == _seekless ]]; then _seekless ''; else compdef "_seekless ''" seekless; fi
)sh";
  return out;
}

}  // namespace seekless
