#include "packer/project/depfile.h"

#include <set>

#include "packer/base/paths.h"

namespace seekless {
namespace {

// Escapes a path. Backslashes are doubled only before a space, like in GCC's depfiles.
std::string escaped(std::string_view path) {
  std::string out;
  size_t backslashes = 0;  // number of backslashes right before this character
  for (const char c : path) {
    if (c == ' ') out.append(backslashes + 1, '\\');
    if (c == '#' || c == ':') out += '\\';
    if (c == '$') out += '$';
    out += c;
    backslashes = c == '\\' ? backslashes + 1 : 0;
  }
  return out;
}

}  // namespace

bool can_be_in_depfile(std::string_view path) {
  if (path.empty() || path.front() == '~' || path.back() == ')' || path.back() == '\\')
    return false;
  char before = ' ';
  for (const char c : path) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || code == 0x7f) return false;
    if (std::string_view("*?\"'&;<>|^`=").contains(c)) return false;
    if (before == '\\' && std::string_view("#$:").contains(c)) return false;
    before = c;
  }
  return true;
}

Depfile make_depfile(std::string_view target, const std::vector<std::string>& inputs) {
  Depfile depfile;
  std::set<std::string> named;
  for (const std::string& input : inputs) {
    std::string name = input;
    if (!can_be_in_depfile(name)) {
      depfile.left_out.push_back(input);
      while (!can_be_in_depfile(name) && name != "." && name != "/")
        name = std::string(folder_above(name));
    }
    named.insert(std::move(name));
  }
  depfile.text = escaped(target) + ":";
  for (const std::string& name : named) depfile.text += " \\\n  " + escaped(name);
  depfile.text += "\n";
  // A rule for a name that contains % would be a pattern rule.
  for (const std::string& name : named)
    if (!name.contains('%')) depfile.text += "\n" + escaped(name) + ":\n";
  return depfile;
}

}  // namespace seekless
