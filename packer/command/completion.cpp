#include "packer/command/completion.h"

#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace seekless {
namespace {

// In single quotes, as bash and zsh take them.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// fish knows two escapes within single quotes.
std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

// Up to the first sentence's end: a list has one line for each.
std::string brief(std::string_view description) {
  return std::string(description.substr(0, description.find_first_of(";\n")));
}

bool takes_files(const DescribedCommand& command) {
  for (const DescribedOption& option : command.options)
    if (option.is_positional) return true;
  return false;
}

const DescribedCommand& find(const std::vector<DescribedCommand>& commands, std::string_view path) {
  for (const DescribedCommand& command : commands)
    if (command.path() == path) return command;
  return commands.front();
}

std::string below(const DescribedCommand& command, std::string_view word) {
  return command.words.empty() ? std::string(word) : fmt::format("{} {}", command.path(), word);
}

// A case of bash: what may stand behind an option.
std::string bash_value(const DescribedOption& option) {
  if (option.is_positional || option.takes == Takes::nothing) return {};
  std::string answer = "takes=text";
  if (option.takes == Takes::file) answer = "takes=file";
  if (option.takes == Takes::folder) answer = "takes=folder";
  if (option.takes == Takes::one_of)
    answer =
        fmt::format("takes=list list={}", quoted(fmt::format("{}", fmt::join(option.values, " "))));
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
      quoted(command.path()), quoted(options), quoted(words), takes_files(command) ? "yes" : "''",
      values.empty() ? "" : fmt::format("      case $before in\n{}      esac\n", values));
}

// "' pack'|'drive list'": what the command so far and the next word make a command of.
std::string command_patterns(const std::vector<DescribedCommand>& commands) {
  std::vector<std::string> patterns;
  for (const DescribedCommand& command : commands)
    if (!command.words.empty()) patterns.push_back(quoted(command.path()));
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

// zsh: in brackets and between colons.
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
      // Its value may stand behind '=' as well.
      const bool has_equals = option.takes != Takes::nothing && name.starts_with("--");
      out += " \\\n        " +
             quoted(fmt::format("{}{}{}[{}]{}", star, name, has_equals ? "=" : "",
                                zsh_text(brief(option.description)), zsh_action(option)));
    }
  }
  if (!command.subcommands.empty()) return out + " \\\n        '1: :->command' '*:: :->rest'";
  return out + (takes_files(command) ? " \\\n        '*:file:_files'" : "");
}

std::string zsh_case(const std::vector<DescribedCommand>& commands,
                     const DescribedCommand& command) {
  std::string out =
      fmt::format("    {})\n      {}\n", quoted(command.path()), zsh_arguments(command));
  if (!command.subcommands.empty()) {
    out += "      words_below=(\n";
    for (const std::string& word : command.subcommands)
      out +=
          "        " +
          quoted(fmt::format("{}:{}", word,
                             zsh_text(brief(find(commands, below(command, word)).description)))) +
          "\n";
    out += "      )\n";
  }
  return out + "      ;;\n";
}

constexpr std::string_view kFishHead =
    R"sh(# fish completion for seekless; made by 'seekless completion fish'
function __seekless_command
    set -l command
    for word in (commandline -opc)[2..-1]
        set -l next (string join ' ' -- $command $word)
        switch $next
)sh";

std::string fish_option(const DescribedCommand& command, const DescribedOption& option) {
  std::string out = fmt::format("complete -c seekless -n {}",
                                fish_quoted(fmt::format("__seekless_is '{}'", command.path())));
  for (const std::string& name : option.names)
    out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (option.takes == Takes::file) out += " -r -F";
  if (option.takes == Takes::folder) out += " -x -a '(__fish_complete_directories)'";
  if (option.takes == Takes::text) out += " -x";
  if (option.takes == Takes::one_of)
    out += " -x -a " + fish_quoted(fmt::format("{}", fmt::join(option.values, " ")));
  return out + " -d " + fish_quoted(brief(option.description)) + "\n";
}

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
  // What stands behind "--" is another program's.
  for (const DescribedCommand& command : commands) out += bash_case(command);
  return out + std::string(kBashTail);
}

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

std::string fish_completion(const std::vector<DescribedCommand>& commands) {
  std::string out(kFishHead);
  std::string names;
  for (const DescribedCommand& command : commands)
    if (!command.words.empty()) names += " " + fish_quoted(command.path());
  out += fmt::format("            case{}\n                set command $next\n", names);
  out += R"sh(        end
    end
    string join ' ' -- $command
end
function __seekless_is
    set -l command (__seekless_command)
    test "$command" = "$argv[1]"
end
complete -c seekless -e
)sh";
  for (const DescribedCommand& command : commands) {
    const std::string condition = fish_quoted(fmt::format("__seekless_is '{}'", command.path()));
    if (!takes_files(command)) out += fmt::format("complete -c seekless -n {} -f\n", condition);
    for (const std::string& word : command.subcommands)
      out += fmt::format("complete -c seekless -n {} -a {} -d {}\n", condition, word,
                         fish_quoted(brief(find(commands, below(command, word)).description)));
    for (const DescribedOption& option : command.options)
      if (!option.is_positional) out += fish_option(command, option);
  }
  return out;
}

}  // namespace seekless
