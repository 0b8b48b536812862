#include "packer/profile/profile_traces.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "packer/base/glob.h"
#include "packer/base/paths.h"
#include "packer/host/files.h"
#include "packer/profile/scenario_name.h"
#include "packer/profile/unmapped.h"
#include "packer/trace/both_sinks.h"
#include "packer/words/counted.h"

namespace seekless {
namespace {

// Collects notes on how well traces fit the content, and reports them once for all traces.
class Fit {
 public:
  Fit(const Content& content, const ScannedPlaces& scanned,
      const std::function<void(const std::string&)>& warn)
      : content_(content), may_be_gone_(scanned.may_be_gone), warn_(warn) {
    for (const std::string& root : scanned.roots) roots_.push_back(canonical_path(root));
  }

  // Fails if nothing of the content was read.
  Result<void> add(const std::string& trace, const ImportReport& report, const Mapping& mapping) {
    for (const std::string& warning : report.warnings) warn_(warning);
    for (const UnparsedLine& line : report.first_unparsed)
      warn_(fmt::format("{}: line {}: can't be parsed, and is left out: '{}'", trace, line.number,
                        line.text));
    if (mapping.asset_reads == 0 && was_content(mapping)) {
      if (gone_++ == 0) first_gone_ = fmt::format("{}: {}", trace, examples_of_unmapped(mapping));
      return {};
    }
    if (mapping.asset_reads == 0) {
      auto misfit = misfit_of(trace, mapping);
      if (!std::ranges::all_of(mapping.unmapped, is_of_the_system, &Mapping::Unmapped::path))
        return misfit;
      if (of_nothing_++ == 0) first_of_nothing_ = {trace, misfit.error()};
      return {};
    }
    ++fitting_;
    const double share = share_without_system(mapping);
    if (share >= kLeastMappedShare) return {};
    if (poor_++ == 0) {
      first_ = trace;
      examples_ = examples_of_unmapped(mapping);
      advice_ = was_content(mapping) ? "what lay in the content is gone: record it again"
                                     : advice_for_unmapped(mapping, content_);
    }
    least_ = std::min(least_, share);
    most_ = std::max(most_, share);
    return {};
  }

  // Fails if the traces read no content, or only content that is gone.
  Result<void> finish() const {
    if (of_nothing_ > 0 && fitting_ == 0 && gone_ == 0)
      return std::unexpected(first_of_nothing_.second);
    if (of_nothing_ > 0)
      warn_(fmt::format("{} no asset of the content, and {} left out{} {}",
                        counted(of_nothing_, "recording reads", "recordings read"),
                        of_nothing_ == 1 ? "is" : "are", of_nothing_ == 1 ? ":" : ", such as",
                        first_of_nothing_.first));
    if (gone_ > 0 && fitting_ == 0 && !may_be_gone_)
      return damaged({.file = "the recordings",
                      .expected = "assets of the content",
                      .found = fmt::format("none of them there any more, as in {}", first_gone_),
                      .advice = "record it again"});
    if (gone_ > 0)
      warn_(fmt::format("of {} nothing is left in the content, as in {}: record it again",
                        counted(gone_, "recording"), first_gone_));
    warn_of_poor();
    return {};
  }

 private:
  std::unexpected<Error> misfit_of(const std::string& trace, const Mapping& mapping) const {
    const bool is_empty = content_.size_bytes() == 0;
    const std::string others =
        mapping.unmapped.empty()
            ? "none at all"
            : fmt::format("{:.1f} MB of other files, such as {}", megabytes(mapping.read_bytes),
                          examples_of_unmapped(mapping));
    if (mapping.unmapped.empty() && mapping.mapped_bytes() == 0 && !is_empty)
      return damaged({.file = trace,
                      .expected = "reads of the content",
                      .found = "no read of any file",
                      .advice = "record it again, while the program loads: seekless record"});
    return damaged({.file = trace,
                    .expected = "reads of the content",
                    .found = is_empty ? "none, as all of its files are empty" : others,
                    .advice = is_empty ? "plan from a profile that names them (--profile)"
                                       : advice_for_unmapped(mapping, content_)});
  }

  void warn_of_poor() const {
    if (poor_ == 0) return;
    const std::string who =
        poor_ == 1 ? first_ : fmt::format("{} and {}", first_, counted(poor_ - 1, "other"));
    const std::string least = fmt::format("{:.0f}", least_ * 100);
    const std::string most = fmt::format("{:.0f}", most_ * 100);
    warn_(fmt::format(
        "{}: only {} % of the bytes read are of the content (the system's own files "
        "aside); the others are of {}; {}",
        who, least == most ? least : fmt::format("{} to {}", least, most), examples_, advice_));
  }

  // Returns true if some of the other files lay in the content's folders and are gone.
  bool was_content(const Mapping& mapping) const {
    return std::ranges::any_of(mapping.unmapped, [this](const Mapping::Unmapped& one) {
      return kind_of_path(one.path) == PathKind::missing &&
             std::ranges::any_of(roots_, [&](const std::string& root) {
               return lies_in(canonical_path(one.path), root);
             });
    });
  }

