#include "packer/host/file_stamp.h"

#include <algorithm>
#include <array>
#include <utility>

#include "packer/base/hasher.h"
#include "packer/host/internal/folder_stamps.h"

namespace seekless {
namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;
// Some file systems store whole seconds only; FAT counts in steps of two seconds.
constexpr int64_t kCoarseTickNs = 2 * kNsPerSecond;

class Walk {
 public:
  Walk(const std::string& root, const VisitStamped& visit, const SkipsFolder& skips)
      : root_(root), visit_(visit), skips_(skips) {}

  Result<void> run() { return walk(""); }
  std::vector<std::string> take_folders() { return std::move(folders_); }

 private:
  std::string full(std::string_view relative) const {
    if (relative.empty()) return root_;
    return root_ + (root_.ends_with('/') ? "" : "/") + std::string(relative);
  }

  // `prefix` ends in a slash, unless it is empty.
  Result<void> walk(const std::string& prefix) {
    const auto relative = std::string_view(prefix).substr(0, prefix.find_last_of('/'));
    if (!relative.empty() && skips_ && skips_(relative)) return {};
    const std::string path = full(relative);
    SKL_TRY(auto folder, read_folder_stamps(path));
    if (std::ranges::find(above_, folder.id) != above_.end()) return {};
    above_.push_back(folder.id);
    folders_.push_back(path);
    std::ranges::sort(folder.entries, {}, &StampedEntry::name);
    for (const StampedEntry& entry : folder.entries) {
      if (!entry.is_folder)
        visit_(prefix + entry.name, entry.stamp);
      else if (auto walked = walk(prefix + entry.name); !walked)
        return walked;
    }
    above_.pop_back();
    return {};
  }

  const std::string root_;
  const VisitStamped& visit_;
  const SkipsFolder& skips_;
  std::vector<FolderId> above_;
  std::vector<std::string> folders_;
};

}  // namespace

Result<std::vector<StampedFile>> stamp_folder(const std::string& folder) {
  std::vector<StampedFile> found;
  auto walked = stamp_each(folder, [&](std::string_view path, const ChangeStamp& stamp) {
    found.push_back({std::string(path), stamp});
  });
  if (!walked) return std::unexpected(walked.error());
  return found;
}

Result<void> stamp_each(const std::string& folder, const VisitStamped& visit,
                        const SkipsFolder& skips) {
  return Walk(folder, visit, skips).run();
}

Result<std::vector<std::string>> find_folders(const std::string& folder, const SkipsFolder& skips) {
  const VisitStamped ignore = [](std::string_view, const ChangeStamp&) {};
  Walk walk(folder, ignore, skips);
  SKL_TRY_DO(walk.run());
  return walk.take_folders();
}

Result<void> ReadFiles::add(std::string path) {
  SKL_TRY(const auto key, written_key_of(path));
  files_.push_back({std::move(path), key});
  return {};
}

Result<void> ReadFiles::check() const {
  for (const ReadFile& file : files_) SKL_TRY_DO(check_unwritten(file.path, file.written_key));
  return {};
}

// Leaves out the inode, because its number may change by itself on network file systems.
Result<uint64_t> written_key_of(const std::string& path) {
  SKL_TRY(const auto stamp, change_stamp_of(path));
  if (!stamp) return 1;
  const std::array numbers = {static_cast<int64_t>(stamp->size_bytes), stamp->written_ns,
                              stamp->changed_ns};
  return std::max<uint64_t>(2, XXH3_64bits(numbers.data(), sizeof(numbers)));
}

Result<void> check_unwritten(const std::string& path, uint64_t written_key) {
  SKL_TRY(const auto now, written_key_of(path));
  if (now == written_key) return {};
  return failed({.file = path,
                 .expected = "a file that stays as it is while it is read",
                 .found = "a change meanwhile; no output was replaced",
                 .advice = "run this again when nobody writes to it"});
}

bool is_settled(const ChangeStamp& stamp, int64_t now_ns) {
  const bool has_fractions = stamp.changed_ns % kNsPerSecond != 0;
  return stamp.changed_ns < now_ns - (has_fractions ? file_clock_tick_ns() : kCoarseTickNs);
}

}  // namespace seekless
