// Says what is wrong with a command line.
#pragma once

#include <string>

namespace CLI {
class ParseError;
}  // namespace CLI

namespace seekless {

struct DeclaredTool;

// Reports an unknown option before a missing one, since the unknown one may be a misspelling of it.
std::string wrong_words(const DeclaredTool& tool, const CLI::ParseError& error);

}  // namespace seekless
