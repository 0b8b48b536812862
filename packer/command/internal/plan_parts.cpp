// Result of --shard: {command, part, parts, file, groups, folds}
#include "packer/command/internal/plan_parts.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/command/progress.h"
#include "packer/plan/plan_part.h"
#include "packer/words/counted.h"

namespace seekless {
namespace {

std::optional<uint32_t> to_number(std::string_view text) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Result<std::pair<uint32_t, uint32_t>> parse_shard(const std::string& text) {
  const size_t slash = text.find('/');
  const auto number = to_number(std::string_view(text).substr(0, slash));
  const auto count = slash == std::string::npos
                         ? std::nullopt
                         : to_number(std::string_view(text).substr(slash + 1));
  if (!number || !count || *number < 1 || *number > *count || *count > kMostPlanParts)
    return wrong_usage(
        {.place = "--shard",
         .expected = fmt::format("a part and how many there are, up to {}: 2/8", kMostPlanParts),
         .found = fmt::format("'{}'", text)});
  return std::pair(*number, *count);
}

}  // namespace

void PlanPartArguments::add_to(const Command& command) {
  command.option({.name = "--shard",
                  .takes = "I/N",
                  .help = "Do only part I of N of the work, and write that: for --merge"},
                 shard);
  command.option(
      {.name = "--merge",
       .takes = "PART.json",
       .help = "All parts of this plan, made by --shard of the same inputs; the layout is the "
               "same as without",
       .not_with = {"--shard"},
       .takes_list = true},
      parts);
}

Result<void> PlanPartArguments::write_part(const Profile& profile, const Content& content,
                                           const PlanOptions& options, const std::string& output,
                                           const Output& answer) const {
  const auto of = parse_shard(shard);
  if (!of) return std::unexpected(of.error());
  const auto [number, count] = *of;
  Progress progress("planning");
  PlanPart part = {.inputs = hash_of_inputs(profile, content, options, SEEKLESS_VERSION),
                   .number = number,
                   .count = count,
                   .work = plan_part(profile, content, options, number, count)};
  progress.finish();
  if (auto written = write_plan_part(part, output); !written) return written;
  answer.line(fmt::format("{}: part {} of {}: the order of {}", output, number, count,
                          counted(part.work.orders.size(), "group")));
  return answer.result({{"command", "plan"},
                        {"part", number},
                        {"parts", count},
                        {"file", output},
                        {"groups", part.work.orders.size()},
                        {"folds", part.work.held_out.size()}});
}

Result<Plan> PlanPartArguments::plan(const Profile& profile, const Content& content,
                                     const PlanOptions& options) const {
  PlanWork work;
  if (!parts.empty()) {
    auto read = read_plan_parts(parts, hash_of_inputs(profile, content, options, SEEKLESS_VERSION));
    if (!read) return std::unexpected(read.error());
    work = *std::move(read);
  }
  Progress progress("planning");
  Plan plan = plan_with(profile, content, options, work);
  progress.finish();
  return plan;
}

}  // namespace seekless
