#include "packer/profile/trace_reader.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "packer/host/files.h"
#include "packer/profile/internal/entry_splits.h"
#include "packer/profile/unmapped.h"
#include "packer/trace/both_sinks.h"

namespace seekless {
namespace {

bool has_likely_runs(const std::vector<std::string>& paths) {
  return std::ranges::any_of(paths, [](const std::string& path) {
    return likely_scenario(scenario_of_file(path)).has_value();
  });
}

// Returns a function that is true for files whose reads differ between loads.
std::function<bool(std::string_view)> files_that_count(std::shared_ptr<const Locator> locator) {
  if (locator == nullptr) return [](std::string_view path) { return !is_of_the_system(path); };
  return [locator = std::move(locator)](std::string_view path) {
    return locator->find_file(path) || locator->find_asset(path);
  };
}

std::shared_ptr<const Locator> locator_for(const std::vector<std::string>& paths,
                                           const Content* content, const ImportOptions& options) {
  if (content == nullptr || (options.splits.empty() && !has_likely_runs(paths))) return nullptr;
  return std::make_shared<const Locator>(*content);
}

// Makes the locator when a trace first asks for it, because only lists of files do.
std::function<bool(std::string_view)> names_of(const Content* content) {
  if (content == nullptr) return {};
  return [content, locator = std::make_shared<std::optional<Locator>>()](std::string_view path) {
    if (!*locator) locator->emplace(*content);
    return (*locator)->find_file(path) || (*locator)->find_asset(path);
  };
}

// Reads a source from front to back.
class SourceStream final : public ByteStream {
 public:
  explicit SourceStream(const ByteSource& source) : source_(source) {}
  const std::string& name() const override { return source_.name(); }
  Result<size_t> read(std::span<std::byte> into) override {
    const uint64_t left = source_.size_bytes() - offset_bytes_;
    const auto piece = into.first(static_cast<size_t>(std::min<uint64_t>(into.size(), left)));
    SKL_TRY_DO(source_.read_at(offset_bytes_, piece));
    offset_bytes_ += piece.size();
    return piece.size();
  }

 private:
  const ByteSource& source_;
  uint64_t offset_bytes_ = 0;
};

}  // namespace

TraceReader::TraceReader(std::vector<std::string> paths, ImportOptions options,
                         const Content* content)
    : paths_(std::move(paths)),
      content_(content),
      options_(std::move(options)),
      locator_(locator_for(paths_, content, options_)),
      likely_(paths_, options_.run_rules, files_that_count(locator_)) {
  options_.is_known = names_of(content);
}

Result<void> TraceReader::keep(const std::string& trace) {
  if (kept_.contains(trace)) return {};
  if (trace != "-") {
    SKL_TRY(const auto kind, known_kind_of_path(trace));
    if (kind == PathKind::file || kind == PathKind::missing) return {};
  }
  SKL_TRY(const auto stream, open_piped_stream(trace));
  SKL_TRY(auto source, spool(*stream));
  kept_.emplace(trace, std::move(source));
  return {};
}

Result<ImportReport> TraceReader::read_again(const std::string& trace, TraceSink& sink) const {
  const auto kept = kept_.find(trace);
  if (kept == kept_.end()) return read_trace(trace, options_, sink);
  SourceStream stream(*kept->second);
  return read_trace(stream, trace, options_, sink);
}

Result<ImportReport> TraceReader::read(const std::string& trace, TraceSink& sink) {
  likely_.start_trace(trace);
  BothSinks both(sink, &likely_);
  if (options_.splits.empty()) return read_again(trace, both);
  std::optional<EntrySplits> entries;
  if (content_ != nullptr) entries.emplace(*content_, *locator_, options_.splits, both);
  auto report = read_again(trace, entries ? static_cast<TraceSink&>(*entries) : both);
  if (!report) return report;
  if (entries) SKL_TRY_DO(entries->finish());
  if (entries) report->splits += entries->splits();
  if (report->splits == 0)
    report->warnings.push_back(
        fmt::format("{}: --split begins no scenario: no path matches{}", trace,
                    entries ? ", and no asset that is read"
                            : "; entries of archives are known only with --content"));
  return report;
}

std::vector<std::string> TraceReader::warnings() const {
  std::vector<std::string> warnings;
  for (const RunRule& rule : options_.run_rules)
    if (std::ranges::none_of(paths_, [&](const std::string& path) {
          return rule_for(options_.run_rules, path) == &rule;
        }))
      warnings.push_back(
          fmt::format("--runs '{}={}': no recording has such a name", rule.glob, rule.scenario));
  for (const LikelyRunsOfOne& found : likely_.find()) warnings.push_back(to_text(found));
  return warnings;
}

}  // namespace seekless
