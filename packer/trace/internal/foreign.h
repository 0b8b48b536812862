// Recognises recordings that no dialect reads, so that the refusal can name the command that
// converts them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace seekless {

struct Foreign {
  std::string_view what;
  std::string_view advice;  // FILE stands for the recording's name
};

// `front` is the beginning of the unpacked file.
std::optional<Foreign> recognise_foreign(std::string_view front);
// Checks a front that no dialect but the list takes. These tools' lines may stand before a
// dialect's lines, so dialects are tried first.
std::optional<Foreign> recognise_foreign_if_no_dialect(std::string_view front);

}  // namespace seekless
