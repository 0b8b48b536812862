#include "packer/command/inputs.h"

#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "packer/command/progress.h"
#include "packer/command/trace_reader.h"
#include "packer/command/unmapped.h"
#include "packer/host/counted.h"
#include "packer/host/files.h"
#include "packer/path/glob.h"
#include "packer/path/lies_in.h"
#include "packer/trace/both_sinks.h"

namespace seekless {
namespace {

// What a person should know of how traces fit the content, told once for all of them.
class Fit {
 public:
  Fit(const Content& content, const Output& output) : content_(content), output_(output) {}

  // Error: nothing of the content was read.
  Result<void> add(const std::string& trace, const ImportReport& report, const Mapping& mapping) {
    for (const std::string& warning : report.warnings) output_.warn(warning);
    for (const UnparsedLine& line : report.first_unparsed)
      output_.warn(fmt::format("{}: line {}: can't be parsed, and is left out: '{}'", trace,
                               line.number, line.text));
    if (mapping.asset_reads == 0)
      return damaged(
          {.file = trace,
           .expected = "reads of the content",
           .found = mapping.unmapped.empty()
                        ? "none at all"
                        : fmt::format("{:.1f} MB of other files, such as {}",
                                      megabytes(mapping.read_bytes), examples_of_unmapped(mapping)),
           .advice = advice_for_unmapped(mapping, content_)});
    const double share = share_without_system(mapping);
    if (share >= kLeastMappedShare) return {};
    if (poor_++ == 0) {
      first_ = trace;
      examples_ = examples_of_unmapped(mapping);
      advice_ = advice_for_unmapped(mapping, content_);
    }
    least_ = std::min(least_, share);
    most_ = std::max(most_, share);
    return {};
  }

  void warn() const {
    if (poor_ == 0) return;
    const std::string who =
        poor_ == 1 ? first_ : fmt::format("{} and {}", first_, counted(poor_ - 1, "other"));
    const std::string least = fmt::format("{:.0f}", least_ * 100);
    const std::string most = fmt::format("{:.0f}", most_ * 100);
    output_.warn(fmt::format(
        "{}: only {} % of the bytes read are of the content (the system's own files "
        "aside); the others are of {}; {}",
        who, least == most ? least : fmt::format("{} to {}", least, most), examples_, advice_));
  }

