// Recognises recordings that no dialect reads. The refusal then names the command that converts
// them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace seekless {

struct Foreign {
  std::string_view what;
  std::string_view advice;  // the command, with FILE for the recording's name
};

// `front` is the beginning of the unpacked file.
std::optional<Foreign> recognise_foreign(std::string_view front);
// Checks a front that only the list dialect accepts. Lines of these tools may stand before a
// dialect's own lines, so dialects are tried first.
std::optional<Foreign> recognise_foreign_if_no_dialect(std::string_view front);

}  // namespace seekless
