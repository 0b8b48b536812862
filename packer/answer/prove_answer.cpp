#include "packer/answer/prove_answer.h"

#include <utility>

#include <fmt/format.h>

#include "packer/answer/internal/notes.h"
#include "packer/base/json_depth.h"
#include "packer/words/counted.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"
#include "packer/words/text_table.h"

namespace seekless {
namespace {

using ProofJson = nlohmann::ordered_json;

constexpr double kNoticeableGain = 1.05;
constexpr int kUploadVersion = 1;

std::string_view source_name(ProvenDriveSource source) {
  if (source == ProvenDriveSource::device) return "device";
  return source == ProvenDriveSource::files ? "files" : "named";
}

std::string_view way_name(ProvenWay way) {
  if (way == ProvenWay::repack) return "repack";
  return way == ProvenWay::place ? "place" : "packs";
}

std::string_view way_words(ProvenWay way) {
  if (way == ProvenWay::repack) return "from rewritten archives";
  return way == ProvenWay::place ? "with files next to each other" : "from packs";
}

bool is_noticeable(const Proof& proof) {
  const auto faster = ratio(proof.before_s(), proof.after_s());
  return faster && *faster >= kNoticeableGain;
}

std::vector<std::string> proof_row(const std::string& name, double before, double model_before,
                                   double after, double model_after) {
  const auto faster = ratio(before, after);
  return {name,
          number_cell(before, 2),
          number_cell(model_before, 2),
          number_cell(after, 2),
          number_cell(model_after, 2),
          faster ? number_cell(*faster, 1) : "-"};
}

std::string proof_table(const Proof& proof, size_t columns) {
  TextTable table = {.headings = {"load", "before s", "model", "after s", "model", "faster"},
                     .rows = {}};
  for (const ProvenLoad& load : proof.loads)
    table.rows.push_back(proof_row(load.name, load.before.median_s(), load.before.predicted_s(),
                                   load.after.median_s(), load.after.predicted_s()));
  if (proof.loads.size() > 1)
    table.rows.push_back(proof_row("all", proof.before_s(), proof.predicted_before_s(),
                                   proof.after_s(), proof.predicted_after_s()));
  return table.to_text(columns);
}

// Names no load, because the sentence is also on the page that may be sent to others.
std::string model_sentence(const Proof& proof) {
  const ModelError before = proof.error_before();
  const ModelError after = proof.error_after();
  if (proof.loads.size() == 1)
    return fmt::format("The drive model is off by {:+.1f} % before, and by {:+.1f} % after.",
                       before.sum * 100, after.sum * 100);
  return fmt::format(
      "The drive model's sums are off by {:+.1f} % before and {:+.1f} % after; the worst load is "
      "off by {:+.1f} % before, and by {:+.1f} % after.",
      before.sum * 100, after.sum * 100, before.worst * 100, after.worst * 100);
}

std::string way_sentence(const Proof& proof) {
  return proof.is_unbuffered ? "All reads went past the system's cache: only those that the model "
                               "sends to the disk."
                             : "The system's memory held nothing of the files before each load.";
}

ProofJson side_json(const ProvenSide& side) {
  return {{"measured_s", side.measured_s},
          {"worked_s", side.worked_s},
          {"median_s", side.median_s()},
          {"own_s", side.own_s()},
          {"left_bytes", side.left_bytes},
          {"predicted_s", side.predicted_s()},
          {"predicted_drive_s", side.predicted.seconds},
          {"predicted_reads", side.predicted.reads},
          {"predicted_seeks", side.predicted.seeks},
          {"predicted_bytes", side.predicted.bytes}};
}

ProofJson others_json(const OtherUse& others) {
  return {{"known", others.is_known},           {"disturbed", others.is_disturbed()},
          {"watched_s", others.watched_s},      {"busy_s", others.busy_s},
          {"requests", others.requests},        {"other_bytes", others.other_bytes},
          {"loaded_bytes", others.loaded_bytes}};
}

ProofJson error_json(const ModelError& error) {
  return {{"sum_share", error.sum}, {"worst_share", error.worst}};
}

// Returns what the answer and the upload have in common.
ProofJson figures_json(const Proof& proof, bool with_names) {
  ProofJson loads = ProofJson::array();
  for (const ProvenLoad& load : proof.loads) {
    ProofJson json = ProofJson::object();
    if (with_names) json["name"] = load.name;
    json["needed_bytes"] = load.needed_bytes;
    json["bound_s"] = load.bound_s;
    json["before"] = side_json(load.before);
    json["after"] = side_json(load.after);
    loads.push_back(std::move(json));
  }
  ProofJson json = {{"drive", parse_json<ProofJson>(to_json(proof.drive))},
                    {"drive_source", source_name(proof.source)}};
  if (!proof.drive_model.empty()) json["drive_model"] = proof.drive_model;
  json["way"] = way_name(proof.way);
  json["rounds"] = proof.rounds;
  json["unbuffered"] = proof.is_unbuffered;
  json["real_places"] = proof.has_real_places;
  json["knows_cold"] = proof.knows_cold;
  json["most_left_bytes"] = proof.most_left_bytes;
  json["others"] = others_json(proof.others);
  json["model_off"] = {{"before", error_json(proof.error_before())},
                       {"after", error_json(proof.error_after())}};
  json["loads"] = std::move(loads);
  return json;
}

}  // namespace

std::string verdict_of(const ProveAnswer& answer) {
  if (!answer.nothing_to_prove.empty()) return "Nothing to prove: " + answer.nothing_to_prove + ".";
  const Proof& proof = answer.proof;
  if (const std::string why = why_untold(proof); !why.empty()) return "Can't tell: " + why + ".";
  const double before = proof.before_s();
  const double after = proof.after_s();
  const std::string loads = counted(proof.loads.size(), "load");
  const std::string rounds = counted(proof.rounds, "round");
  if (!is_noticeable(proof))
    return fmt::format("Nothing to gain: {} took {} as they lie, and {} {}, in {} on this disk.",
                       loads, seconds_text(before), seconds_text(after), way_words(proof.way),
                       rounds);
  return fmt::format("{} {} {:.1f} times as fast {}: {} became {}, measured in {} on this disk.",
                     loads, proof.loads.size() == 1 ? "is" : "are", before / after,
                     way_words(proof.way), seconds_text(before), seconds_text(after), rounds);
}

std::vector<std::string> notes_of(const ProveAnswer& answer) {
  const Proof& proof = answer.proof;
  if (!answer.nothing_to_prove.empty()) return {};
  std::vector<std::string> notes = doubts_of(proof);
  if (why_untold(proof).empty()) notes.push_back(model_sentence(proof));
  notes.insert(notes.end(), proof.warnings.begin(), proof.warnings.end());
  if (proof.is_unbuffered || (proof.knows_cold && proof.most_left_bytes == 0))
    notes.push_back(way_sentence(proof));
  return notes;
}

std::string to_text(const ProveAnswer& answer, size_t columns, bool is_verbose) {
  std::string text;
  for (const std::string& line : wrap(verdict_of(answer), columns)) text += line + "\n";
  if (answer.nothing_to_prove.empty()) {
    AnswerNotes notes = {.brief = notes_of(answer), .more = {}};
    // Doesn't recommend a permanent change without a gain.
    const bool is_useful = answer.proof.way == ProvenWay::packs || is_noticeable(answer.proof);
    if (!answer.next_command.empty() && is_useful) notes.brief.push_back(answer.next_command);
    text += "\n" + proof_table(answer.proof, columns);
    if (!text.ends_with('\n')) text += '\n';
    text += "\n" + to_text(notes, is_verbose, columns);
  }
  text.pop_back();
  return text;
}

nlohmann::ordered_json to_json(const ProveAnswer& answer) {
  ProofJson json = {{"command", "prove"}, {"verdict", verdict_of(answer)}};
  if (!answer.nothing_to_prove.empty()) {
    json["nothing_to_prove"] = answer.nothing_to_prove;
    return json;
  }
  const Proof& proof = answer.proof;
  json["conclusive"] = why_untold(proof).empty();
  json["before_s"] = proof.before_s();
  json["after_s"] = proof.after_s();
  json["predicted_before_s"] = proof.predicted_before_s();
  json["predicted_after_s"] = proof.predicted_after_s();
  json.update(figures_json(proof, true));
  json["made_bytes"] = proof.made_bytes;
  json["seconds"] = proof.seconds;
  json["notes"] = notes_of(answer);
  return json;
}

nlohmann::ordered_json to_upload(const ProveAnswer& answer) {
  ProofJson json = {{"seekless", "proof"}, {"version", kUploadVersion}};
  json.update(figures_json(answer.proof, false));
  // A profile's name may be private, so the upload only says where its figures are from.
  json["drive"]["name"] = source_name(answer.proof.source);
  return json;
}

}  // namespace seekless
