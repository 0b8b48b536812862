// Defines the answer of 'advise': what a load of a game takes on its disk by each way that there
// is, what each of them changes, and the command for it.
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
  bool has_play = true;  // whether `play` is there on this system
  // Is "recordings" or "play"; empty if nothing is known of the loads.
  std::string known_from;
  std::vector<JudgedLoad> loads;  // as shipped
  std::string assumption;         // where the files lie, for the seconds
  std::vector<AdvisedWay> ways;   // sorted by best_first()
  std::vector<std::string> notes;

  double as_shipped_s() const;  // the mean of the loads
};

// Returns the words of the command that helps most now; empty if there is none.
std::vector<std::string> next_words(const AdviseAnswer& answer);
// Returns the whole line to copy, in which GAME stands for the game's own command; empty if there
// is none.
std::string command_of(const AdvisedWay& way);

// Prints the verdict, the table, the commands and notes. Lines of the table have at most `columns`
// characters, which is at least 80. The last line has no newline.
std::string to_text(const AdviseAnswer& answer, size_t columns, bool is_verbose);
// Returns JSON that follows schemas/results/advise.schema.json.
nlohmann::ordered_json to_json(const AdviseAnswer& answer);

}  // namespace seekless
