// Spells paths as Linux' table of mounts does.
#pragma once

#include <string>

#include <fmt/format.h>

namespace seekless {

// A space, a tab, a line end and '\' become '\' and three digits.
inline std::string in_mount_table(const std::string& path) {
  std::string text;
  for (const char letter : path)
    text += letter == ' ' || letter == '\t' || letter == '\n' || letter == '\\'
                ? fmt::format("\\{:03o}", static_cast<unsigned>(letter))
                : std::string(1, letter);
  return text;
}

}  // namespace seekless
