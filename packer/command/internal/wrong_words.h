// Says what is wrong with a command line.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace seekless {

// An option that nobody knows is told before what is missing: it may be what was meant.
std::string wrong_words(const CLI::App& app, const CLI::ParseError& error);

}  // namespace seekless
