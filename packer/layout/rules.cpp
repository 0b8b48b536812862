#include "packer/layout/rules.h"

#include <bit>
#include <map>

#include <fmt/format.h>

#include "packer/base/glob.h"
#include "runtime/asset_path.h"

namespace seekless {

Result<void> check_rule(const PlanRule& rule, const std::string& file, const std::string& place) {
  const auto wrong = [&](std::string expected, std::string found) {
    return wrong_usage(
        {.file = file, .place = place, .expected = std::move(expected), .found = std::move(found)});
  };
  if (rule.glob.empty()) return wrong("a pattern of paths", "an empty one");
  if (rule.alignment_bytes &&
      (!std::has_single_bit(*rule.alignment_bytes) || *rule.alignment_bytes > kMaxAlignmentBytes))
    return wrong("an alignment that is a power of two up to 4096",
                 fmt::to_string(*rule.alignment_bytes));
  if (rule.pack && pack_name_of(*rule.pack) != *rule.pack)
    return wrong("the name of a pack that a file can have", fmt::format("'{}'", *rule.pack));
  if (rule.pack &&
      (check_asset_path(*rule.pack) != PathFault::none || fold_case(*rule.pack) == "catalog"))
    return wrong("the name of a pack other than 'catalog'", fmt::format("'{}'", *rule.pack));
  const bool says_more = rule.pack || rule.order || rule.alignment_bytes || rule.copies;
  if (rule.excluded.value_or(false) && says_more)
    return wrong("nothing else about what is excluded", "a place, order, alignment or copies");
  if (rule.pack && rule.copies.value_or(false))
    return wrong("either one pack or copies in several", "both");
  return {};
}

Result<void> check_pack_names(std::span<const PlanRule> rules, const std::string& file) {
  std::map<std::string, std::string> by_folded;
  for (size_t i = 0; i < rules.size(); ++i) {
    if (!rules[i].pack) continue;
    const std::string& name = *rules[i].pack;
    const auto& [folded, first] = *by_folded.emplace(fold_case(name), name).first;
    if (first != name)
      return wrong_usage({.file = file,
                          .place = fmt::format("rules, number {}, pack", i + 1),
                          .expected = fmt::format("'{}', as another rule has it", first),
                          .found = fmt::format("'{}'", name),
                          .advice = "names that differ only by case are one file on some systems"});
  }
  return {};
}

AssetRules rules_for(std::span<const PlanRule> rules, std::string_view path,
                     std::span<uint64_t> matched) {
  AssetRules of;
  for (size_t i = 0; i < rules.size(); ++i) {
    const PlanRule& rule = rules[i];
    if (!matches_glob(rule.glob, path)) continue;
    ++matched[i];
    of.pack = rule.pack.value_or(of.pack);
    of.order = rule.order.value_or(of.order);
    of.alignment_bytes = rule.alignment_bytes.value_or(of.alignment_bytes);
    of.copies = rule.copies.value_or(of.copies);
    of.excluded = rule.excluded.value_or(of.excluded);
  }
  return of;
}

}  // namespace seekless
