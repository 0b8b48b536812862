// Matches a text against an extended POSIX regular expression. GoogleTest's own expressions are
// simpler on Windows, and know neither brackets nor alternatives.
#pragma once

#include <regex>
#include <string>

#include <gmock/gmock.h>

namespace seekless {

MATCHER_P(HasPattern, pattern, "") {
  return std::regex_search(std::string(arg), std::regex(pattern, std::regex::extended));
}

}  // namespace seekless
