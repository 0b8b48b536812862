#include "packer/answer/where_answer.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "packer/words/counted.h"
#include "packer/words/figures.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

using Json = nlohmann::ordered_json;

std::string place_of(const FileExtents& file) {
  if (!file.extents.empty())
    return fmt::format("{:.3f}", static_cast<double>(file.extents.front().place_bytes) / 1e9);
  return file.inline_bytes > 0 ? "inode" : "-";
}

// Shortens a long path to its end, which is more informative than its beginning.
std::string shortened(const std::string& path, size_t columns) {
  const std::string clean = printable(path);
  if (clean.size() <= columns) return clean;
  return "..." + clean.substr(clean.size() - (columns - 3));
}

// Returns the seconds that a file loses by being in several pieces.
std::string lost_cell(const FileExtents& file, const DriveProfile& drive) {
  const auto time = reading_time(std::span(&file, 1), drive);
  return time ? fmt::format("{:.2f}", time->lost_s()) : "-";
}

std::string table_of(const FilesOnDisk& of, bool shows_extents, size_t columns) {
  constexpr size_t kFigureColumns = 42;
  const size_t name_columns =
      std::clamp<size_t>(columns, kFigureColumns + 20, 160) - kFigureColumns;
  std::string table = fmt::format("{:<{}} {:>10} {:>9} {:>9} {:>10}", "file", name_columns, "MB",
                                  "fragments", "costs s", "at GB");
  for (const FileExtents& file : of.files) {
    const uint64_t fragments = measure_fragmentation(std::span(&file, 1)).fragments;
    table += fmt::format(
        "\n{:<{}} {:>10.1f} {:>9} {:>9} {:>10}", shortened(file.path, name_columns), name_columns,
        megabytes(file.size_bytes), fragments, lost_cell(file, of.drive), place_of(file));
    if (!shows_extents) continue;
    for (const Extent& extent : file.extents)
      table += fmt::format("\n  byte {} at {}, {} bytes", extent.offset_bytes, extent.place_bytes,
                           extent.length_bytes);
  }
  return table;
}

Json files_json(const std::vector<FileExtents>& files, bool shows_extents) {
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

}  // namespace

std::string reading_sentence(const FilesOnDisk& of) {
  if (!of.time) return "";
  const auto [as_it_lies, in_one_piece] = seconds_texts(of.time->seconds, of.time->in_one_piece_s);
  return fmt::format(
      "On {}, reading all in this order would take {}, and in one piece {}: where it lies costs "
      "{}.",
      of.drive.name, as_it_lies, in_one_piece, seconds_text(of.time->lost_s()));
}

FilesOnDisk files_on_disk(std::vector<FileExtents> files, const DriveProfile& drive) {
  FilesOnDisk of = {.files = std::move(files), .drive = drive, .all = {}, .time = {}};
  of.all = measure_fragmentation(of.files);
  if (of.all.devices == 1) of.time = reading_time(of.files, drive);
  return of;
}

std::string to_text(const FilesOnDisk& of, bool shows_extents, size_t columns) {
  std::string text = fmt::format("{}, {:.1f} MB in {}\n", counted(of.files.size(), "file"),
                                 megabytes(of.all.bytes), counted(of.all.fragments, "fragment"));
  if (of.all.devices > 1)
    text += fmt::format("They lie on {} devices; jumps between these aren't counted.\n",
                        of.all.devices);
  if (of.time) text += paragraph(reading_sentence(of), columns);
  return text + "\n" + table_of(of, shows_extents, columns);
}

Json to_json(const FilesOnDisk& of, bool shows_extents) {
  Json json = {{"command", "where"},
               {"files", files_json(of.files, shows_extents)},
               {"bytes", of.all.bytes},
               {"fragments", of.all.fragments},
               {"relative", of.all.relative()},
               {"path_bytes", of.all.path_bytes},
               {"devices", of.all.devices},
               {"drive", of.drive.name}};
  json["seconds"] = of.time ? Json(of.time->seconds) : Json(nullptr);
  json["seconds_in_one_piece"] = of.time ? Json(of.time->in_one_piece_s) : Json(nullptr);
  return json;
}

}  // namespace seekless