 private:
  const Content& content_;
  const Output& output_;
  uint64_t poor_ = 0;
  double least_ = 1;
  double most_ = 0;
  std::string first_;
  std::string examples_;
  std::string advice_;
};

// Files that the content would have if they weren't left out on purpose.
class Excluded {
 public:
  explicit Excluded(const ContentOptions& options) : globs_(options.scan.exclude) {
    if (globs_.empty()) return;
    for (const std::string& root : options.roots) {
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

// Of all traces, each path once, most bytes first.
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

std::string check_map_rule(const std::string& text) {
  const auto rule = PathMap::parse(text);
  return rule ? "" : rule.error().message;
}

}  // namespace

void ContentOptions::add_to(CLI::App& command, bool is_required) {
  command
      .add_option("--content", roots,
                  "Folders of loose files and zip archives, or single ones, up to the next option; "
                  "later ones win")
      ->required(is_required)
      ->type_name("PATH");
  command.add_flag("--keep-archives", scan.keep_archives,
                   "Put an archive's entries under its name, instead of one name space for all");
  command.add_flag("--fold-case", scan.fold_case,
                   "Take paths that differ only in the case of A-Z for the same");
  command
      .add_option("--opaque", scan.opaque, "Take archives that match as plain files; repeatable")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  command.add_flag("--strict", scan.strict,
                   "Refuse what can't be packed (names that no path leads to, links that lead "
                   "nowhere), instead of leaving it out");
  command.add_option("--exclude", scan.exclude, "Leave out what matches; repeatable")
      ->type_name("GLOB")
      ->allow_extra_args(false);
}

void TraceOptions::add_to(CLI::App& command, const std::string& positional) {
  command.add_option(positional, paths, "Traces of any known dialect; '-' is standard input")
      ->required();
  command
      .add_option("--map", maps,
                  "Content that the trace calls FROM is at TO; repeatable, the first that fits "
                  "counts")
      ->type_name("FROM=TO")
      ->check(check_map_rule)
      ->allow_extra_args(false);
  command.add_flag("--lenient", lenient, "Accept traces of which over 1 % can't be parsed");
  marks.add_to(command);
}

Result<ImportOptions> TraceOptions::import_options() const {
  ImportOptions options;
  options.lenient = lenient;
  for (const std::string& rule : maps) {
    auto map = PathMap::parse(rule);
    if (!map) return std::unexpected(map.error());
    options.path_maps.push_back(*std::move(map));
  }
  if (auto applied = marks.apply_to(options); !applied) return std::unexpected(applied.error());
  return options;
}

Result<Content> read_content(const ContentOptions& options, const Output& output) {
  const Progress progress("reading content");
  auto content = scan_content(options.roots, options.scan);
  if (!content) return content;
  for (const std::string& warning : warnings_of(*content)) output.warn(warning);
  return content;
}

Result<Profile> read_profile_for(const std::string& path, const ContentOptions& content) {
  auto profile = read_profile(path);
  if (!profile || content.scan.exclude.empty()) return profile;
  constexpr uint32_t kLeftOut = UINT32_MAX;
  std::vector<uint32_t> numbers;
  std::vector<std::string> kept;
  for (std::string& asset : profile->assets) {
    const bool is_left_out = matches_any_glob(content.scan.exclude, asset);
    numbers.push_back(is_left_out ? kLeftOut : static_cast<uint32_t>(kept.size()));
    if (!is_left_out) kept.push_back(std::move(asset));
  }
  profile->assets = std::move(kept);
  for (ProfiledScenario& scenario : profile->scenarios)
    for (ProfiledRun& run : scenario.runs) {
      for (uint32_t& asset : run.assets) asset = numbers[asset];
      std::erase(run.assets, kLeftOut);
    }
  return profile;
}

Result<Profile> profile_traces(const TraceOptions& options, const ContentOptions& content_options,
                               const Content& content, const Output& output,
                               std::vector<TraceMapping>* mappings, ContentRuns* runs) {
  auto reader = TraceReader::create(options, &content);
  if (!reader) return std::unexpected(reader.error());
  ProfileBuilder builder(content);
  BothSinks sinks(builder, runs);
  Fit fit(content, output);
  const Excluded excluded(content_options);
  const auto progress = Progress::of_reading("reading recordings", options.paths);
  for (const std::string& trace : options.paths) {
    builder.start_trace(trace_stem(trace), scenario_of_file(trace));
    if (runs != nullptr) runs->start_trace(scenario_of_file(trace));
    const auto report = reader->read(trace, sinks);
    if (!report) return std::unexpected(report.error());
    if (runs != nullptr) runs->finish_trace();
    TraceMapping of{trace, builder.finish_trace()};
    std::erase_if(of.mapping.unmapped,
                  [&](const Mapping::Unmapped& one) { return excluded.holds(one.path); });
    if (auto fits = fit.add(trace, *report, of.mapping); !fits)
      return std::unexpected(fits.error());
    if (mappings != nullptr) mappings->push_back(std::move(of));
  }
  fit.warn();
  for (const std::string& warning : reader->warnings()) output.warn(warning);
  return builder.finish();
}

void tell_unmapped(const std::vector<TraceMapping>& mappings, const Output& output) {
  const std::vector<Mapping::Unmapped> all = unmapped_of(mappings);
  if (all.empty()) return;
  uint64_t bytes = 0;
  for (const Mapping::Unmapped& one : all) bytes += one.bytes;
  const std::string line =
      fmt::format("not of the content: {}, {:.1f} MB in {}", counted(all.size(), "file"),
                  megabytes(bytes), counted(mappings.size(), "recording"));
  output.line(line + (output.is_verbose() ? "" : "; --verbose lists them"));
  for (const Mapping::Unmapped& one : all)
    output.detail(fmt::format("  {:>12} bytes in {:>6} reads  {}", one.bytes, one.reads,
                              in_one_line(one.path)));
}

}  // namespace seekless
