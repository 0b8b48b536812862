#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "packer/command/internal/completion.h"
#include "packer/command/internal/completion_words.h"

namespace seekless {
namespace {

// Quotes a text for fish, which has two escapes within single quotes.
std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
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
                         fish_quoted(brief_of_subcommand(commands, command, word)));
    for (const DescribedOption& option : command.options)
      if (!option.is_positional) out += fish_option(command, option);
  }
  return out;
}

}  // namespace seekless
