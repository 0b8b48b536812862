// seekless where: shows where files physically lie, and how scattered they are. Result: {command,
// files: [{path, bytes, fragments, relative, first_place, extents?}], bytes, fragments, relative,
// path_bytes, devices, drive, seconds, seconds_in_one_piece}
#include <memory>
#include <string>
#include <vector>

#include "packer/answer/where_answer.h"
#include "packer/command/internal/command.h"
#include "packer/command/internal/drive_options.h"
#include "packer/host/files.h"
#include "packer/host/folder_walk.h"
#include "packer/host/terminal.h"
#include "packer/page/picture_of_files.h"

namespace seekless {
namespace {

struct WhereArguments {
  std::vector<std::string> paths;
  std::string drive = kTargetDrive;
  std::string html;
  bool shows_extents = false;
  Output answer;
};

Result<std::vector<std::string>> files_below(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (kind_of_path(path) != PathKind::folder) {
      files.push_back(path);
      continue;
    }
    const auto add = [&](const FoundFile& file) -> Result<void> {
      if (!file.leads_nowhere)
        files.push_back(path + (path.ends_with('/') ? "" : "/") + file.relative_path);
      return {};
    };
    const auto pass_over = [](const std::string&, const std::string&) -> Result<void> {
      return {};
    };
    SKL_TRY_DO(visit_tree(path, {.visit = add, .leads_back = pass_over}));
  }
  if (files.empty())
    return failed({.file = paths.front(), .expected = "files", .found = "an empty folder"});
  return files;
}

Result<std::vector<FileExtents>> extents_of(const std::vector<std::string>& paths) {
  std::vector<FileExtents> files;
  files.reserve(paths.size());
  for (const std::string& path : paths) {
    SKL_TRY(auto file, read_extents(path));
    files.push_back(std::move(file));
  }
  return files;
}

Result<void> run(const WhereArguments& arguments) {
  SKL_TRY(const auto drive, get_drive(arguments.drive));
  SKL_TRY(const auto paths, files_below(arguments.paths));
  SKL_TRY(auto extents, extents_of(paths));
  const FilesOnDisk found = files_on_disk(std::move(extents), drive);
  arguments.answer.line(to_text(found, arguments.shows_extents, terminal_width()));
  if (!arguments.html.empty()) SKL_TRY_DO(write_picture(arguments.html, picture_of(found)));
  return arguments.answer.result(to_json(found, arguments.shows_extents));
}

}  // namespace

void add_where(const Command& tool) {
  auto arguments = std::make_shared<WhereArguments>();
  const Command command =
      tool.add("where", "Show where files are on their disk, and how scattered they are");
  command.option({.name = "PATH",
                  .help = "Files, or folders of them, in the order in which they are read",
                  .is_required = true},
                 arguments->paths);
  command.option({.name = "--extents", .help = "List every extent of every file"},
                 arguments->shows_extents);
  command.option({.name = "--html",
                  .takes = "FILE",
                  .help = "Also write an HTML page that shows the head's path over the files"},
                 arguments->html);
  add_drive_option(command, arguments->drive);
  arguments->answer.add_option(command);
  command.footer("Example:\n  seekless where /usr/share/games/warzone2100/*.wz");
  command.runs([arguments] { return run(*arguments); });
}

}  // namespace seekless
