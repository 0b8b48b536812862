#include <algorithm>
#include <cerrno>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "packer/base/paths.h"
#include "packer/foresee/fetch_plan.h"
#include "packer/host/calls.h"
#include "packer/host/close_folder.h"
#include "packer/host/descriptor.h"
#include "packer/host/files.h"
#include "packer/serve/in_memory.h"
#include "packer/serve/internal/open_cached.h"
#include "packer/warm/system_cache.h"

namespace seekless {
namespace {

// At most a hundredth may be missing: other programs push that much out of memory while nobody
// plays.
constexpr uint64_t kMostMissingOf = 100;
// The game waits for the answer, which takes at most 50 ms of processor time: some 20 us for each
// file checked and each folder, and 1 us for each name.
constexpr size_t kMostFiles = 1'000;
constexpr size_t kMostFolders = 200;
constexpr size_t kMostNames = 20'000;
constexpr size_t kMostNamesOfFolder = 2'000;
constexpr size_t kMostOfFolder = 100;  // files checked in each folder

using Ranges = std::vector<WantedRange>;

// Picks `most` elements, evenly spread.
template <typename T>
std::vector<T> spread(std::vector<T> all, size_t most) {
  if (all.size() <= most) return all;
  std::vector<T> some;
  for (size_t i = 0; i < most; ++i) some.push_back(std::move(all[i * all.size() / most]));
  return some;
}

uint64_t bytes_of(const Ranges& ranges) {
  uint64_t bytes = 0;
  for (const WantedRange& range : ranges) bytes += range.length_bytes;
  return bytes;
}

// Groups by file what the scenarios are likely to read, largest first. Opening a file that isn't in
// memory costs a seek or two, so few files must give the answer. If there are many, takes the
// largest and some of the others.
std::vector<Ranges> likely_ranges(const Learned& learned) {
  std::vector<PageKey> pages;
  for (const LearnedScenario& scenario : learned.scenarios) {
    const std::vector<PageKey> likely = likely_pages(scenario, {});
    pages.insert(pages.end(), likely.begin(), likely.end());
  }
  std::vector<Ranges> files;
  for (const WantedRange& range : ranges_of_pages(std::move(pages))) {
    if (files.empty() || files.back().front().file != range.file) files.emplace_back();
    files.back().push_back(range);
  }
  std::ranges::stable_sort(files, std::greater(), bytes_of);
  const size_t largest = std::min(files.size(), kMostFiles / 2);
  std::vector<Ranges> others(
      std::make_move_iterator(files.begin() + static_cast<ptrdiff_t>(largest)),
      std::make_move_iterator(files.end()));
  files.resize(largest);
  for (Ranges& ranges : spread(std::move(others), kMostFiles - largest))
    files.push_back(std::move(ranges));
  return files;
}

// Opens only files and folders whose names are in memory, because any other takes a seek or two.
// Doesn't open links, which may lead to another machine.
class CachedOpener {
 public:
  // Some file systems (vfat, those of other programs) don't tell which names are in memory. On
  // these, even the folders' own names count as missing, although they were just looked up.
  explicit CachedOpener(std::span<const std::string> folders) {
    for (const std::string& folder : folders) {
      const bool is_folder = kind_of_path(folder) == PathKind::folder;
      if (const auto device =
              device_of_cached(is_folder ? folder : std::string(folder_above(folder))))
        devices_.push_back(*device);
    }
  }

  // Folders on other devices aren't checked, because another machine may never answer.
  bool is_elsewhere(const std::string& folder) const {
    const auto device = checks_names() ? device_of_cached(folder) : std::nullopt;
    return device && std::ranges::find(devices_, *device) == devices_.end();
  }
  bool is_unknown(const std::string& folder) const {
    return checks_names() && !device_of_cached(folder);
  }

  Descriptor open(const std::string& path, int flags) const {
    return Descriptor(checks_names() ? open_cached(AT_FDCWD, path, flags | kFlags)
                                     : ::open(path.c_str(), flags | kFlags | O_CLOEXEC));
  }
  // Returns the kind of an entry of a folder; DT_UNKNOWN if its name isn't in memory.
  unsigned char kind_of(int folder, const dirent& entry) const {
    struct stat status = {};
    if (checks_names() || entry.d_type != DT_UNKNOWN) return kind_of_entry(folder, entry);
    if (::fstatat(folder, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) return DT_UNKNOWN;
    return static_cast<unsigned char>(IFTODT(status.st_mode));
  }

 private:
  static constexpr int kFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY;
  bool checks_names() const { return !devices_.empty(); }
  std::vector<dev_t> devices_;  // the folders' devices
};

uint64_t missing_bytes(const CachedOpener& opener, const std::string& path, const Ranges& ranges) {
  const Descriptor file = opener.open(path, 0);
  uint64_t missing = 0;
  for (const WantedRange& range : ranges) {
    const uint64_t cached =
        file.get() >= 0 && tells_cached(file.get())
            ? cached_bytes(file.get(), range.offset_bytes, range.length_bytes).value_or(0)
            : 0;
    missing += range.length_bytes - cached;
  }
  return missing;
}

bool is_likely_in_memory(const std::string& folder, const Learned& learned,
                         std::span<const std::string> folders) {
  const CachedOpener opener(folders);
  const std::vector<Ranges> files = likely_ranges(learned);
  uint64_t wanted = 0;
  for (const Ranges& ranges : files) wanted += bytes_of(ranges);
  uint64_t missing = 0;
  std::map<std::string, bool> may_open_in;
  for (const Ranges& ranges : files) {
    const std::string path = folder + "/" + learned.files[ranges.front().file];
    const std::string of(folder_above(path));
    const auto [known, is_new] = may_open_in.try_emplace(of);
    if (is_new) known->second = !opener.is_elsewhere(of) && !opener.is_unknown(of);
    missing += known->second ? missing_bytes(opener, path, ranges) : bytes_of(ranges);
    if (missing * kMostMissingOf > wanted) return false;
  }
  return wanted > 0;
}

// The files and folders in a folder.
struct FolderListing {
  std::vector<std::string> folders;
  std::vector<std::string> files;
};

// Lists at most `names_left` names, and subtracts their number from it.
FolderListing list_some(const CachedOpener& opener, const std::string& folder, size_t& names_left) {
  FolderListing listed;
  Descriptor opened = opener.open(folder, O_DIRECTORY);
  const std::unique_ptr<DIR, CloseFolder> list(opened.get() < 0 ? nullptr
                                                                : ::fdopendir(opened.get()));
  if (list) opened.release();
  for (size_t names = 0; list && names_left > 0 && names < kMostNamesOfFolder; ++names) {
    const dirent* entry = ::readdir(list.get());
    if (entry == nullptr) break;
    --names_left;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    const std::string path = folder + "/" + entry->d_name;
    // Links may lead out of the folder, so they aren't followed.
    const unsigned char kind = opener.kind_of(::dirfd(list.get()), *entry);
    if (kind == DT_REG) listed.files.push_back(path);
    if (kind == DT_DIR) listed.folders.push_back(path);
  }
  return listed;
}

// An empty file counts as in memory, but not in `with_bytes`.
bool is_whole_in_memory(const CachedOpener& opener, const std::string& path, size_t& with_bytes) {
  const Descriptor file = opener.open(path, 0);
  calls::Status status;
  if (file.get() < 0 || !calls::look_at(file.get(), status)) return false;
  if (status.size_bytes == 0) return true;
  ++with_bytes;
  return is_cached(file.get(), 0, status.size_bytes);
}

// Stops at the first file that isn't in memory. Checks folder by folder, because on a disk that
// finds such a file soon.
bool is_sample_in_memory(const std::string& folder) {
  const CachedOpener opener(std::span(&folder, 1));
  std::deque<std::string> folders = {folder};
  size_t asked = 0;
  size_t with_bytes = 0;
  if (kind_of_path(folder) == PathKind::file)
    return is_whole_in_memory(opener, folder, with_bytes) && with_bytes > 0;
  size_t names_left = kMostNames;
  for (size_t looked = 0; !folders.empty() && looked < kMostFolders; ++looked) {
    const std::string looked_at = std::move(folders.front());
    folders.pop_front();
    if (opener.is_elsewhere(looked_at)) continue;
    if (opener.is_unknown(looked_at)) return false;
    FolderListing listed = list_some(opener, looked_at, names_left);
    for (const std::string& file : spread(std::move(listed.files), kMostOfFolder)) {
      if (asked++ == kMostFiles) return with_bytes > 0;
      if (!is_whole_in_memory(opener, file, with_bytes)) return false;
    }
    folders.insert(folders.end(), listed.folders.begin(), listed.folders.end());
  }
  return with_bytes > 0;
}

}  // namespace

bool is_in_memory(const std::string& folder, const Learned& learned,
                  std::span<const std::string> folders) {
  return learned.scenarios.empty() ? is_sample_in_memory(folder)
                                   : is_likely_in_memory(folder, learned, folders);
}

}  // namespace seekless
