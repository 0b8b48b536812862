#include "packer/verdict/verdict.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "packer/words/figures.h"

namespace seekless {
namespace {

// A gain of less than a twentieth of the load, or one too short to notice, isn't worth the work.
constexpr double kLeastShare = 0.05;
constexpr double kLeastSeconds = 0.1;
// If less than this share of the recorded reads fits the content, the recordings are of another
// game.
constexpr double kLeastFit = 0.9;

struct ReasonedJudgement {
  Judgement judgement;
  VerdictReason reason;
};

ReasonedJudgement judge_load(const LoadVerdict& of) {
  const JudgedLoad& load = of.load;
  const double saved_s = of.saved_s();
  if (saved_s < 0 && -saved_s >= kLeastShare * load.as_shipped_s)
    return {Judgement::not_worth_it, VerdictReason::slower};
  if (!saves_enough(saved_s, load.as_shipped_s))
    return {Judgement::not_worth_it, VerdictReason::too_little};
  const double load_s = load.as_shipped_s + load.besides_s.value_or(0);
  if (saved_s >= kLeastShare * load_s) return {Judgement::worth_it, VerdictReason::saves};
  if (load.is_slowed) return {Judgement::unknown, VerdictReason::recording};
  return {Judgement::not_worth_it, VerdictReason::other_work};
}

struct Sums {
  double as_shipped_s = 0;
  double saved_s = 0;
  double besides_s = 0;
};

Sums sums_of(const std::vector<LoadVerdict>& loads) {
  Sums sums;
  for (const LoadVerdict& of : loads) {
    sums.as_shipped_s += of.load.as_shipped_s;
    sums.saved_s += of.saved_s();
    sums.besides_s += of.load.besides_s.value_or(0);
  }
  return sums;
}

// Judges the game as a whole. The game is worth it if at least one load is; otherwise it is unknown
// if at least one load is. But if other loads lose as much as those loads gain, it isn't worth it.
ReasonedJudgement judge_all(const std::vector<LoadVerdict>& loads) {
  const double saved_s = sums_of(loads).saved_s;
  for (const Judgement judgement : {Judgement::worth_it, Judgement::unknown}) {
    const auto found = std::ranges::find(loads, judgement, &LoadVerdict::judgement);
    if (found == loads.end()) continue;
    if (saved_s < (judgement == Judgement::worth_it ? kLeastSeconds : 0))
      return {Judgement::not_worth_it,
              saved_s < 0 ? VerdictReason::slower : VerdictReason::too_little};
    return {judgement, found->reason};
  }
  for (const VerdictReason reason :
       {VerdictReason::other_work, VerdictReason::too_little, VerdictReason::slower})
    if (std::ranges::find(loads, reason, &LoadVerdict::reason) != loads.end())
      return {Judgement::not_worth_it, reason};
  return {Judgement::not_worth_it, VerdictReason::no_reads};
}

// Returns the text in brackets after the drive's name.
std::string how_chosen(const JudgedDrive& drive) {
  switch (drive.choice) {
    case DriveChoice::asked_for:
      return "as --drive says";
    case DriveChoice::target:
      return "the target where --drive names none";
    case DriveChoice::content:
      return fmt::format("taken for the content's: {}", drive.found);
    case DriveChoice::assumed:
      return fmt::format("assumed, as the content's can't be told: {}", drive.found);
  }
  return "";
}

}  // namespace

bool saves_enough(double saved_s, double as_shipped_s) {
  return saved_s >= kLeastSeconds && saved_s >= kLeastShare * as_shipped_s;
}

std::string drive_text(const JudgedDrive& drive) {
  return fmt::format("{} ({})", drive.name, how_chosen(drive));
}

namespace {

// Returns a text such as "packs save 3.10 s of" or "packs add 0.02 s to".
std::string saved_text(Way way, bool is_slower, const std::string& seconds) {
  switch (way) {
    case Way::packs:
      return is_slower ? fmt::format("packs add {} to", seconds)
                       : fmt::format("packs save {} of", seconds);
    case Way::zips:
      return is_slower ? fmt::format("archives in another order add {} to", seconds)
                       : fmt::format("archives in another order save {} of", seconds);
    default:
      return fmt::format("reading in order saves at most {} of", seconds);
  }
}

std::string figures_text(const Verdict& verdict, const Sums& sums) {
  const size_t count = verdict.loads.size();
  const auto [saved, as_shipped] = seconds_texts(std::abs(sums.saved_s), sums.as_shipped_s);
  return fmt::format("{} the {} that {} for a {}", saved_text(verdict.way, sums.saved_s < 0, saved),
                     as_shipped,
                     count == 1 ? "a cold load waits" : fmt::format("{} cold loads wait", count),
                     drive_text(verdict.drive));
}

// Says for how many of several loads the verdict doesn't hold.
std::string exceptions(const Verdict& verdict) {
  const auto count = static_cast<size_t>(
      std::ranges::count(verdict.loads, verdict.judgement, &LoadVerdict::judgement));
  const auto slower = static_cast<size_t>(
      std::ranges::count(verdict.loads, VerdictReason::slower, &LoadVerdict::reason));
  std::string text;
  if (count < verdict.loads.size()) text = fmt::format(" It is so for {} of them.", count);
  if (slower > 0 && slower < verdict.loads.size())
    text += fmt::format(" {} of them {} slower.", slower, slower == 1 ? "gets" : "get");
  return text;
}

std::string worth_text(const Verdict& verdict) {
  return fmt::format("Worth it: {}.{}", figures_text(verdict, sums_of(verdict.loads)),
                     exceptions(verdict));
}

std::string not_worth_text(const Verdict& verdict) {
  if (verdict.reason == VerdictReason::solid_state)
    return fmt::format(
        "Nothing to gain: a {} is solid state, where every place is as near as any other.",
        drive_text(verdict.drive));
  if (verdict.reason == VerdictReason::no_reads)
    return "Nothing to gain: nothing of the content was read.";
  const Sums sums = sums_of(verdict.loads);
  std::string text = fmt::format("Not worth it: {}", figures_text(verdict, sums));
  if (verdict.reason == VerdictReason::other_work)
    text += fmt::format("; besides, {} {} for other work",
                        verdict.loads.size() == 1 ? "it takes" : "they take",
                        seconds_text(sums.besides_s));
  return text + "." + exceptions(verdict);
}

// Says how many of the recorded reads no longer fit the content, and why. Empty if all fit.
std::string misfit_text(const RecordedFit& fit) {
  if (fit.misfit == Misfit::none) return "";
  const char* why = fit.misfit == Misfit::past_end ? "reads go past the end of"
                    : fit.misfit == Misfit::changed
                        ? "entries don't begin where they did in the newer file"
                        : "no entry begins where it was recorded in";
  const double percent = 100 * (1 - fit.share());
  return fmt::format("{} % of what was recorded isn't where it was ({} {})",
                     percent < 1 ? "Less than 1" : fmt::format("{:.0f}", std::floor(percent)), why,
                     fit.file);
}

std::string unknown_text(const Verdict& verdict, const RecordedFit& fit) {
  switch (verdict.reason) {
    case VerdictReason::names_only:
      return "Can't tell from this recording: it knows only which files were read, not how much of "
             "them or when.";
    case VerdictReason::no_recordings:
      return "Can't tell from a profile, which doesn't hold the reads themselves: give the "
             "recordings instead.";
    case VerdictReason::no_content:
      return "Can't tell without --content: how long loads take as the game is shipped isn't "
             "known.";
    case VerdictReason::no_room:
      return fmt::format("Can't tell for a {}: what is read doesn't fit on it.",
                         drive_text(verdict.drive));
    case VerdictReason::other_content:
      return fmt::format(
          "Can't tell: the recordings are of other content: {}. Record the game as it is now.",
          misfit_text(fit));
    default:
      return fmt::format(
          "Can't tell from this recording: {}, but recording took {} besides, and nobody knows how "
          "much of that is the recorder's own work.",
          figures_text(verdict, sums_of(verdict.loads)),
          seconds_text(sums_of(verdict.loads).besides_s));
  }
}

std::optional<VerdictReason> reason_of(Lacking lacking) {
  switch (lacking) {
    case Lacking::sizes:
      return VerdictReason::names_only;
    case Lacking::recordings:
      return VerdictReason::no_recordings;
    case Lacking::content:
      return VerdictReason::no_content;
    case Lacking::room:
      return VerdictReason::no_room;
    default:
      return std::nullopt;
  }
}

std::string text_of(const Verdict& verdict, const RecordedFit& fit) {
  const std::string misfit = misfit_text(fit);
  const bool is_the_reason = verdict.reason == VerdictReason::other_content;
  const std::string before = misfit.empty() || is_the_reason ? "" : misfit + ". ";
  switch (verdict.judgement) {
    case Judgement::worth_it:
      return before + worth_text(verdict);
    case Judgement::not_worth_it:
      return before + not_worth_text(verdict);
    default:
      return before + unknown_text(verdict, fit);
  }
}

}  // namespace

Verdict judge(const JudgedDrive& drive, Way way, std::vector<JudgedLoad> loads, Lacking lacking,
              const RecordedFit& fit) {
  Verdict verdict = {
      .way = way, .drive = drive, .loads = {}, .fitting_share = fit.share(), .text = {}};
  const auto take = [&](const ReasonedJudgement& found) {
    verdict.judgement = found.judgement;
    verdict.reason = found.reason;
  };
  for (JudgedLoad& load : loads) {
    LoadVerdict& of = verdict.loads.emplace_back();
    of.load = std::move(load);
    const ReasonedJudgement found =
        drive.is_solid_state
            ? ReasonedJudgement{Judgement::not_worth_it, VerdictReason::solid_state}
            : judge_load(of);
    of.judgement = found.judgement;
    of.reason = found.reason;
  }
  if (drive.is_solid_state)
    take({Judgement::not_worth_it, VerdictReason::solid_state});
  else if (const auto reason = reason_of(lacking))
    take({Judgement::unknown, *reason});
  else if (fit.share() < kLeastFit)
    take({Judgement::unknown, VerdictReason::other_content});
  else
    take(judge_all(verdict.loads));
  verdict.text = text_of(verdict, fit);
  return verdict;
}

}  // namespace seekless
