#include "packer/simulate/lying_files.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "packer/drive/drive.h"
#include "packer/drive/fits_on.h"
#include "packer/drive/read_ahead.h"
#include "packer/host/files.h"
#include "packer/host/whole_files.h"
#include "packer/simulate/replay.h"
#include "packer/words/counted.h"

namespace seekless {
namespace {

uint64_t end_of(const FileExtents& file) {
  uint64_t end = 0;
  for (const Extent& piece : file.extents)
    end = std::max(end, piece.place_bytes + piece.length_bytes);
  return end;
}

// A file whose place isn't known, with its device if that is known.
struct UnplacedFile {
  uint32_t source = 0;
  std::string path;
  std::optional<uint64_t> device;
};

// Collects the places of files, before it is known which device counts.
class RealPlaces {
 public:
  explicit RealPlaces(const Content& content) : content_(content) {
    lying_.files.resize(content.sources.size());
  }

  // If several links lead to one file, its place counts once.
  void look_up(uint32_t source) {
    const std::string path = canonical_path(std::string(content_.sources[source].path));
    if (!known_.insert(path).second) return;
    if (auto found = read_extents(path)) {
      bytes_on_[found->device] += found->size_bytes;
      lying_.files[source] = *std::move(found);
      placed_.push_back(source);
    } else {
      if (unplaced_.empty()) lying_.why_not_real = found.error().message;
      const auto identity = identity_of(path);
      unplaced_.push_back(
          {source, path, identity ? std::optional(identity->device) : std::nullopt});
    }
  }

  // If no place is known, or if one lies past the drive's end, returns assumed places and the
  // reason.
  LyingFiles finish(const Drive& drive, std::optional<uint64_t> device) {
    if (const auto all_fit = place_on(drive, device); !all_fit) {
      lying_.why_not_real = all_fit.error().message;
    } else if (!placed_.empty()) {
      lying_.are_real = true;
      lying_.assumption = assumption();
    }
    return std::move(lying_);
  }

 private:
  Result<void> place_on(const Drive& drive, std::optional<uint64_t> device) {
    if (placed_.empty()) return {};
    const auto most =
        std::ranges::max_element(bytes_on_, {}, [](const auto& of) { return of.second; });
    const uint64_t own_device = device.value_or(most->first);
    leave_out_all_but(own_device);
    lying_.folders = places_of_folders(lying_.files);
    SKL_TRY_DO(check_fits_on(drive, lying_.folders));
    for (const FileExtents& file : lying_.files) SKL_TRY_DO(check_fits_on(drive, file));
    return append_unplaced(drive, own_device);
  }

  void leave_out_all_but(uint64_t device) {
    for (const uint32_t source : placed_) {
      FileExtents& file = lying_.files[source];
      if (file.device == device) continue;
      lying_.elsewhere.push_back(file.path);
      ++left_out_;
      file = {.path = {}, .size_bytes = file.size_bytes, .extents = {}};
    }
  }

  // File systems in memory and on networks don't report places.
  Result<void> append_unplaced(const Drive& drive, uint64_t own_device) {
    std::erase_if(unplaced_, [&](const UnplacedFile& file) {
      const bool is_elsewhere = file.device.value_or(own_device) != own_device;
      if (is_elsewhere) lying_.elsewhere.push_back(file.path);
      return is_elsewhere;
    });
    uint64_t position = 0;
    for (const FileExtents& file : lying_.files) position = std::max(position, end_of(file));
    for (const UnplacedFile& unplaced : unplaced_) {
      FileExtents& file = lying_.files[unplaced.source];
      file.path = unplaced.path;
      file.size_bytes = content_.sources[unplaced.source].size_bytes;
      position = whole_pages(position);
      file.extents = {{0, position, file.size_bytes}};
      SKL_TRY_DO(check_fits_on(drive, file));
      position += file.size_bytes;
    }
    return {};
  }

  std::string assumption() const {
    uint64_t pieces = 0;
    for (const uint32_t source : placed_) pieces += lying_.files[source].extents.size();
    std::string text = fmt::format(
        "files where they lie now, {} in {}, and the time to find them as far as the file system "
        "tells",
        counted(placed_.size() - left_out_, "file"), counted(pieces, "piece"));
    if (!unplaced_.empty())
      text += fmt::format("; {}, whose places aren't known, behind them",
                          counted(unplaced_.size(), "file"));
    if (!lying_.elsewhere.empty())
      text += fmt::format("; without {} on other disks", counted(lying_.elsewhere.size(), "file"));
    return text;
  }

  const Content& content_;
  LyingFiles lying_;
  std::set<std::string> known_;
  std::map<uint64_t, uint64_t> bytes_on_;  // bytes of files by device
  std::vector<uint32_t> placed_;
  size_t left_out_ = 0;  // of those
  std::vector<UnplacedFile> unplaced_;
};

}  // namespace

LyingFiles lying_at(std::span<const FileToPlace> files, std::span<const uint64_t> positions) {
  LyingFiles lying = {.files = {}, .assumption = "files one after the other, each in one piece"};
  lying.files.reserve(files.size());
  for (size_t i = 0; i < files.size(); ++i)
    lying.files.push_back({.path = files[i].path,
                           .size_bytes = files[i].size_bytes,
                           .extents = {{0, positions[i], files[i].size_bytes}}});
  return lying;
}

LyingFiles assumed_at(std::span<const FileToPlace> files, std::span<const uint64_t> positions) {
  LyingFiles lying = lying_at({}, {});
  lying.assumed.reserve(files.size());
  for (size_t i = 0; i < files.size(); ++i)
    lying.assumed.push_back({positions[i], files[i].size_bytes});
  return lying;
}

const FileExtents& LyingFiles::place_of(uint32_t file, FileExtents& scratch) const {
  if (!files.empty()) return files[file];
  const AssumedPlace& of = assumed[file];
  scratch.size_bytes = of.size_bytes;
  scratch.extents.assign(1, {0, of.position_bytes, of.size_bytes});
  return scratch;
}

std::vector<std::string> one_file_of_each_disk(const Content& content) {
  std::map<uint64_t, std::string> files;
  for (const Source& source : content.sources) {
    const std::string path = canonical_path(std::string(source.path));
    if (const auto file = identity_of(path)) files.try_emplace(file->device, path);
  }
  std::vector<std::string> paths;
  for (auto& [device, path] : files) paths.push_back(std::move(path));
  return paths;
}

Result<LyingFiles> side_by_side(const Content& content, const DriveProfile& drive) {
  const std::vector<FileToPlace> files = files_of(content);
  SKL_TRY(const auto positions, place_files(files, {}, drive));
  return lying_at(files, positions);
}

Result<LyingFiles> where_files_lie(const Content& content, std::span<const uint32_t> read,
                                   const DriveProfile& drive, std::optional<uint64_t> device) {
  RealPlaces places(content);
  for (const uint32_t source : read) places.look_up(source);
  LyingFiles found = places.finish(Drive(drive), device);
  if (found.are_real) return found;
  SKL_TRY(auto lying, side_by_side(content, drive));
  lying.why_not_real = std::move(found.why_not_real);
  if (!lying.why_not_real.empty())
    lying.assumption += fmt::format(" (where they lie isn't known: {})", lying.why_not_real);
  return lying;
}

}  // namespace seekless
