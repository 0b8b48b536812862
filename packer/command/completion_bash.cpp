#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "packer/command/internal/completion.h"
#include "packer/command/internal/completion_words.h"

namespace seekless {
namespace {

// Returns a branch of a bash `case`, which lists the words that may follow an option.
std::string bash_value(const DescribedOption& option) {
  if (option.is_positional || option.takes == Takes::nothing) return {};
  std::string answer = "takes=text";
  if (option.takes == Takes::file) answer = "takes=file";
  if (option.takes == Takes::folder) answer = "takes=folder";
  if (option.takes == Takes::one_of)
    answer = fmt::format("takes=list list={}",
                         in_quotes(fmt::format("{}", fmt::join(option.values, " "))));
  return fmt::format("        {}) {} ;;\n", fmt::join(option.names, "|"), answer);
}

std::string bash_case(const DescribedCommand& command) {
  std::string options;
  std::string values;
  for (const DescribedOption& option : command.options) {
    values += bash_value(option);
    if (option.is_positional) continue;
    for (const std::string& name : option.names) options += (options.empty() ? "" : " ") + name;
  }
  std::string words = fmt::format("{}", fmt::join(command.subcommands, " "));
  return fmt::format(
      "    {})\n      options={}\n      words={}\n      files={}\n{}      ;;\n",
      in_quotes(command.path()), in_quotes(options), in_quotes(words),
      takes_files(command) ? "yes" : "''",
      values.empty() ? "" : fmt::format("      case $before in\n{}      esac\n", values));
}

// Returns a pattern that matches every command, such as "'pack'|'drive list'".
std::string command_patterns(const std::vector<DescribedCommand>& commands) {
  std::vector<std::string> patterns;
  for (const DescribedCommand& command : commands)
    if (!command.words.empty()) patterns.push_back(in_quotes(command.path()));
  return fmt::format("{}", fmt::join(patterns, "|"));
}

constexpr std::string_view kBashHead =
    R"sh(# bash completion for seekless; made by 'seekless completion bash'
_seekless() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local command='' next options='' words='' files='' takes='' list='' i
  # '--codec=raw' comes as three words.
  if [[ $word == = ]]; then
    word=''
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    next="$command${command:+ }${COMP_WORDS[i]}"
    case $next in
)sh";
constexpr std::string_view kBashTail = R"sh(  esac
  COMPREPLY=()
  case $takes in
    list) mapfile -t COMPREPLY < <(compgen -W "$list" -- "$word") ;;
    file) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    folder) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    text) ;;
    *)
      if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
      elif [[ $words ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
      elif [[ $files ]]; then
        takes=file
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
      fi
      ;;
  esac
  if [[ $takes == file || $takes == folder ]]; then compopt -o filenames 2>/dev/null; fi
}
complete -F _seekless seekless
)sh";

}  // namespace

std::string bash_completion(const std::vector<DescribedCommand>& commands) {
  std::string out(kBashHead);
  out += fmt::format("      {}) command=$next ;;\n      *\" --\")\n", command_patterns(commands));
  out += R"sh(        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        compopt -o filenames 2>/dev/null
        return
        ;;
    esac
  done
  case $command in
)sh";
  // The words after "--" belong to another program.
  for (const DescribedCommand& command : commands) out += bash_case(command);
  return out + std::string(kBashTail);
}

}  // namespace seekless
