#include "packer/command/internal/build_stages.h"

#include <chrono>
#include <memory>
#include <optional>

#include <nlohmann/json.hpp>

#include "packer/command/internal/build_outputs.h"
#include "packer/command/internal/inputs.h"
#include "packer/command/internal/threads.h"
#include "packer/command/progress.h"
#include "packer/content/named_content.h"
#include "packer/host/files.h"
#include "packer/project/build_fingerprint.h"
#include "packer/project/shipped_loads_file.h"
#include "packer/verdict/judging.h"

namespace seekless {
namespace {

TraceOptions traces_as_told(const BuildFile& file, const std::vector<std::string>& traces) {
  TraceOptions options;
  options.paths = traces;
  options.maps = file.maps;
  options.lenient = file.lenient;
  options.marks.splits = file.splits;
  options.marks.marks = file.marks;
  options.marks.runs = file.runs;
  return options;
}

// Computes how much faster the build's packs are than the replayed reads. Returns none without
// packs or replayed reads.
Result<std::optional<Verdict>> judge_build(const BuildFile& file, ShippedLoads shipped,
                                           const DriveProfile& drive) {
  if (!file.packs || (shipped.loads.empty() && shipped.lacking == Lacking::nothing))
    return std::nullopt;
  const JudgedDrive judged = judge_for(drive, !file.plan.drives.empty()).judged;
  const auto io = runtime::make_system_file_io();
  SKL_TRY(const auto after, swept_seconds({*io, file.packs->folder}, drive));
  // The layout may not contain all assets yet, so loads count as unchanged at first.
  for (JudgedLoad& load : shipped.loads) load.after_s = load.as_shipped_s;
  set_after(shipped.loads, after);
  return judge(judged, Way::packs, std::move(shipped.loads), shipped.lacking, shipped.fit);
}

// Runs the stages once, and stores the result.
class Builder {
 public:
  Builder(const BuildArguments& arguments, const BuildFile& file, PlanOptions plan)
      : arguments_(arguments), file_(file), plan_(std::move(plan)) {}

  Result<BuildAnswer> run() {
    BuildOptions options = arguments_.options;
    const unsigned told = arguments_.threads > 0 ? arguments_.threads : file_.threads;
    options.threads = told > 0 ? told : default_reading_threads();
    plan_.threads = told > 0 ? told : default_threads();
    const ReportFiles& reports = file_.reports;
    options.prices_updates = arguments_.explains || !reports.html.empty() ||
                             !reports.markdown.empty() || !reports.json.empty();
    SKL_TRY(const auto print, fingerprint_of_build(file_, SEEKLESS_VERSION));
    options.fingerprint = print;
    const auto outcome = run_build(file_, options, stages());
    progress_.reset();
    if (!outcome) return std::unexpected(outcome.error());
    const auto last = last_outcome(file_, seconds());
    if (!outcome->is_current || !last) return answer(*outcome, last ? &*last : nullptr);
    const auto written = write_report(file_, *last);
    return written ? Result<BuildAnswer>(*last) : std::unexpected(written.error());
  }

 private:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  BuildStages stages() {
    return {.plan = plan_,
            .profile = [this](const auto& traces, const Content& content,
                              auto& warnings) { return profile(traces, content, warnings); },
            .begin_work =
                [this](const std::string& what, uint64_t total_bytes) {
                  progress_ = std::make_unique<Progress>(what, total_bytes);
                  return &progress_->done_bytes();
                }};
  }

  Result<Profile> profile(const std::vector<std::string>& traces, const Content& content,
                          std::vector<std::string>& warnings) {
    // If the zips have content of their own, this is called again for it.
    const bool is_first = shipped_.loads.empty();
    TraceOptions told = traces_as_told(file_, traces);
    told.may_be_gone = !file_.lock.empty() && kind_of_path(file_.lock) == PathKind::file;
    const auto replay = is_first ? replay_as_shipped(content, plan_.drive) : nullptr;
    auto profile = profile_traces(told, {.roots = file_.roots, .scan = file_.scan}, content,
                                  Output::collecting(warnings), nullptr, replay.get());
    if (!profile || !is_first) return profile;
    shipped_ = replay ? shipped_loads(*replay) : ShippedLoads{.lacking = Lacking::room};
    if (arguments_.options.checks_only) return profile;
    const auto written = write_shipped_loads(shipped_, file_);
    return written ? std::move(profile) : std::unexpected(written.error());
  }

  Result<BuildAnswer> answer(const BuildOutcome& outcome, const BuildAnswer* last) {
    if (shipped_.loads.empty() && outcome.traces > 0) shipped_ = read_shipped_loads(file_);
    BuildAnswer build = build_answer_of(file_, outcome, shipped_.costs, plan_.drive);
    build.is_checked_only = arguments_.options.checks_only;
    build.seconds = seconds();
    if (last != nullptr) keep_reasons(*last, build);
    for (const std::string& warning : outcome.warnings) arguments_.answer.warn(warning);
    if (build.is_checked_only) return build;
    remember_content(file_.roots);  // so 'pack' accepts this layout later
    SKL_TRY(auto verdict, judge_build(file_, std::move(shipped_), plan_.drive));
    build.verdict = std::move(verdict);
    const auto written = write_outcome(file_, plan_.drive, build, last);
    return written ? Result<BuildAnswer>(std::move(build)) : std::unexpected(written.error());
  }

  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const BuildArguments& arguments_;
  const BuildFile& file_;
  PlanOptions plan_;
  ShippedLoads shipped_;  // found while traces are read, or kept by an earlier build
  std::unique_ptr<Progress> progress_;
};

}  // namespace

Result<BuildAnswer> run_stages(const BuildArguments& arguments, const BuildFile& file) {
  SKL_TRY(auto plan, plan_options_of(file.plan, file.path));
  return Builder(arguments, file, std::move(plan)).run();
}

}  // namespace seekless
