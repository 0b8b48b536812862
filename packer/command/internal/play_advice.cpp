#include "packer/command/internal/play_advice.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <numeric>
#include <utility>
#include <vector>

#include "packer/command/internal/advising.h"
#include "packer/command/internal/played_loads.h"
#include "packer/foresee/laid_out.h"
#include "packer/host/block_device.h"
#include "packer/host/interrupt.h"
#include "packer/host/whole_files.h"
#include "packer/serve/lay_out_process.h"
#include "packer/verdict/verdict.h"
#include "packer/verdict/ways.h"

namespace seekless {
namespace {

// Less isn't worth changing files for.
constexpr double kLeastShare = 0.1;
constexpr auto kMostTime = std::chrono::seconds(60);

// Both ways need space for new files.
bool has_room(const std::string& folder, const Learned& learned) {
  const std::vector<uint64_t> sizes = sizes_of_files(learned, folder);
  const auto free = free_bytes(folder);
  return free && *free / 2 >= std::accumulate(sizes.begin(), sizes.end(), uint64_t{0});
}

const AdvisedWay* find_way(const AdviseAnswer& answer, LoadWay way) {
  const auto found = std::ranges::find(answer.ways, way, &AdvisedWay::way);
  return found == answer.ways.end() || !found->seconds ? nullptr : &*found;
}

// Returns the seconds of a load by `play`, of which a part may not be laid out for want of room.
std::optional<double> seconds_now(const AdviseAnswer& answer, const LaidOut& there) {
  const AdvisedWay* learned = find_way(answer, LoadWay::play);
  const AdvisedWay* copied = find_way(answer, LoadWay::laid_out);
  if (learned == nullptr || copied == nullptr || there.likely_bytes == 0) return std::nullopt;
  const double share =
      static_cast<double>(there.laid_out_bytes) / static_cast<double>(there.likely_bytes);
  return share * *copied->seconds + (1 - share) * *learned->seconds;
}

bool can_be_used(const AdvisedWay& way) {
  return way.why_not.empty() || way.needs_recording;
}

// Returns the faster of `place` and `repack`, if it beats `play` by enough.
std::optional<PlayedAdvice> better_way(const AdviseAnswer& answer, double played_s) {
  const AdvisedWay* best = nullptr;
  for (const LoadWay of : {LoadWay::place, LoadWay::repack}) {
    const AdvisedWay* way = find_way(answer, of);
    if (way == nullptr || !can_be_used(*way)) continue;
    if (best == nullptr || *way->seconds < *best->seconds) best = way;
  }
  if (best == nullptr || *best->seconds > played_s * (1 - kLeastShare) ||
      !saves_enough(played_s - *best->seconds, played_s))
    return std::nullopt;
  return PlayedAdvice{
      .way = name_of(best->way), .seconds = *best->seconds, .played_s = played_s, .command = {}};
}

Result<void> find_and_note(const GameState& state, const PlaySettings& settings) {
  std::string warning;
  const Learned learned = state.load(warning);
  if (!has_room(settings.game.folder, learned)) return {};
  std::vector<std::string> unsaid;
  AskedAdvice asked;
  asked.inputs.content = {settings.game.path()};
  asked.state = settings.state;
  asked.tries_out = false;
  SKL_TRY(const auto answer, get_advice(asked, {}, Output::collecting(unsaid)));
  const auto played_s = seconds_now(answer, laid_out(learned));
  if (!played_s) return {};
  if (const auto advice = better_way(answer, *played_s)) return state.note_advice(to_text(*advice));
  return {};
}

}  // namespace

// 'advise' looks a game up by its folder, not by its name. A server that doesn't answer could hold
// the process, and so the state's lock, for ever. The empty note is made first, so that a
// comparison that was ended isn't repeated after each run.
void note_advice(const GameState& state, const PlaySettings& settings) {
  if (is_interrupted() || !settings.game.name.empty() || state.has_advice()) return;
  if (drive_of_path(settings.game.folder).is_on_network || !state.note_advice("")) return;
  end_after(kMostTime);
  try {
    static_cast<void>(find_and_note(state, settings));
  } catch (const std::exception&) {
  }
}

std::optional<PlayedAdvice> take_advice(const GameState& state, const PlaySettings& settings) {
  auto advice = played_advice_of(state.take_advice());
  if (!advice) return std::nullopt;
  advice->command = {"advise"};
  if (!settings.state.empty())
    advice->command.insert(advice->command.end(), {"--state", settings.state});
  advice->command.push_back(settings.game.path());
  return advice;
}

}  // namespace seekless
