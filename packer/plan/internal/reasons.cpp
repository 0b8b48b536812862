#include "packer/plan/internal/reasons.h"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_set>

#include <fmt/format.h>

#include "packer/content/zip_directory.h"

namespace seekless {
namespace {

// A sentence lists this many names; the rest are only counted.
constexpr size_t kNamed = 3;
// If a smaller share of a load's assets is unseen, another recording would gain little.
constexpr double kManyUnseen = 0.02;
// A folder belongs to a scenario that reads at least this share of it, and at least kFewest assets.
constexpr double kOwnFolder = 0.5;
constexpr uint64_t kFewest = 4;
// Sums that differ by less than half a millisecond of disk time count as equal.
constexpr double kNothing_s = 0.0005;

std::string count_of(uint64_t count, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

std::string bytes_text(uint64_t bytes) {
  const auto number = static_cast<double>(bytes);
  if (number >= 1e9) return fmt::format("{:.2f} GB", number / 1e9);
  if (number >= 1e6) return fmt::format("{:.1f} MB", number / 1e6);
  return fmt::format("{:.1f} kB", number / 1e3);
}

std::string seconds_text(double seconds) {
  return seconds < 1 ? fmt::format("{:.3f} s", seconds) : fmt::format("{:.2f} s", seconds);
}

// Returns a list such as "a, b, c and 4 more".
std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  const size_t listed = std::min(names.size(), kNamed);
  for (size_t i = 0; i < listed; ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  if (names.size() > kNamed) text += fmt::format(" and {} more", names.size() - kNamed);
  return text;
}

class Explanation {
 public:
  explicit Explanation(const ReasonsInput& input) : input_(input) {}

  std::string text() {
    say_what_is_read();
    if (read_bytes_ > 0) {
      say_what_is_deflated();
      say_what_is_copied();
      say_how_near();
      say_what_is_seldom_read();
      say_what_is_typical();
    }
    say_what_to_record();
    return std::move(text_);
  }

 private:
  void say(const std::string& sentence) {
    if (!text_.empty()) text_ += ' ';
    text_ += sentence;
  }

  // Returns the number of bytes that deflating saves at the asset's present place.
  uint64_t deflated_away_bytes(std::string_view path) const {
    const Asset* asset = input_.content.find(path);
    if (asset == nullptr || asset->place.method != zip_method::kDeflated) return 0;
    return asset->place.size_bytes - std::min(asset->place.stored_bytes, asset->place.size_bytes);
  }

  void say_what_is_read() {
    uint64_t shared_bytes = 0;
    for (const LaidPack& pack : input_.layout.packs)
      for (const LaidAsset& asset : pack.assets) {
        const size_t readers = known_readers(asset);
        if (readers == 0 && !is_seldom_read(asset)) continue;
        if (readers > 1) shared_bytes += asset.size_bytes;
        if (!read_.insert(asset.path).second) continue;
        read_bytes_ += asset.size_bytes;
        deflated_away_bytes_ += deflated_away_bytes(asset.path);
      }
    if (read_bytes_ == 0) {
      say("There is nothing to order: no recording reads anything of the content.");
      return;
    }
    say(fmt::format("{} read {} of {} ({}); nobody reads the rest.",
                    count_of(input_.profile.scenarios.size(), "scenario", "scenarios"),
                    bytes_text(read_bytes_), bytes_text(input_.content_bytes),
                    count_of(read_.size(), "asset", "assets")));
    if (shared_bytes > 0)
      say(fmt::format("{} of that serve several scenarios from the common pack.",
                      bytes_text(shared_bytes)));
  }

  // Without reading the content, it isn't known how much LZ4 saves. But the archives' directories
  // show how much deflating saved.
  void say_what_is_deflated() {
    if (!is_worth_compressing(read_bytes_, read_bytes_ - deflated_away_bytes_)) return;
    say(
        fmt::format("The predictions assume raw packs. Deflated, as in its archives, this content "
                    "is {} shorter, so packs compressed with LZ4 load faster than predicted: "
                    "'pack' makes them of such content, and 'build' with \"codec\": \"lz4\".",
                    bytes_text(deflated_away_bytes_)));
  }

  void say_what_is_copied() {
    const Prediction& prediction = input_.prediction;
    if (input_.costs.jump_s == 0) {
      say(
          fmt::format("Nothing is copied: on {} every place is as near as any other, so copies "
                      "would cost room and win nothing.",
                      prediction.drive));
      return;
    }
    if (prediction.curve.empty() || (prediction.curve.size() < 2 && prediction.copied_bytes == 0)) {
      say("Nothing is copied, and nothing could be won by it.");
      return;
    }
    const double saved_s = prediction.curve.front().seconds - prediction.seconds;
    if (prediction.copied_bytes == 0)
      say("Nothing is copied.");
    else
      say(fmt::format("Copies of {} save {} over all scenarios ({:.2f} s for a GB).",
                      bytes_text(prediction.copied_bytes), seconds_text(saved_s),
                      per_gb(saved_s, prediction.copied_bytes)));
    const auto next = std::ranges::find_if(prediction.curve, [&](const CopyPrice& point) {
      return point.copied_bytes > prediction.copied_bytes &&
             point.seconds < prediction.seconds - kNothing_s;
    });
    if (next == prediction.curve.end()) {
      say("More copies would win nothing.");
      return;
    }
    const uint64_t more_bytes = next->copied_bytes - prediction.copied_bytes;
    const double more_s = prediction.seconds - next->seconds;
    const double density = per_gb(more_s, more_bytes);
    say(fmt::format(
        "Another {} would save {} ({:.2f} s for a GB): {}.", bytes_text(more_bytes),
        seconds_text(more_s), density,
        density < input_.gain_s_per_gb
            ? fmt::format("less than the {:g} asked for", input_.gain_s_per_gb)
        : input_.budget_ratio && next->size_ratio > *input_.budget_ratio
            ? fmt::format("more than the budget of {:g} has room for", *input_.budget_ratio)
            : std::string("the first of them pay too little")));
  }

  static double per_gb(double seconds, uint64_t bytes) {
    return bytes == 0 ? 0 : seconds / (static_cast<double>(bytes) / 1e9);
  }

  void say_how_near() {
    const LaidScenario* least = nullptr;
    const LaidScenario* most = nullptr;
    const auto over = [](const LaidScenario& of) {
      return of.predicted->sweep_s / of.predicted->bound_s;
    };
    for (const LaidScenario& scenario : recorded()) {
      if (!scenario.predicted || scenario.predicted->needed_bytes == 0) continue;
      if (least == nullptr || over(scenario) < over(*least)) least = &scenario;
      if (most == nullptr || over(scenario) > over(*most)) most = &scenario;
    }
    if (least == nullptr) return;
    if (least == most)
      say(
          fmt::format("Sweeping {} takes {:.2f} times the bound: all that is needed at the drive's "
                      "rate, and one seek.",
                      least->name, over(*least)));
    else
      say(
          fmt::format("Sweeps take {:.2f} ({}) to {:.2f} ({}) times the bound: all that is needed "
                      "at the drive's rate, and one seek.",
                      over(*least), least->name, over(*most), most->name));
  }

  // Returns the recorded scenarios, without the typical one and unrecorded maps.
  std::span<const LaidScenario> recorded() const {
    return std::span(input_.layout.scenarios).first(input_.profile.scenarios.size());
  }

  // Counts the readers except unrecorded maps, which come after the typical scenario.
  size_t known_readers(const LaidAsset& laid) const {
    const std::vector<uint32_t>& readers = input_.layout.scenario_sets[laid.scenario_set];
    return static_cast<size_t>(std::ranges::upper_bound(readers, recorded().size()) -
                               readers.begin());
  }

  bool is_seldom_read(const LaidAsset& laid) const {
    if (input_.seldom.empty()) return false;
    const Asset* asset = input_.content.find(laid.path);
    return asset != nullptr &&
           input_.needs.is_seldom_read(static_cast<uint32_t>(asset - input_.content.assets.data()));
  }

  void say_what_is_seldom_read() {
    for (size_t i = 0; i < std::min(kNamed, input_.seldom.size()); ++i) {
      const SeldomRead& of = input_.seldom[i];
      say(fmt::format(
          "The sweep of {} leaves out {} ({}) that only some of its runs read: a load "
          "asks for those that it needs, and takes {} instead of {}.",
          recorded()[of.scenario].name, count_of(of.assets, "asset", "assets"),
          bytes_text(of.left_bytes), seconds_text(of.left_to_ask_s), seconds_text(of.all_swept_s)));
    }
    if (input_.seldom.size() > kNamed)
      say(fmt::format("The same holds for {} more scenarios.", input_.seldom.size() - kNamed));
  }

  void say_what_is_typical() {
    const Typical& typical = input_.typical;
    if (typical.needed_bytes == 0) return;
    const std::string seconds = seconds_text(typical.load.sweep_s);
    if (typical.assets.empty()) {
      say(fmt::format("A map that nobody recorded: {}, asked for one by one.",
                      seconds_text(typical.load.demand_s)));
      return;
    }
    say(
        fmt::format("A map that nobody recorded: {}, if the typical scenario is swept (assets that "
                    "at least {:.0f} % of the maps need) and the rest is asked for one by one; {} "
                    "if everything is asked for one by one.",
                    seconds, typical.share * 100, seconds_text(typical.load.demand_s)));
    const size_t maps = input_.layout.scenarios.size() - recorded().size() - 1;
    if (maps > 0)
      say(fmt::format(
          "{} of the content that nobody recorded, such as {}: {}, since {} brings what "
          "the map's own files mention, too.",
          count_of(maps, "map", "maps"), input_.layout.scenarios.back().name,
          seconds_text(typical.mentioned_load.sweep_s),
          maps == 1 ? "its sweep" : "each one's sweep"));
  }

  void say_what_to_record() {
    for (const GoneAssets& gone : input_.needs.gone)
      if (&gone < input_.needs.gone.data() + kNamed)
        say(fmt::format("Record {} again: {} that it read {} gone.", gone.scenario,
                        count_of(gone.paths.size(), "asset", "assets"),
                        gone.paths.size() == 1 ? "is" : "are"));
    if (input_.needs.gone.size() > kNamed)
      say(fmt::format("Assets of {} more scenarios are gone, too.",
                      input_.needs.gone.size() - kNamed));
    for (size_t i = 0; i < std::min(kNamed, input_.outliers.size()); ++i) {
      const ProfiledScenario& scenario = input_.profile.scenarios[input_.outliers[i].scenario];
      say(fmt::format(
          "Run {} of {} differs from the others: was it recorded under a wrong name, or cut short?",
          scenario.runs[input_.outliers[i].run].trace, scenario.name));
    }
    if (input_.outliers.size() > kNamed)
      say(fmt::format("There are {} more such runs.", input_.outliers.size() - kNamed));
    say_unseen();
    say_recorded_once();
    say_new_assets();
  }

  void say_unseen() {
    std::vector<std::string> names;
    for (size_t i = 0; i < recorded().size(); ++i) {
      // These assets aren't new: some runs read them, but the sweep leaves them out.
      if (std::ranges::count(input_.seldom, i, &SeldomRead::scenario) > 0) continue;
      const LaidScenario& scenario = recorded()[i];
      size_t most = 0;
      for (const ProfiledRun& run : input_.profile.scenarios[i].runs)
        most = std::max(most, run.assets.size());
      if (scenario.predicted && scenario.predicted->is_held_out &&
          scenario.predicted->unseen_assets > kManyUnseen * static_cast<double>(most))
        names.push_back(scenario.name);
    }
    if (names.empty()) return;
    say(fmt::format("Each run of {} reads things that no other has read: record more of them.",
                    list_of(names)));
  }

  void say_recorded_once() {
    std::vector<std::string> names;
    for (const LaidScenario& scenario : input_.layout.scenarios)
      if (scenario.runs == 1) names.push_back(scenario.name);
    if (names.empty()) return;
    say(
        fmt::format("{} {} recorded once only: what other runs would read isn't known, and "
                    "predictions are of that recording.",
                    list_of(names), names.size() == 1 ? "was" : "were"));
  }

  // Mentions content that nobody read, in folders that one scenario reads. It may be newer than the
  // recordings.
  void say_new_assets() {
    struct Folder {
      uint64_t unread = 0;
      // Indexed by scenario: number of assets that only it reads.
      std::map<uint32_t, uint64_t> read;
    };
    std::map<std::string_view, Folder> folders;
    for (const LaidPack& pack : input_.layout.packs)
      for (const LaidAsset& asset : pack.assets) {
        const size_t slash = asset.path.find_last_of('/');
        if (slash == std::string::npos) continue;
        Folder& folder = folders[std::string_view(asset.path).substr(0, slash)];
        const std::vector<uint32_t>& readers = input_.layout.scenario_sets[asset.scenario_set];
        if (readers.empty())
          folder.unread += read_.contains(asset.path) ? 0 : 1;
        else if (known_readers(asset) == 1 && readers.front() < recorded().size())
          ++folder.read[readers.front()];
      }
    std::map<uint32_t, std::pair<uint64_t, std::string_view>> of_scenario;
    for (const auto& [path, folder] : folders)
      for (const auto& [scenario, read] : folder.read) {
        const auto all = static_cast<double>(read + folder.unread);
        if (folder.unread == 0 || read < kFewest || static_cast<double>(read) < kOwnFolder * all)
          continue;
        auto& [unread, example] = of_scenario[scenario];
        unread += folder.unread;
        if (example.empty()) example = path;
      }
    size_t said = 0;
    for (const auto& [scenario, unread] : of_scenario)
      if (said++ < kNamed)
        say(fmt::format(
            "{} beside those that {} reads (in {}) {} never read: if newer than its "
            "recordings, record it again.",
            count_of(unread.first, "asset", "assets"), input_.layout.scenarios[scenario].name,
            unread.second, unread.first == 1 ? "was" : "were"));
  }

  const ReasonsInput& input_;
  std::string text_;
  // Holds each asset once, wherever its copies lie. The common pack keeps some assets whose readers
  // all have copies.
  std::unordered_set<std::string_view> read_;
  uint64_t read_bytes_ = 0;
  // Bytes that deflating saves, for these assets at their present places.
  uint64_t deflated_away_bytes_ = 0;
};

}  // namespace

std::string explain(const ReasonsInput& input) {
  return Explanation(input).text();
}

}  // namespace seekless
