// A volume in memory that answers as NTFS does, by the rules that Microsoft documents for
// FSCTL_MOVE_FILE and FSCTL_GET_VOLUME_BITMAP. It can't show that NTFS keeps to them.
#pragma once

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <gtest/gtest.h>

#include "packer/place/internal/ntfs_volume.h"

namespace seekless {

inline NtfsError ntfs_error(int os_error) {
  return {os_error, std::generic_category().message(os_error)};
}
inline std::unexpected<NtfsError> fails_with(int os_error) {
  return std::unexpected(ntfs_error(os_error));
}

class NtfsDouble {
 public:
  static constexpr uint64_t kClusterBytes = 4096;
  static constexpr uint64_t kNotOnDisk = UINT64_MAX;

  struct StoredFile {
    uint64_t size_bytes = 0;
    NtfsAttributes attributes = {};
    std::vector<uint64_t> clusters = {};  // the place of each cluster of the file
    bool is_held = false;                 // as the page file, or by MARK_HANDLE_PROTECT_CLUSTERS
    int open_error = 0;
    bool hides_clusters = false;  // as one that `compact /exe` compressed
  };

  explicit NtfsDouble(uint64_t clusters)
      : contents_(clusters), is_used_(clusters), is_freed_lately_(clusters) {}

  // Stores a file in these runs of clusters; its last cluster is half full.
  const StoredFile& store(const std::string& path, const std::vector<ClusterRun>& runs) {
    StoredFile file;
    for (const ClusterRun& run : runs)
      for (uint64_t i = run.begin; i < run.begin + run.count; ++i) {
        EXPECT_FALSE(is_used_[i]) << i;
        is_used_[i] = true;
        contents_[i] = ++last_content_;
        file.clusters.push_back(i);
      }
    file.size_bytes = file.clusters.size() * kClusterBytes - (runs.empty() ? 0 : kClusterBytes / 2);
    return files[path] = file;
  }
  // Other programs take clusters.
  void use(const ClusterRun& run) {
    for (uint64_t i = run.begin; i < run.begin + run.count; ++i) is_used_[i] = true;
  }
  void free(const ClusterRun& run) {
    for (uint64_t i = run.begin; i < run.begin + run.count; ++i) is_used_[i] = false;
  }
  // The bitmap calls these free, but until the next checkpoint no file can be moved there.
  void free_until_checkpoint(const ClusterRun& run) {
    free(run);
    for (uint64_t i = run.begin; i < run.begin + run.count; ++i) is_freed_lately_[i] = true;
  }
  bool is_used(uint64_t cluster) const { return is_used_[cluster]; }

  std::vector<uint32_t> contents_of(const std::string& path) const {
    std::vector<uint32_t> found;
    for (const uint64_t place : files.at(path).clusters)
      found.push_back(place == kNotOnDisk ? 0 : contents_[place]);
    return found;
  }

  FileExtents extents_of(const std::string& path) const {
    const StoredFile& file = files.at(path);
    FileExtents found = {.path = path, .size_bytes = file.size_bytes};
    for (uint64_t i = 0; i < file.clusters.size(); ++i)
      if (file.clusters[i] != kNotOnDisk)
        add_extent({i * kClusterBytes, file.clusters[i] * kClusterBytes, kClusterBytes}, found);
    return found;
  }

  NtfsResult<NtfsLayout> layout() const {
    if (layout_error != 0) return fails_with(layout_error);
    return NtfsLayout{kClusterBytes, contents_.size(), zone};
  }

  // Begins at a whole byte, and fills a buffer of a few bytes.
  NtfsResult<NtfsBitmap> bitmap(uint64_t cluster) {
    ++bitmap_parts;
    if (bitmap_error != 0) return fails_with(bitmap_error);
    if (cluster >= contents_.size()) return fails_with(EINVAL);
    NtfsBitmap part = {.first = cluster / 8 * 8, .count = 0, .bits = {}};
    part.count = contents_.size() - part.first;
    part.bits.resize(std::min<size_t>((part.count + 7) / 8, kBitmapBytes));
    for (uint64_t i = 0; i < std::min<uint64_t>(part.count, part.bits.size() * 8); ++i)
      if (is_used_[part.first + i]) part.bits[i / 8] |= std::byte{1} << (i % 8);
    return part;
  }

  NtfsResult<void> move(const std::string& path, uint64_t from, uint64_t to, uint64_t count) {
    if (on_move) on_move();
    StoredFile& file = files.at(path);
    calls.push_back({to, count});
    if (!move_error.text.empty()) return std::unexpected(move_error);
    if (count == 0 || from > file.clusters.size() || count > file.clusters.size() - from ||
        to > contents_.size() || count > contents_.size() - to)
      return fails_with(EINVAL);
    const bool has_units = file.attributes.is_compressed || file.attributes.is_sparse;
    if (has_units && (from % 16 != 0 || count % 16 != 0)) return fails_with(EINVAL);
    if (file.is_held || file.attributes.is_encrypted) return fails_with(EACCES);
    for (uint64_t i = to; i < to + count; ++i) {
      EXPECT_FALSE(i >= zone.begin && i < zone.begin + zone.count) << "in the table's zone: " << i;
      if (is_used_[i] || is_freed_lately_[i]) return fails_with(EACCES);
    }
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t& place = file.clusters[from + i];
      contents_[to + i] = contents_[place];
      is_used_[to + i] = true;
      is_used_[place] = false;
      is_freed_lately_[place] = true;
      contents_[place] = 0;  // what reads it from now on gets other bytes
      place = to + i;
    }
    ++moves;
    return {};
  }

  void pause(std::chrono::milliseconds time) {
    paused += time;
    if (on_pause) on_pause();
    if (paused >= kCheckpoint) is_freed_lately_.assign(is_freed_lately_.size(), false);
  }

  OpenNtfsVolume opener();

  std::map<std::string, StoredFile> files;
  ClusterRun zone;
  std::vector<ClusterRun> calls;  // the targets of all moves
  std::function<void()> on_move;  // before each move
  std::function<void()> on_pause;
  size_t moves = 0;  // those that were made
  size_t bitmap_parts = 0;
  std::chrono::milliseconds paused{0};
  int volume_error = 0;
  int layout_error = 0;
  int bitmap_error = 0;
  NtfsError move_error;

 private:
  static constexpr size_t kBitmapBytes = 5;
  static constexpr std::chrono::seconds kCheckpoint{5};

  std::vector<uint32_t> contents_;
  std::vector<bool> is_used_;
  std::vector<bool> is_freed_lately_;
  uint32_t last_content_ = 0;
};

class NtfsDoubleFile final : public NtfsFile {
 public:
  NtfsDoubleFile(NtfsDouble& disk, std::string path) : disk_(disk), path_(std::move(path)) {}
  const NtfsAttributes& attributes() const override { return disk_.files.at(path_).attributes; }
  Result<FileExtents> extents() const override {
    if (disk_.files.at(path_).hides_clusters)
      return failed({.file = path_, .expected = "places", .found = "none"});
    return disk_.extents_of(path_);
  }
  NtfsResult<void> move(uint64_t from, uint64_t to, uint64_t count) override {
    return disk_.move(path_, from, to, count);
  }

 private:
  NtfsDouble& disk_;
  std::string path_;
};

class NtfsDoubleVolume final : public NtfsVolume {
 public:
  explicit NtfsDoubleVolume(NtfsDouble& disk) : disk_(disk) {}
  NtfsResult<NtfsLayout> layout() override { return disk_.layout(); }
  NtfsResult<NtfsBitmap> bitmap(uint64_t cluster) override { return disk_.bitmap(cluster); }
  NtfsResult<std::unique_ptr<NtfsFile>> open(const std::string& path) override {
    const auto file = disk_.files.find(path);
    if (file == disk_.files.end()) return fails_with(ENOENT);
    if (file->second.open_error != 0) return fails_with(file->second.open_error);
    return std::make_unique<NtfsDoubleFile>(disk_, path);
  }
  void pause(std::chrono::milliseconds time) override { disk_.pause(time); }

 private:
  NtfsDouble& disk_;
};

inline OpenNtfsVolume NtfsDouble::opener() {
  return [this]() -> NtfsResult<std::unique_ptr<NtfsVolume>> {
    if (volume_error != 0) return fails_with(volume_error);
    return std::make_unique<NtfsDoubleVolume>(*this);
  };
}

}  // namespace seekless
