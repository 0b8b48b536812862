// Says in a paragraph what was measured and what the model makes of it. The verdict itself is made
// in packer/verdict.
#include <algorithm>

#include <fmt/format.h>

#include "packer/analysis/sum.h"
#include "packer/answer/analyze_answer.h"
#include "packer/answer/report_totals.h"
#include "packer/words/figures.h"

namespace seekless {
namespace {

// Calls that take less than this share of the time, or than this many seconds, aren't mentioned.
constexpr double kLeastShare = 0.05;
constexpr double kLeastSeconds = 0.1;
// Two figures of the model that differ by less than this factor are shown as one.
constexpr double kAlike = 1.1;
// If a smaller share of the reads is timed, the time in reads is only a lower bound.
constexpr double kTimedShare = 0.95;

double share(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string percent(double part, double whole) {
  return fmt::format("{:.0f} %", whole > 0 ? 100 * part / whole : 0);
}

// Collects the figures that the sentences are made of.
struct Facts {
  const RunFigures& run;
  const std::string& drive;
  double span_s;
  double read_s;  // time with at least one read under way
  bool is_timed;  // true if read_s is known
  double cold_s;  // seconds that the model predicts
  double scattered_s;
  double bound_s;
};

Facts facts_of(const RunFigures& run, const std::string& drive) {
  return {.run = run,
          .drive = drive,
          .span_s = seconds_of_ns(run.time.span_ns),
          .read_s = seconds_of_ns(run.time.read_ns),
          .is_timed = run.time.timed_reads > 0,
          .cold_s = run.cold ? run.cold->cost.seconds : 0,
          .scattered_s = run.cold ? run.cold->scattered.seconds : 0,
          .bound_s = run.cold ? run.cold->bound_seconds : 0};
}

std::string nothing_read(const RunFigures& run) {
  std::string text = "No file was read.";
  if (run.failed_opens > 0)
    text += fmt::format(
        " {} failed and took {} in all.",
        grouped_count(run.failed_opens, "attempt to open a file", "attempts to open one"),
        seconds_text(seconds_of_ns(run.failed_ns)));
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
    text += fmt::format(" The durations of {} of the reads are known.",
                        percent(static_cast<double>(time.timed_reads), static_cast<double>(reads)));
  return text;
}

// Returns the part of the time in reads that was spent waiting for a drive. It is capped, because
// threads' waits overlap.
double wait_s(const Facts& facts) {
  return std::min(facts.read_s, seconds_of_ns(facts.run.time.wait_ns));
}

// Returns the sentence about the time that the system calls themselves took, which is a larger
// share for short reads.
std::string calls(const Facts& facts) {
  const TimeFigures& time = facts.run.time;
  const double calls_s = facts.read_s - wait_s(facts);
  if (calls_s < kLeastSeconds || calls_s < kLeastShare * facts.read_s) return "";
  return fmt::format(
      " Of the time in reads {} went to the {} that waited for a drive, and {} to the other {}: "
      "calls "
      "that longer reads save, but mostly the recorder's own time.",
      seconds_text(wait_s(facts)), grouped_count(time.waits, "read", "reads"),
      seconds_text(calls_s), grouped_count(time.timed_reads - time.waits, "one", "ones"));
}

std::string warm(const Facts& facts) {
  return fmt::format(
      "The recording can't show how long a drive takes: its reads took {} of {}, {} of that "
      "waiting "
      "for one, but a {} needs {} for the same bytes in one sweep; so they came from memory, or "
      "from "
      "a faster drive.",
      seconds_text(facts.read_s), seconds_text(facts.span_s), seconds_text(wait_s(facts)),
      facts.drive, seconds_text(facts.bound_s));
}

std::string untimed(const Facts& facts) {
  if (facts.span_s <= 0) return "The trace doesn't tell how long anything took.";
  return fmt::format("The trace doesn't tell how long reads took, only that all of it took {}.",
                     seconds_text(facts.span_s));
}

std::string modelled(const Facts& facts) {
  const ColdFigures& cold = *facts.run.cold;
  const bool is_one = facts.scattered_s <= facts.cold_s * kAlike;
  std::string text =
      fmt::format("By the model, a cold {} is busy with these reads for {}, with {}", facts.drive,
                  seconds_text(facts.cold_s), grouped_count(cold.cost.seeks, "seek", "seeks"));
  text += fmt::format(
      "; the same {} in order take {}",
      bytes_text(facts.run.content ? facts.run.content->needed_bytes : facts.run.needed_bytes),
      seconds_text(facts.bound_s));
  text += is_one ? "."
                 : fmt::format(
                       ", if the files lie side by side. If they lie all over it: {}, with {}; in "
                       "order {}.",
                       seconds_text(facts.scattered_s),
                       grouped_count(cold.scattered.seeks, "seek", "seeks"),
                       seconds_text(cold.scattered_bound_seconds));
  if (facts.run.maps > 0 && facts.run.mapped_bytes > facts.run.bytes / 10)
    text += fmt::format(" {} of mapped memory are not in these figures.",
                        bytes_text(facts.run.mapped_bytes));
  return text;
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
    conclusion.text = nothing_read(run);
    return conclusion;
  }
  const Facts facts = facts_of(run, drive);
  // Even with perfect read-ahead, reads on a disk wait for most of the time that a sweep takes.
  conclusion.is_warm = facts.is_timed && run.cold &&
                       (facts.read_s < facts.bound_s ||
                        (run.cold->cost.seeks > 0 && wait_s(facts) < facts.bound_s / 2));
  if (run.whole_files == run.reads) {
    conclusion.text =
        "The trace tells only which files were read and in which order, not how much of them or "
        "for how long.";
    if (run.cold) conclusion.text += " If they were read whole: " + modelled(facts);
    return conclusion;
  }
  if (!facts.is_timed)
    conclusion.text = untimed(facts);
  else
    conclusion.text = conclusion.is_warm ? warm(facts) : measured(facts) + calls(facts);
  if (run.cold) conclusion.text += " " + modelled(facts);
  return conclusion;
}

std::vector<std::string> assumptions_of(const std::vector<RunFigures>& runs, bool has_content) {
  if (std::ranges::none_of(runs, [](const RunFigures& run) { return run.cold.has_value(); }))
    return {};
  const std::string files = has_content ? "Only the content's files cost the drive time."
                                        : "Files are as long as the trace reads them.";
  const std::string order = has_content ? "in the content's order."
                                        : "in the order they are first named, the kindest case.";
  return {
      files +
          " Each lies in one piece. Side by side: one right after the other from the drive's "
          "start on, " +
          order,
      "A cold drive: nothing is in memory at the start; the system reads ahead by up to 128 KiB "
      "per open file, as Linux does; directories cost nothing."};
}

}  // namespace seekless
