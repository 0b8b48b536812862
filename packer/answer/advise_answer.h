// Defines the answer of 'advise': how long a game's load takes on its disk with each way to speed
// it up, what each way changes, and its command.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/simulate/shipped_loads.h"
#include "packer/verdict/verdict.h"
#include "packer/verdict/ways.h"

namespace seekless {

struct AdviseAnswer {
  std::vector<std::string> paths;  // the game's folders and files
  JudgedDrive drive;
  // Source of the loads: "recordings" or "play"; empty if no loads are known.
  std::string known_from;
  std::vector<JudgedLoad> loads;  // as shipped
  std::string assumption;         // a sentence about the files' places, which the seconds assume
  std::vector<AdvisedWay> ways;   // sorted by best_first()
  std::vector<std::string> notes;
  std::vector<std::string> game = {};    // the words that start the game; empty if unknown
  std::vector<std::string> beside = {};  // other folders that the game reads, such as a Wine prefix

  double as_shipped_s() const;  // the mean of the loads
};

// Returns the words of the command that helps most now; empty if there is none.
std::vector<std::string> next_words(const AdviseAnswer& answer);
// Returns the whole line to copy; empty if there is none. If the words that start the game are
// unknown, GAME stands for them.
std::string command_of(const AdvisedWay& way, const std::vector<std::string>& game = {});

// Prints the verdict, the table, the commands and notes. Lines of the table have at most `columns`
// characters, which is at least 80. The last line has no newline.
std::string to_text(const AdviseAnswer& answer, size_t columns, bool is_verbose);
// Returns JSON that follows schemas/results/advise.schema.json.
nlohmann::ordered_json to_json(const AdviseAnswer& answer);

}  // namespace seekless
