// Says what is wrong with a command line.
#pragma once

#include <string>

namespace CLI {
class ParseError;
}  // namespace CLI

namespace seekless {

struct DeclaredTool;

// An option that nobody knows is told before what is missing: it may be what was meant.
std::string wrong_words(const DeclaredTool& tool, const CLI::ParseError& error);

}  // namespace seekless
