#include "packer/analysis/trace_analyser.h"

#include <algorithm>
#include <utility>

#include "packer/analysis/internal/run_analyser.h"

namespace seekless {

TraceAnalyser::TraceAnalyser(std::string trace, const KnownContent* content, size_t top)
    : trace_(std::move(trace)), content_(content), top_(top) {}

TraceAnalyser::~TraceAnalyser() = default;

void TraceAnalyser::add_path(uint32_t path, std::string_view name) {
  paths_.resize(path + size_t{1});
  TracePath& added = paths_.back();
  added.name = name;
  added.same_as = path;
  if (content_ == nullptr) return;
  added.source = content_->locator.find_file(name);
  if (added.source) added.same_as = path_of_source_.emplace(*added.source, path).first->second;
}

void TraceAnalyser::begin_run(const std::string& scenario, std::optional<int64_t> begins_ns) {
  run_ = std::make_unique<RunAnalyser>(trace_, scenario, begins_ns, content_, top_);
}

void TraceAnalyser::add_event(const Event& event) {
  const uint32_t number = paths_[event.path].same_as;
  TracePath& path = paths_[number];
  if (event.kind == EventKind::read && event.length_bytes != kWholeFile)
    path.end_bytes = std::max(path.end_bytes, event.offset_bytes + event.length_bytes);
  Event renamed = event;
  renamed.path = number;
  run_->add(renamed, path);
}

void TraceAnalyser::end_run(std::optional<int64_t> ends_ns) {
  if (auto figures = run_->finish(ends_ns, paths_)) runs_.push_back(*std::move(figures));
  run_ = nullptr;
}

}  // namespace seekless
