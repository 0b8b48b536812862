// Recordings that people have and that no dialect reads: recognised, so that the refusal can say
// which command turns them into one that is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace seekless {

struct Foreign {
  std::string_view what;
  std::string_view advice;  // with FILE where the recording's name goes
};

// `front` is the file's beginning, unpacked.
std::optional<Foreign> recognise_foreign(std::string_view front);
// For a front that no dialect takes, lists aside: what dialects' own lines might stand behind.
std::optional<Foreign> recognise_foreign_if_no_dialect(std::string_view front);

}  // namespace seekless
