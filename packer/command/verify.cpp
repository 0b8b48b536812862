// seekless verify: checks every byte of packs.
#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/answer/verify_answer.h"
#include "packer/command/internal/command.h"
#include "packer/command/internal/threads.h"
#include "packer/command/progress.h"
#include "packer/host/files.h"

namespace seekless {
namespace {

struct VerifyArguments {
  std::vector<std::string> paths;
  unsigned threads = default_threads();
  Output answer;
};

uint64_t size_on_disk(const std::string& path) {
  if (kind_of_path(path) != PathKind::folder) {
    const auto source = open_source(path);
    return source ? (*source)->size_bytes() : 0;
  }
  uint64_t bytes = 0;
  if (const auto files = walk_folder(path))
    for (const FoundFile& file : *files) bytes += file.size_bytes;
  return bytes;
}

Result<void> run(const VerifyArguments& arguments) {
  uint64_t total_bytes = 0;
  for (const std::string& path : arguments.paths) total_bytes += size_on_disk(path);
  Progress progress("verifying", total_bytes);
  VerifyReport all;
  for (const std::string& path : arguments.paths) {
    SKL_TRY(const auto report,
            verify(path, {.threads = arguments.threads, .done_bytes = &progress.done_bytes()}));
    all.packs += report.packs;
    all.assets += report.assets;
    all.bytes += report.bytes;
    all.damages.insert(all.damages.end(), report.damages.begin(), report.damages.end());
  }
  progress.finish();
  const std::string checked = checked_text(all);
  if (!all.damages.empty()) arguments.answer.line(damages_text(all));
  if (all.damages.empty()) {
    arguments.answer.line(fmt::format("all sound: {}", checked));
    arguments.answer.next({"info", arguments.paths.front()});
  }
  SKL_TRY_DO(arguments.answer.result(to_json(all)));
  const auto unseen = static_cast<uint64_t>(
      std::ranges::count_if(all.damages, [](const Damage& damage) { return damage.is_unseen; }));
  const uint64_t damages = all.damages.size() - unseen;
  if (damages > 0)
    return damaged({.place = fmt::format("{} in {}", counted(damages, "damage"), checked),
                    .advice = "pack again, or fetch the damaged files anew"});
  if (unseen > 0)
    return failed(
        {.place = fmt::format("{} in {} can't be read", counted(unseen, "place"), checked),
         .expected = "all of it to be read",
         .found = all.damages.front().what,
         .advice = "mend that and verify again; nothing was found damaged"});
  return {};
}

}  // namespace

void add_verify(const Command& tool) {
  auto arguments = std::make_shared<VerifyArguments>();
  const Command command = tool.add("verify", "Check every byte of pack sets or packs");
  command.option(
      {.name = "DIR|PACK", .help = "Pack sets' folders, or single packs", .is_required = true},
      arguments->paths);
  command.option({.name = "-j,--threads", .help = "Number of threads", .range = OptionRange{1, 64}},
                 arguments->threads);
  arguments->answer.add_option(command);
  command.footer("Example:\n  seekless verify packs");
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless
