#include "packer/command/plan_options.h"

#include <bit>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "packer/command/drive_options.h"
#include "packer/layout/plan_settings.h"

namespace seekless {
namespace {

// "NAME=NUMBER", divided at the last '='.
template <typename Number>
std::optional<std::pair<std::string, Number>> name_and_number(const std::string& text) {
  const size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  Number number = {};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + equals + 1, end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return std::pair(text.substr(0, equals), number);
}

Result<void> add_sessions(const std::vector<std::string>& texts, PlanOptions& options) {
  for (const std::string& text : texts) {
    Session session;
    for (size_t at = 0; at <= text.size();) {
      const size_t comma = std::min(text.find(',', at), text.size());
      session.push_back(text.substr(at, comma - at));
      at = comma + 1;
    }
    if (auto checked = check_session(session, "", "--session"); !checked) return checked;
    options.sessions.push_back(std::move(session));
  }
  return {};
}

Result<void> add_alignments(const std::vector<std::string>& texts, PlanOptions& options) {
  for (const std::string& text : texts) {
    auto alignment = name_and_number<uint32_t>(text);
    if (!alignment || !std::has_single_bit(alignment->second) ||
        alignment->second > kMaxAlignmentBytes)
      return wrong_usage({.place = "--align",
                          .expected = "GLOB=BYTES, with a power of two up to 4096",
                          .found = fmt::format("'{}'", text)});
    PlanRule& rule = options.rules.emplace_back();
    rule.glob = std::move(alignment->first);
    rule.alignment_bytes = alignment->second;
  }
  return {};
}

}  // namespace

Result<void> add_weights(const std::vector<std::string>& texts,
                         std::map<std::string, double>& weights) {
  for (const std::string& text : texts) {
    const auto weight = name_and_number<double>(text);
    if (!weight)
      return wrong_usage({.place = "--weight",
                          .expected = "SCENARIO=WEIGHT, such as map/rush=3",
                          .found = fmt::format("'{}'", text)});
    if (auto checked = check_weight(weight->second, "", "--weight"); !checked) return checked;
    weights[weight->first] = weight->second;
  }
  return {};
}

void PlanArguments::add_to(CLI::App& command) {
  command
      .add_option("--drive", drive,
                  "A built-in profile, or a file as in schemas/drive.schema.json [wd-black-1tb]")
      ->type_name("NAME|FILE.json");
  command
      .add_option("--build", build_file,
                  "The game's build file: rules, weights, sessions, budget, gain; what is given "
                  "here goes before it")
      ->type_name("FILE.json");
  command
      .add_option("--budget", budget_ratio,
                  "Most bytes in all packs, as a multiple of the content's: 1 for no copies "
                  "[as many as pay]")
      ->type_name("RATIO");
  command
      .add_option("--gain", gain_s_per_gb,
                  "Seconds, over all scenarios, that a GB of copies has to earn [1]")
      ->type_name("SECONDS_PER_GB");
  command
      .add_option("--weight", weights,
                  "How much a scenario's seconds count, instead of 1; repeatable")
      ->type_name("SCENARIO=W")
      ->allow_extra_args(false);
  command
      .add_option("--session", sessions,
                  "Scenarios in the order they are played: what one has read, the later ones have "
                  "in memory; repeatable")
      ->type_name("A,B,C")
      ->allow_extra_args(false);
  command.add_flag("--drop-outliers", drop_outliers,
                   "Leave out runs that read other things than those of the same scenario");
  command
      .add_option("--block", block_bytes,
                  "Bytes read at once: 64 KiB to 16 MiB, a power of two [2097152]")
      ->transform(CLI::AsSizeValue(false))
      ->type_name("SIZE");
  command
      .add_option("--align", alignments,
                  "Alignment of assets that match, instead of 64 bytes; repeatable")
      ->type_name("GLOB=BYTES")
      ->allow_extra_args(false);
}

Result<PlanOptions> plan_options_of(PlanSettings settings, const std::string& build_file) {
  PlanOptions options;
  if (!settings.drives.empty()) {
    auto drive = get_drive(drive_beside(settings.drives.front(), build_file));
    if (!drive) return std::unexpected(drive.error());
    options.drive = *std::move(drive);
  }
  options.budget_ratio = settings.budget_ratio;
  options.gain_s_per_gb = settings.gain_s_per_gb.value_or(options.gain_s_per_gb);
  options.block_bytes = static_cast<uint32_t>(settings.block_bytes.value_or(options.block_bytes));
  options.fold_case = settings.fold_case;
  options.drop_outliers = settings.drop_outliers;
  options.weights = std::move(settings.weights);
  options.sessions = std::move(settings.sessions);
  options.rules = std::move(settings.rules);
  return options;
}

std::string drive_beside(const std::string& name, const std::string& build_file) {
  if (!name.ends_with(".json") || name.starts_with('/')) return name;
  const size_t slash = build_file.rfind('/');
  return slash == std::string::npos ? name : build_file.substr(0, slash + 1) + name;
}

Result<PlanOptions> PlanArguments::options() const {
  PlanOptions options;
  if (!build_file.empty()) {
    auto settings = read_plan_settings(build_file);
    if (!settings) return std::unexpected(settings.error());
    if (drive) settings->drives.clear();
    auto from_file = plan_options_of(*std::move(settings), build_file);
    if (!from_file) return from_file;
    options = *std::move(from_file);
  }
  if (drive) {
    auto profile = get_drive(*drive);
    if (!profile) return std::unexpected(profile.error());
    options.drive = std::move(*profile);
  }
  if (block_bytes) {
    if (auto checked = check_block(*block_bytes, "", "--block"); !checked)
      return std::unexpected(checked.error());
    options.block_bytes = static_cast<uint32_t>(*block_bytes);
  }
  if (budget_ratio) {
    if (auto checked = check_budget(*budget_ratio, "", "--budget"); !checked)
      return std::unexpected(checked.error());
    options.budget_ratio = budget_ratio;
  }
  if (gain_s_per_gb) {
    if (auto checked = check_gain(*gain_s_per_gb, "", "--gain"); !checked)
      return std::unexpected(checked.error());
    options.gain_s_per_gb = *gain_s_per_gb;
  }
  if (!sessions.empty()) options.sessions.clear();
  options.drop_outliers = options.drop_outliers || drop_outliers;
  auto added = add_weights(weights, options.weights);
  if (added) added = add_sessions(sessions, options);
  if (added) added = add_alignments(alignments, options);
  if (!added) return std::unexpected(added.error());
  return options;
}

bool PlanArguments::names_drive() const {
  if (drive || build_file.empty()) return drive.has_value();
  const auto settings = read_plan_settings(build_file);
  return settings && !settings->drives.empty();
}

}  // namespace seekless
