#include "packer/command/internal/play_offer.h"

#include <iostream>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/command/internal/play_system.h"
#include "packer/host/standard_streams.h"
#include "packer/host/terminal.h"

namespace seekless {
namespace {

bool is_agreed_to(const std::string& question) {
  say(question);
  std::string answer;
  return std::getline(std::cin, answer) && (answer.starts_with('y') || answer.starts_with('Y'));
}

}  // namespace

void offer_to_lay_out(const PlayArguments& arguments, PlayedRun& run) {
  const PlaySettings& settings = arguments.settings;
  const double saved_s = *run.laying_out_saves_s;
  if (!is_terminal(StandardStream::input) || !is_terminal(StandardStream::error)) {
    say(fmt::format("seekless: --lay-out would save some {:.1f} s of the disk in a load\n",
                    saved_s));
    return;
  }
  if (!is_agreed_to(
          fmt::format("seekless: copy what loads read into one file? That would save some "
                      "{:.1f} s of the disk in a load [y/N] ",
                      saved_s)))
    return;
  auto state = GameState::open(settings.state, settings.game);
  auto locked = state ? state->lock() : std::unexpected(state.error());
  std::string warning;
  const auto laid = locked ? lay_out(*state, settings, state->load(warning))
                           : Result<uint64_t>(std::unexpected(locked.error()));
  if (!laid) return arguments.answer.warn(laid.error().message);
  run.shadow_bytes = *laid;
  say(fmt::format("seekless: {}\n", line_of_laid_out(*laid)));
}

}  // namespace seekless
