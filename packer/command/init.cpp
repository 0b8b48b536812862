// seekless init: writes a commented build file for a folder.
#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/answer/init_answer.h"
#include "packer/base/paths.h"
#include "packer/command/internal/command.h"
#include "packer/command/progress.h"
#include "packer/content/content.h"
#include "packer/host/file_stamp.h"
#include "packer/host/files.h"
#include "packer/profile/profile_builder.h"
#include "packer/profile/unmapped.h"
#include "packer/project/build_file.h"
#include "packer/trace/dialect.h"

namespace seekless {
namespace {

struct InitArguments {
  std::string folder = ".";
  Output answer;
};

// Finds the value of "map": the content's path in the recordings, if it differs from its path here.
// Returns an empty text if none is found; a build reports that in detail.
std::string find_map(const std::string& folder, const StarterFile& starter) {
  const std::string here = canonical_path(folder);
  const auto content =
      scan_content({here + (starter.content == "." ? "" : "/" + starter.content)}, {});
  if (!content) return "";
  const auto progress = Progress::of_reading("reading recordings", {});
  for (const std::string& sample : starter.samples) {
    ProfileBuilder builder(*content);
    builder.start_trace(sample, "sample");
    if (!read_trace(here + "/" + sample, {}, builder)) continue;
    const Mapping mapping = builder.finish_trace();
    if (share_without_system(mapping) >= kLeastMappedShare) continue;
    const auto map = fitting_map(mapping, *content);
    if (!map || !lies_in(map->to, here)) continue;
    const std::string to = map->to.substr(std::min(map->to.size(), here.size() + 1));
    return fmt::format("{}={}", map->from, to.empty() ? "." : to);
  }
  return "";
}

Result<void> run(const InitArguments& arguments) {
  const std::string path = (arguments.folder == "." ? "" : arguments.folder + "/") + kBuildFileName;
  if (kind_of_path(path) != PathKind::missing)
    return failed({.file = path,
                   .expected = "no build file yet",
                   .found = "one",
                   .advice = "edit it, or move it away"});
  SKL_TRY(const auto files, stamp_folder(arguments.folder));
  SKL_TRY(auto starter, make_starter_file(files, arguments.folder));
  starter.map = find_map(arguments.folder, starter);
  starter.text = text_of(starter);
  SKL_TRY_DO(write_text(path, starter.text));
  const InitAnswer answer = {
      .folder = arguments.folder, .build_file = path, .starter = std::move(starter)};
  arguments.answer.line(to_text(answer));
  arguments.answer.next(answer.folder == "." ? std::vector<std::string>{"build"}
                                             : std::vector{std::string("build"), answer.folder});
  return arguments.answer.result(to_json(answer));
}

}  // namespace

void add_init(const Command& tool) {
  auto arguments = std::make_shared<InitArguments>();
  const Command command = tool.add("init", "Write a first build file for a folder");
  command.option({.name = "FOLDER", .help = "The folder with the content and any recordings"},
                 arguments->folder);
  arguments->answer.add_option(command);
  command.footer("Example:\n  seekless init game");
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless
