// seekless where: where files physically lie, and how scattered.
// Result: {command, files: [{path, bytes, fragments, relative, first_place, extents?}], bytes,
// fragments, relative, path_bytes, devices, drive, seconds, seconds_in_one_piece}
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "packer/command/command.h"
#include "packer/command/drive_options.h"
#include "packer/drive/drive.h"
#include "packer/extents/fragmentation.h"
#include "packer/host/counted.h"
#include "packer/host/files.h"
#include "packer/host/terminal.h"
#include "packer/picture/picture.h"
#include "packer/report/figures.h"
#include "packer/report/plain_text.h"

namespace seekless {
namespace {

struct Arguments {
  std::vector<std::string> paths;
  std::string drive = "wd-black-1tb";
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
    const auto found = walk_folder(path);
    if (!found) return std::unexpected(found.error());
    for (const FoundFile& file : *found)
      files.push_back(path + (path.ends_with('/') ? "" : "/") + file.relative_path);
  }
  if (files.empty())
    return failed({.file = paths.front(), .expected = "files", .found = "an empty folder"});
  return files;
}

Result<std::vector<FileExtents>> extents_of(const std::vector<std::string>& paths) {
  std::vector<FileExtents> files;
  files.reserve(paths.size());
  for (const std::string& path : paths) {
    auto file = read_extents(path);
    if (!file) return std::unexpected(file.error());
    files.push_back(std::move(*file));
  }
  return files;
}

struct ReadingTime {
  double seconds = 0;
  double in_one_piece_s = 0;

  double lost_s() const { return std::max(0.0, seconds - in_one_piece_s); }
};

std::string reading_sentence(const ReadingTime& time, const std::string& drive) {
  const auto [as_it_lies, in_one_piece] = seconds_texts(time.seconds, time.in_one_piece_s);
  return fmt::format(
      "On {}, reading all in this order would take {}, and in one piece {}: where it lies costs "
      "{}.",
      drive, as_it_lies, in_one_piece, seconds_text(time.lost_s()));
}

// Reading all of it in order on a drive as large as the model's, from where it lies.
std::optional<ReadingTime> reading_time(std::span<const FileExtents> files,
                                        const DriveProfile& profile) {
  Drive drive(profile);
  uint64_t bytes = 0;
  uint64_t first_place = UINT64_MAX;
  for (const FileExtents& file : files)
    for (const Extent& extent : file.extents) {
      if (!drive.holds(extent.place_bytes, extent.length_bytes)) return std::nullopt;
      drive.read(extent.place_bytes, extent.length_bytes);
      bytes += extent.length_bytes;
      first_place = std::min(first_place, extent.place_bytes);
    }
  ReadingTime time;
  time.seconds = drive.counters().busy_ms / 1e3;
  if (bytes > 0) time.in_one_piece_s = Drive(profile).read(first_place, bytes) / 1e3;
  return time;
}

// Reading all of it in order: each piece at its place on the drive, when the model's head is there.
Picture picture_of(std::span<const FileExtents> files, const DriveProfile& profile) {
  constexpr uint64_t kLeastDotBytes = uint64_t{1} << 20;
  constexpr uint64_t kMostDots = 200'000;
  const uint64_t dot_bytes =
      std::max(kLeastDotBytes, measure_fragmentation(files).bytes / kMostDots);
  Drive drive(profile);
  Picture picture = {.title = "Reading all files in order, on " + profile.name,
                     .places = PicturePlaces::drive};
  for (const FileExtents& file : files) {
    const auto number = static_cast<uint32_t>(picture.files.size());
    picture.files.push_back({file.path, file.size_bytes});
    for (const Extent& extent : file.extents)
      for (uint64_t at = 0; at < extent.length_bytes; at += dot_bytes) {
        const uint64_t place = extent.place_bytes + at;
        const uint64_t length = std::min(dot_bytes, extent.length_bytes - at);
        const double start_ms = drive.counters().busy_ms;
        const double busy_ms = drive.read(place, length);
        picture.reads.push_back({.start_ns = static_cast<int64_t>(start_ms * 1e6),
                                 .duration_ns = static_cast<int64_t>(busy_ms * 1e6),
                                 .offset_bytes = place,
                                 .length_bytes = length,
                                 .file = number});
      }
  }
  return picture;
}

std::string place_of(const FileExtents& file) {
  if (!file.extents.empty())
    return fmt::format("{:.3f}", static_cast<double>(file.extents.front().place_bytes) / 1e9);
  return file.inline_bytes > 0 ? "inode" : "-";
}

// A long path keeps its end, which tells more.
std::string shortened(const std::string& path, size_t columns) {
  const std::string clean = printable(path);
  if (clean.size() <= columns) return clean;
  return "..." + clean.substr(clean.size() - (columns - 3));
}

// What a file costs by itself, for lying in several pieces.
std::string lost_cell(const FileExtents& file, const DriveProfile& drive) {
  const auto time = reading_time(std::span(&file, 1), drive);
  return time ? fmt::format("{:.2f}", time->lost_s()) : "-";
}

void print_files(std::span<const FileExtents> files, const DriveProfile& drive, bool shows_extents,
                 const Output& answer) {
  constexpr size_t kFigureColumns = 42;
  const size_t name_columns =
      std::clamp<size_t>(terminal_width(), kFigureColumns + 20, 160) - kFigureColumns;
  answer.line(fmt::format("{:<{}} {:>10} {:>9} {:>9} {:>10}", "file", name_columns, "MB",
                          "fragments", "costs s", "at GB"));
  for (const FileExtents& file : files) {
    const Fragmentation of = measure_fragmentation(std::span(&file, 1));
    answer.line(fmt::format(
        "{:<{}} {:>10.1f} {:>9} {:>9} {:>10}", shortened(file.path, name_columns), name_columns,
        megabytes(file.size_bytes), of.fragments, lost_cell(file, drive), place_of(file)));
    if (!shows_extents) continue;
    for (const Extent& extent : file.extents)
      answer.line(fmt::format("  byte {} at {}, {} bytes", extent.offset_bytes, extent.place_bytes,
                              extent.length_bytes));
  }
}

Json to_json(std::span<const FileExtents> files, bool shows_extents) {
  Json json = Json::array();
  for (const FileExtents& file : files) {
    const Fragmentation of = measure_fragmentation(std::span(&file, 1));
    Json one = {{"path", file.path},
                {"bytes", file.size_bytes},
                {"fragments", of.fragments},
                {"relative", of.relative()}};
    one["first_place"] =
        file.extents.empty() ? Json(nullptr) : Json(file.extents.front().place_bytes);
    if (shows_extents) {
      one["extents"] = Json::array();
      for (const Extent& extent : file.extents)
        one["extents"].push_back({{"offset", extent.offset_bytes},
                                  {"place", extent.place_bytes},
                                  {"bytes", extent.length_bytes}});
    }
    json.push_back(std::move(one));
  }
  return json;
}

Result<void> run(const Arguments& arguments) {
  const auto drive = get_drive(arguments.drive);
  if (!drive) return std::unexpected(drive.error());
  const auto paths = files_below(arguments.paths);
  if (!paths) return std::unexpected(paths.error());
  const auto files = extents_of(*paths);
  if (!files) return std::unexpected(files.error());
  const Fragmentation all = measure_fragmentation(*files);

  const Output& answer = arguments.answer;
  answer.line(fmt::format("{}, {:.1f} MB in {}", counted(files->size(), "file"),
                          megabytes(all.bytes), counted(all.fragments, "fragment")));
  if (all.devices > 1)
    answer.line(
        fmt::format("They lie on {} devices; jumps between these aren't counted.", all.devices));
  const auto time = all.devices == 1 ? reading_time(*files, *drive) : std::optional<ReadingTime>();
  if (time)
    for (const std::string& line : wrap(reading_sentence(*time, drive->name), terminal_width()))
      answer.line(line);
  answer.line("");
  print_files(*files, *drive, arguments.shows_extents, answer);
  if (!arguments.html.empty()) {
    PicturePage page = {.title = "Where files lie", .pictures = {picture_of(*files, *drive)}};
    page.pictures.front().notes.push_back(
        fmt::format("{}. {}", counted(all.fragments, "fragment"),
                    time ? reading_sentence(*time, drive->name) : ""));
    if (auto written = write_picture(arguments.html, page); !written) return written;
  }
  Json json = {{"command", "where"},         {"files", to_json(*files, arguments.shows_extents)},
               {"bytes", all.bytes},         {"fragments", all.fragments},
               {"relative", all.relative()}, {"path_bytes", all.path_bytes},
               {"devices", all.devices},     {"drive", drive->name}};
  json["seconds"] = time ? Json(time->seconds) : Json(nullptr);
  json["seconds_in_one_piece"] = time ? Json(time->in_one_piece_s) : Json(nullptr);
  return answer.result(json);
}

}  // namespace

void add_where(CLI::App& app, Action& chosen) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("where", "Show where files lie on their disk, and how scattered");
  command
      ->add_option("PATH", arguments->paths,
                   "Files, or folders of them; the order is that of reading")
      ->required();
  command->add_flag("--extents", arguments->shows_extents, "List every piece of every file");
  command->add_option("--html", arguments->html, "Draw the head's way over them as a page, too")
      ->type_name("FILE");
  add_drive_option(*command, arguments->drive);
  arguments->answer.add_option(*command);
  command->footer("Example:\n  seekless where /usr/share/games/warzone2100/*.wz");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace seekless
