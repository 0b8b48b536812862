// Makes the one judgement on a game's loads: if there is something to gain, and how much. It
// compares the seconds that a cold drive is busy in the model: today, at best, and with the packs
// or zips. Every command that judges calls this, and prints its text. Pure.
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

// Names the method that is to save seconds.
enum class Way : uint8_t {
  order,  // the best order of the same bytes: an upper bound of the saving
  packs,  // packs that are swept
  zips,   // the game's own archives with reordered entries
};

// Says why the judgement is for this drive.
enum class DriveChoice : uint8_t {
  asked_for,
  target,   // default if the user names no drive: the one that content is made for
  content,  // the drive that the content lies on
  assumed,  // the content's drive can't be detected
};

struct JudgedDrive {
  std::string name;  // name of the profile
  bool is_solid_state = false;
  DriveChoice choice = DriveChoice::target;
  // Description of the content's drive: "vda, 256.0 GB, says that it is rotational".
  std::string found;
};

enum class VerdictReason : uint8_t {
  saves,          // the method saves enough of the load
  solid_state,    // the drive doesn't seek, so places don't matter
  too_little,     // the method saves too little for anyone to notice
  slower,         // slower than as shipped
  other_work,     // most of the load is work other than reading
  recording,      // recording was so slow that reading's share of the load is unknown
  names_only,     // the recording has only names
  no_reads,       // the recording has no reads
  no_recordings,  // no recordings were given: a profile doesn't hold the reads
  no_content,     // no content was given
  other_content,  // too many of the recorded reads don't fit the present content
  no_room,        // no room on the drive
};

struct LoadVerdict {
  JudgedLoad load;
  Judgement judgement = Judgement::unknown;
  VerdictReason reason = VerdictReason::no_reads;

  double saved_at_best_s() const {
    return load.as_shipped_s - std::min(load.as_shipped_s, load.bound_s);
  }
  // Returns the seconds that the method saves; less than 0 if it is slower.
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
  double fitting_share = 1;  // share of the recorded reads that still fits the content; 0 to 1
  std::string text;          // a sentence or two, which every command prints first
};

// Returns true if users would notice the saving: at least a tenth of a second, and a twentieth of
// the load.
bool saves_enough(double saved_s, double as_shipped_s);

// Returns the drive's name, and in brackets how it was chosen.
std::string drive_text(const JudgedDrive& drive);

Verdict judge(const JudgedDrive& drive, Way way, std::vector<JudgedLoad> loads,
              Lacking lacking = Lacking::nothing, const RecordedFit& fit = {});

nlohmann::ordered_json to_json(const JudgedDrive& drive);
// Returns JSON that follows schemas/verdict.schema.json. Every command has the same keys.
nlohmann::ordered_json to_json(const Verdict& verdict);
// Reads such JSON back. Throws an exception of the JSON library if it isn't a verdict.
Verdict verdict_of(const nlohmann::ordered_json& json);

}  // namespace seekless