  const Content& content_;
  const bool may_be_gone_;
  const std::function<void(const std::string&)>& warn_;
  uint64_t fitting_ = 0;
  uint64_t gone_ = 0;
  std::string first_gone_;
  uint64_t of_nothing_ = 0;  // number of traces that read only files of the system, or nothing
  std::pair<std::string, Error> first_of_nothing_;
  uint64_t poor_ = 0;
  double least_ = 1;
  double most_ = 0;
  std::vector<std::string> roots_;
  std::string first_;
  std::string examples_;
  std::string advice_;
};

// Recognises files that would be content if the user hadn't left them out.
class Excluded {
 public:
  explicit Excluded(const ScannedPlaces& scanned) : globs_(scanned.exclude) {
    if (globs_.empty()) return;
    for (const std::string& root : scanned.roots) {
      const bool is_file = kind_of_path(root) == PathKind::file;
      const std::string path = canonical_path(root);
      roots_.push_back(is_file ? path.substr(0, path.rfind('/')) : path);
    }
  }

  bool holds(const std::string& file) const {
    if (globs_.empty()) return false;
    const std::string path = canonical_path(file);
    return std::ranges::any_of(roots_, [&](const std::string& root) {
      return lies_in(path, root) && path.size() > root.size() &&
             matches_any_glob(globs_, path.substr(root.size() + 1));
    });
  }

 private:
  const std::vector<std::string>& globs_;
  std::vector<std::string> roots_;
};

Result<void> check_scenario_name(const TraceMapping& of, const std::string& own_scenario) {
  if (!of.mapping.misnamed_scenario) return {};
  const std::string& name = *of.mapping.misnamed_scenario;
  return damaged({.file = of.trace,
                  .place = fmt::format("scenario '{}'", name),
                  .expected = kScenarioNames,
                  .found = fault_of_scenario_name(name),
                  .advice = name == own_scenario
                                ? "give it another by --runs GLOB=NAME (\"runs\" in a build file), "
                                  "or record it with --scenario NAME"
                                : "call the mark in it otherwise, and record it again"});
}

}  // namespace

Result<ProfiledTraces> profile_traces(TraceReader& reader, const Content& content,
                                      const ScannedPlaces& scanned,
                                      const std::function<void(const std::string&)>& warn,
                                      TraceRuns* runs) {
  ProfileBuilder builder(content);
  BothSinks sinks(builder, runs);
  Fit fit(content, scanned, warn);
  const Excluded excluded(scanned);
  std::vector<TraceMapping> mappings;
  for (const std::string& trace : reader.paths()) {
    builder.start_trace(trace_stem(trace), scenario_of_file(trace));
    if (runs != nullptr) runs->start_trace(scenario_of_file(trace));
    SKL_TRY(const auto report, reader.read(trace, sinks));
    if (runs != nullptr) runs->finish_trace();
    TraceMapping of{trace, builder.finish_trace()};
    SKL_TRY_DO(check_scenario_name(of, report.scenario));
    std::erase_if(of.mapping.unmapped,
                  [&](const Mapping::Unmapped& one) { return excluded.holds(one.path); });
    SKL_TRY_DO(fit.add(trace, report, of.mapping));
    mappings.push_back(std::move(of));
  }
  SKL_TRY_DO(fit.finish());
  for (const std::string& warning : reader.warnings()) warn(warning);
  return ProfiledTraces{builder.finish(), std::move(mappings)};
}

// Merges the unmapped files of all traces. Each path appears once; most bytes come first.
std::vector<Mapping::Unmapped> unmapped_of(const std::vector<TraceMapping>& mappings) {
  std::map<std::string_view, Mapping::Unmapped> by_path;
  for (const TraceMapping& of : mappings)
    for (const Mapping::Unmapped& one : of.mapping.unmapped) {
      Mapping::Unmapped& sum = by_path[one.path];
      sum.path = one.path;
      sum.bytes += one.bytes;
      sum.reads += one.reads;
    }
  std::vector<Mapping::Unmapped> all;
  for (auto& [path, one] : by_path) all.push_back(std::move(one));
  std::ranges::stable_sort(all, std::ranges::greater(), &Mapping::Unmapped::bytes);
  return all;
}

void leave_out(Profile& profile, const std::vector<std::string>& globs) {
  if (globs.empty()) return;
  constexpr uint32_t kLeftOut = UINT32_MAX;
  std::vector<uint32_t> numbers;
  std::vector<std::string> kept;
  for (std::string& asset : profile.assets) {
    const bool is_left_out = matches_any_glob(globs, asset);
    numbers.push_back(is_left_out ? kLeftOut : static_cast<uint32_t>(kept.size()));
    if (!is_left_out) kept.push_back(std::move(asset));
  }
  profile.assets = std::move(kept);
  for (ProfiledScenario& scenario : profile.scenarios)
    for (ProfiledRun& run : scenario.runs) {
      std::vector<uint32_t> left;
      for (const uint32_t asset : run.assets)
        if (numbers[asset] != kLeftOut) left.push_back(numbers[asset]);
      run.assets = left;
    }
}

}  // namespace seekless
