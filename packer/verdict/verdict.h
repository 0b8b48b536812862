// The one judgement on a game's loads: is there something to win, and how much. From what a cold
// drive is busy with, by the model: today, at best, and in some other way. Every command that
// judges asks here, and tells the answer in these words. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "packer/simulate/recorded_fit.h"
#include "packer/simulate/shipped_loads.h"

namespace seekless {

enum class Judgement : uint8_t { worth_it, not_worth_it, unknown };

// The way in which seconds are to be saved.
enum class Way : uint8_t {
  order,  // any order of the same bytes: what is saved at best
  packs,  // swept
  zips,   // the game's own archives with their entries in another order
};

// Why the judgement is for this drive.
enum class DriveChoice : uint8_t {
  asked_for,
  target,   // that content is made for where nobody names one
  content,  // the content lies on it
  assumed,  // what the content lies on can't be told
};

struct JudgedDrive {
  std::string name;  // of the profile
  bool is_solid_state = false;
  DriveChoice choice = DriveChoice::target;
  std::string found;  // of the content's drive: "vda, 256.0 GB, says that it is rotational"
};

enum class VerdictReason : uint8_t {
  saves,          // enough of the load
  solid_state,    // every place is as near as any other
  too_little,     // is saved for anyone to notice
  slower,         // than as it is
  other_work,     // takes most of the load
  recording,      // was so slow that nobody knows what share of the load reading is
  names_only,     // are in it
  no_reads,       // are in it
  no_recordings,  // were given: a profile doesn't hold the reads
  no_content,     // was given
  other_content,  // was recorded: too little of what was read is where it was
  no_room,        // for it on the drive
};

struct LoadVerdict {
  JudgedLoad load;
  Judgement judgement = Judgement::unknown;
  VerdictReason reason = VerdictReason::no_reads;

  double saved_at_best_s() const {
    return load.as_shipped_s - std::min(load.as_shipped_s, load.bound_s);
  }
  // Seconds that the way saves; less than 0 if it is slower.
  double saved_s() const {
    return load.after_s ? load.as_shipped_s - *load.after_s : saved_at_best_s();
  }
};

struct Verdict {
  Judgement judgement = Judgement::unknown;
  VerdictReason reason = VerdictReason::no_reads;
  Way way = Way::order;
  JudgedDrive drive;
  std::vector<LoadVerdict> loads;
  double fitting_share = 1;  // of what was recorded is where it was; 0 to 1
  std::string text;          // a sentence or two: what every command says first
};

Verdict judge(const JudgedDrive& drive, Way way, std::vector<JudgedLoad> loads,
              Lacking lacking = Lacking::nothing, const RecordedFit& fit = {});

// Follows schemas/verdict.schema.json; every command has the same keys.
nlohmann::ordered_json to_json(const Verdict& verdict);
// Reads such JSON back. Throws the library's exception if it isn't that.
Verdict verdict_of(const nlohmann::ordered_json& json);

}  // namespace seekless
