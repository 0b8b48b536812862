// Says in a paragraph whether reading is what a load waits for, and what a better order could save:
// no more than the trace and the model can tell.
#include <algorithm>

#include <fmt/format.h>

#include "packer/analysis/analysis.h"
#include "packer/analysis/sum.h"
#include "packer/report/figures.h"

namespace seekless {
namespace {

// Below a twentieth of the load, or below what anyone notices, winning isn't worth the work.
constexpr double kLeastShare = 0.05;
constexpr double kLeastSeconds = 0.1;
constexpr double kMostOfIt = 0.5;
// With fewer timed reads than this share, the time in reads is a lower bound and no more.
constexpr double kTimedShare = 0.95;

double seconds(uint64_t ns) {
  return static_cast<double>(ns) / 1e9;
}

double share(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string count_of(uint64_t count, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", grouped(count), count == 1 ? one : several);
}

std::string percent(double part, double whole) {
  return fmt::format("{:.0f} %", whole > 0 ? 100 * part / whole : 0);
}

// What the sentences are made of.
struct Facts {
  const RunFigures& run;
  const std::string& drive;
  double span_s;
  double read_s;  // at least one read under way
  bool is_timed;  // whether that is known
  double cold_s;  // by the model
  double bound_s;
};

Facts facts_of(const RunFigures& run, const std::string& drive) {
  return {.run = run,
          .drive = drive,
          .span_s = seconds(run.time.span_ns),
          .read_s = seconds(run.time.read_ns),
          .is_timed = run.time.timed_reads > 0,
          .cold_s = run.cold ? run.cold->cost.seconds : 0,
          .bound_s = run.cold ? run.cold->bound_seconds : 0};
}

std::string nothing_read(const RunFigures& run) {
  std::string text = "There is nothing to win here: no file was read.";
  if (run.failed_opens > 0)
    text +=
        fmt::format(" {} failed and took {} in all.",
                    count_of(run.failed_opens, "attempt to open a file", "attempts to open one"),
                    seconds_text(seconds(run.failed_ns)));
  if (run.maps > 0)
    text += fmt::format(
        " Memory mapped from files ({}) may have been read; traces of calls don't show it.",
        bytes_text(run.mapped_bytes));
  return text;
}

std::string measured(const Facts& facts) {
  const TimeFigures& time = facts.run.time;
  const uint64_t reads = facts.run.reads + facts.run.empty_reads;
  std::string text = fmt::format(
      "In the recording at least one read was under way for {}{} of {} ({}); the other {} went to "
      "something else, which no order of reading shortens.",
      share(time.timed_reads, reads) < kTimedShare ? "at least " : "", seconds_text(facts.read_s),
      seconds_text(facts.span_s), percent(facts.read_s, facts.span_s),
      seconds_text(std::max(0.0, facts.span_s - facts.read_s)));
  if (share(time.timed_reads, reads) < kTimedShare)
    text += fmt::format(" Durations are known of {} of the reads.",
                        percent(static_cast<double>(time.timed_reads), static_cast<double>(reads)));
  return text;
}

std::string warm(const Facts& facts) {
  return fmt::format(
      "The recording can't show it: its reads took {} in all, of a span of {}, but the drive needs "
      "{} for the same bytes in one sweep; so they came from memory, or from a faster drive.",
      seconds_text(facts.read_s), seconds_text(facts.span_s), seconds_text(facts.bound_s));
}

std::string untimed(const Facts& facts) {
  if (facts.span_s <= 0) return "The trace doesn't tell how long anything took.";
  return fmt::format("The trace doesn't tell how long reads took, only that all of it took {}.",
                     seconds_text(facts.span_s));
}

std::string modelled(const Facts& facts) {
  const LoadCost& cost = facts.run.cold->cost;
  std::string text = fmt::format(
      "By the model, a cold {} is busy with these reads for {}, with {}; reading the same {} in "
      "order takes {}.",
      facts.drive, seconds_text(facts.cold_s), count_of(cost.seeks, "seek", "seeks"),
      bytes_text(facts.run.content ? facts.run.content->needed_bytes : facts.run.needed_bytes),
      seconds_text(facts.bound_s));
  if (facts.run.maps > 0 && facts.run.mapped_bytes > facts.run.bytes / 10)
    text += fmt::format(" {} of mapped memory are not in these figures.",
                        bytes_text(facts.run.mapped_bytes));
  return text;
}

std::string won(const Facts& facts, const Conclusion& conclusion) {
  const double load_s = conclusion.cold_load_seconds;
  if (!facts.is_timed)
    return fmt::format("Order saves up to {}.", seconds_text(conclusion.winnable_seconds));
  return fmt::format("A cold load would take about {}; order saves up to {} of it ({}).",
                     seconds_text(load_s), seconds_text(conclusion.winnable_seconds),
                     percent(conclusion.winnable_seconds, load_s));
}

Verdict verdict_of(const Conclusion& conclusion) {
  const double won_share = conclusion.winnable_seconds / conclusion.cold_load_seconds;
  if (conclusion.winnable_seconds < kLeastSeconds || !(won_share >= kLeastShare))
    return Verdict::nothing_to_win;
  return won_share > kMostOfIt ? Verdict::bottleneck : Verdict::part;
}

std::string lead(Verdict verdict) {
  switch (verdict) {
    case Verdict::nothing_to_win:
      return "There is nothing to win here.";
    case Verdict::part:
      return "Reading is a part of a cold load, but not most of it.";
    case Verdict::bottleneck:
      return "Reading is the bottleneck of a cold load.";
    default:
      return "Whether reading is the bottleneck can't be told.";
  }
}

}  // namespace

RunTotal total_of(const std::vector<RunFigures>& runs) {
  RunTotal total;
  for (const RunFigures& run : runs) {
    add_to(total.reads, run.reads);
    add_to(total.bytes, run.bytes);
    add_to(total.needed_bytes, run.needed_bytes);
    add_to(total.span_ns, run.time.span_ns);
    add_to(total.read_ns, run.time.read_ns);
    if (!run.cold) continue;
    total.cold_seconds += run.cold->cost.seconds;
    total.bound_seconds += run.cold->bound_seconds;
  }
  return total;
}

Conclusion conclude(const RunFigures& run, const std::string& drive) {
  Conclusion conclusion;
  if (run.reads == 0) {
    conclusion.verdict = Verdict::nothing_read;
    conclusion.text = nothing_read(run);
    return conclusion;
  }
  const Facts facts = facts_of(run, drive);
  conclusion.is_warm = facts.is_timed && run.cold && facts.read_s < facts.bound_s;
  const bool knows_names_only = run.whole_files == run.reads;
  if (run.cold) {
    const double reading_s = std::max(facts.read_s, facts.cold_s);
    conclusion.winnable_seconds = std::max(0.0, reading_s - facts.bound_s);
    conclusion.cold_load_seconds = facts.is_timed
                                       ? std::max(facts.span_s - facts.read_s, 0.0) + reading_s
                                       : std::max(facts.span_s, facts.cold_s);
    if (!knows_names_only) conclusion.verdict = verdict_of(conclusion);
  }
  if (knows_names_only) {
    conclusion.verdict = Verdict::names_only;
    conclusion.text = lead(conclusion.verdict) +
                      " The trace tells only which files were read and in which order, not how "
                      "much of them or for how long.";
    if (run.cold) conclusion.text += " If they were read whole: " + modelled(facts);
    return conclusion;
  }
  conclusion.text = lead(conclusion.verdict) + " ";
  if (!facts.is_timed)
    conclusion.text += untimed(facts);
  else
    conclusion.text += conclusion.is_warm ? warm(facts) : measured(facts);
  if (run.cold) conclusion.text += " " + modelled(facts) + " " + won(facts, conclusion);
  return conclusion;
}

}  // namespace seekless
