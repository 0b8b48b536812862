#include "packer/page/picture_places.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "packer/answer/analyze_answer.h"
#include "packer/drive/read_ahead.h"
#include "packer/host/extents.h"
#include "packer/words/counted.h"

namespace seekless {
namespace {

// More names would make the page slow to load.
constexpr size_t kMostNames = 20'000;
// A page would cut off places beyond this. Files that together are larger can't be real, and get no
// places.
constexpr uint64_t kMostBytes = uint64_t{1} << 52;

// Describes a file that any of the pictures shows.
struct PicturedFile {
  uint64_t end_bytes = 0;   // end of the last read
  uint64_t read_bytes = 0;  // bytes read, and a few more for each read
  std::optional<FileExtents> extents;
};
using KnownFiles = std::map<std::string, PicturedFile>;

KnownFiles files_of(const PicturePage& page) {
  KnownFiles files;
  for (const Picture& picture : page.pictures)
    for (const PictureRead& read : picture.reads) {
      if (read.file >= picture.files.size()) continue;
      const PictureFile& file = picture.files[read.file];
      PicturedFile& known = files[file.name];
      known.read_bytes += 1 + read.length_bytes;
      known.end_bytes =
          std::max({known.end_bytes, file.size_bytes, read.offset_bytes + read.length_bytes});
    }
  return files;
}

// Returns the disk that holds most of the bytes read. Returns none if less than half of them are in
// files that still exist.
std::optional<uint64_t> ask_file_system(KnownFiles& files) {
  std::map<uint64_t, uint64_t> bytes_by_disk;
  uint64_t all_bytes = 0;
  for (auto& [name, file] : files) {
    all_bytes += file.read_bytes;
    auto extents = read_extents(name);
    if (!extents || extents->extents.empty()) continue;
    bytes_by_disk[extents->device] += file.read_bytes;
    file.extents = *std::move(extents);
  }
  if (bytes_by_disk.empty()) return std::nullopt;
  const auto most =
      std::ranges::max_element(bytes_by_disk, {}, [](const auto& of) { return of.second; });
  if (most->second <= all_bytes / 2) return std::nullopt;
  return most->first;
}

using Pieces = std::map<std::string, std::vector<PicturePiece>>;

Pieces pieces_on(std::optional<uint64_t> disk, const KnownFiles& files, size_t& elsewhere) {
  Pieces pieces;
  uint64_t end_bytes = 0;
  if (disk)
    for (const auto& [name, file] : files) {
      if (!file.extents || file.extents->device != *disk) continue;
      for (const Extent& extent : file.extents->extents) {
        pieces[name].push_back({extent.offset_bytes, extent.place_bytes, extent.length_bytes});
        end_bytes = std::max(end_bytes, extent.place_bytes + extent.length_bytes);
      }
    }
  // Files on other disks are placed after this disk's files, one after the other.
  for (const auto& [name, file] : files) {
    if (pieces.contains(name)) continue;
    ++elsewhere;
    const uint64_t length = (file.end_bytes / kPageBytes + 1) * kPageBytes;
    pieces[name].push_back({0, end_bytes, length});
    end_bytes += length;
  }
  return pieces;
}

std::string places_sentence(bool is_asked, size_t elsewhere) {
  if (!is_asked)
    return "Places on the disk are the model's: the file system can't tell them here, so files lie "
           "one after the other, in the order of their names. Stretches that nothing reads are "
           "left "
           "out.";
  std::string text =
      "Places on the disk are those that the file system tells now. Stretches that nothing reads "
      "are left out.";
  if (elsewhere > 0)
    text += fmt::format(
        " It tells no place of {}: not on that disk any more, never there, or not to be asked. {} "
        "drawn at the top.",
        counted(elsewhere, "file"), elsewhere == 1 ? "It is" : "They are");
  return text;
}

void add_asset_names(Picture& picture, const KnownContent& content) {
  std::vector<std::optional<uint32_t>> sources;
  for (const PictureFile& file : picture.files)
    sources.push_back(content.locator.find_file(file.name));
  std::vector<std::map<uint32_t, PictureAsset>> assets(picture.files.size());
  size_t names = 0;
  for (const PictureRead& read : picture.reads) {
    if (read.file >= sources.size() || !sources[read.file]) continue;
    if (!content.content.sources[*sources[read.file]].is_archive()) continue;
    const auto visit = [&](const Touch& touch) {
      if (touch.part != TouchedPart::data && touch.part != TouchedPart::header) return;
      if (names == kMostNames && !assets[read.file].contains(touch.index)) return;
      const Asset& asset = content.content.assets[touch.index];
      const uint64_t begin = asset.place.header_offset_bytes;
      // The header's length isn't known without reading it, so it counts as far as reads touched
      // it.
      const uint64_t end = touch.offset_bytes + touch.length_bytes;
      const auto [known, is_new] = assets[read.file].try_emplace(touch.index);
      names += is_new ? 1 : 0;
      PictureAsset& named = known->second;
      if (is_new) named = {begin, 0, std::string(asset.path)};
      named.length_bytes = std::max(named.length_bytes, end - begin);
    };
    content.locator.touched(*sources[read.file], read.offset_bytes,
                            std::max<uint64_t>(read.length_bytes, 1), visit);
  }
  for (size_t i = 0; i < assets.size(); ++i)
    for (auto& [index, asset] : assets[i]) picture.files[i].assets.push_back(std::move(asset));
}

}  // namespace

void add_disk_places(PicturePage& page) {
  KnownFiles files = files_of(page);
  uint64_t bytes = 0;
  for (const auto& [name, file] : files) {
    if (file.end_bytes > kMostBytes - bytes) return;
    bytes += file.end_bytes;
  }
  const std::optional<uint64_t> disk = ask_file_system(files);
  size_t elsewhere = 0;
  const Pieces pieces = pieces_on(disk, files, elsewhere);
  for (Picture& picture : page.pictures) {
    for (PictureFile& file : picture.files)
      if (const auto of = pieces.find(file.name); of != pieces.end()) file.pieces = of->second;
    picture.disk = places_sentence(disk.has_value(), elsewhere);
  }
}

PictureOfTrace picture_for(const KnownContent* content, size_t traces) {
  constexpr size_t kMostDrawn = size_t{1} << 20;
  if (content == nullptr) return PictureOfTrace(kMostDrawn / traces + 1);
  // Programs map libraries that are much larger than the content they read, so only the content is
  // drawn.
  return PictureOfTrace(kMostDrawn / traces + 1, [content](std::string_view path) {
    return content->locator.find_file(path).has_value();
  });
}

Picture picture_of_runs(PictureOfTrace& drawn, std::string title,
                        const std::vector<RunFigures>& runs, const std::string& drive,
                        const KnownContent* content) {
  Picture picture = drawn.finish();
  picture.title = std::move(title);
  if (content != nullptr) add_asset_names(picture, *content);
  for (const RunFigures& run : runs)
    picture.notes.push_back(run.scenario + ": " + conclude(run, drive).text);
  return picture;
}

}  // namespace seekless
