#include "packer/window/internal/desktop_entry.h"

#include "packer/words/plain_text.h"

namespace seekless {
namespace {

constexpr std::string_view kMark = "X-Seekless=true";

// Quotes a word for Exec, as the standard says: quotation marks around each word, and a backslash
// before ", `, $ and \. The rules for values of the file double each backslash. A percent sign is
// doubled.
std::string exec_word(std::string_view word) {
  std::string quoted = "\"";
  for (const char c : word) {
    if (c == '"' || c == '`' || c == '$') quoted += "\\\\";
    if (c == '\\') quoted += "\\\\\\";
    if (c == '%') quoted += '%';
    if (c == '\n') {
      quoted += "\\n";
      continue;
    }
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace

std::string desktop_entry(const std::string& name, const std::vector<std::string>& command) {
  std::string title = clean_line(name);
  for (size_t at = title.find('\\'); at != std::string::npos; at = title.find('\\', at + 2))
    title.insert(at, "\\");
  std::string exec;
  for (const std::string& word : command) exec += (exec.empty() ? "" : " ") + exec_word(word);
  return "[Desktop Entry]\nType=Application\nName=" + title + " (seekless)\nExec=" + exec +
         "\nCategories=Game;\nTerminal=false\n" + std::string(kMark) + "\n";
}

bool is_own_desktop_entry(std::string_view text) {
  return text.contains("\n" + std::string(kMark) + "\n");
}

}  // namespace seekless
