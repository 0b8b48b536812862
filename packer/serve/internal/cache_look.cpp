#include "packer/serve/internal/cache_look.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "packer/base/paths.h"
#include "packer/foresee/learned.h"
#include "packer/host/close_folder.h"
#include "packer/host/descriptor.h"
#include "packer/host/files.h"
#include "packer/serve/internal/open_cached.h"
#include "packer/serve/internal/served_folders.h"
#include "packer/warm/system_cache.h"

namespace seekless {
namespace {

// A longer list may lie in several places on the disk.
constexpr int64_t kShortListBytes = 16 * 1024;
constexpr size_t kMostListedNames = 200'000;
// Asking takes some 50 ns for each page that isn't in memory.
constexpr uint64_t kPiecePages = 1 << 14;
constexpr uint64_t kMostPagesOfFile = uint64_t{1} << 23;
constexpr uint64_t kMostPages = uint64_t{1} << 25;

// Keeps the file's access time, if this user may ask for that.
int open_to_look(int folder, const std::string& name, int flags) {
  const int opened = open_cached(folder, name, flags | O_RDONLY | O_NONBLOCK | O_NOATIME);
  if (opened >= 0 || errno != EPERM) return opened;
  return open_cached(folder, name, flags | O_RDONLY | O_NONBLOCK);
}

// Returns true if the system says that no page of the piece is in memory. That takes no time for
// missing pages. Linux has the call since 6.5.
bool is_none_cached(int descriptor, uint64_t offset_bytes, uint64_t length_bytes) {
  constexpr long kCachestat = 451;
  const uint64_t range[2] = {offset_bytes, length_bytes};
  uint64_t counts[5] = {};
  return ::syscall(kCachestat, descriptor, range, counts, 0) == 0 && counts[0] == 0;
}

// An overlay's own files have no pages in memory; the files of the layers below have.
bool is_overlay(const std::string& path) {
  constexpr long kOverlay = 0x794c7630;
  struct statfs found = {};
  return ::statfs(path.c_str(), &found) == 0 && found.f_type == kOverlay;
}

bool is_later(const timespec& one, const timespec& other) {
  return one.tv_sec != other.tv_sec ? one.tv_sec > other.tv_sec : one.tv_nsec > other.tv_nsec;
}

}  // namespace

struct CacheLook::File {
  std::string path;
  bool was_named = false;
  bool is_done = false;  // true if all pages were told or ignored
  std::vector<bool> known;
};

struct CacheLook::Folder {
  explicit Folder(std::string of) : path(std::move(of)) {}

  std::string path;            // absolute
  std::set<std::string> only;  // names of the files that are looked at; empty: all
  std::optional<dev_t> device;
  timespec listed = {-1, 0};  // the folder's change time when it was listed
  bool was_named = false;
  int looks = 0;  // number of looks that began here; they begin only at the game's folders
  std::vector<std::pair<std::string, File*>> files;
  std::vector<std::unique_ptr<Folder>> folders;
};

struct CacheLook::Looking {
  CacheFinds& finds;
  bool lists_all;
  const std::function<bool()>& is_over;
  uint64_t pages_left = kMostPages;
  bool was_ended = false;
};

CacheLook::CacheLook(std::string game, std::span<const std::string> folders)
    : game_(std::move(game)) {
  ::clock_gettime(CLOCK_REALTIME, &began_);
  for (const std::string& path : folders) {
    const bool is_file = kind_of_path(path) == PathKind::file;
    const std::string folder(is_file ? folder_above(path) : path);
    auto known = std::ranges::find(folders_, folder, [](const auto& of) { return of->path; });
    if (known == folders_.end()) known = folders_.insert(known, std::make_unique<Folder>(folder));
    if (is_file) (*known)->only.emplace(file_name(path));
  }
  counts_cached_ = !game_.empty() && !is_overlay(game_);
}

CacheLook::~CacheLook() = default;

bool CacheLook::look(CacheFinds& finds, bool lists_all, const std::function<bool()>& is_over) {
  // Lookups from before the game started don't show which files the game needs.
  if (!folders_.empty() && ++folders_.front()->looks == 2) refused_ = looked_at_ = 0;
  Looking looking = {.finds = finds, .lists_all = lists_all, .is_over = is_over};
  for (const auto& folder : folders_) look_in(*folder, looking);
  return !looking.was_ended;
}

void CacheLook::ignore(const std::string& path, uint64_t offset_bytes, uint64_t length_bytes) {
  File& file = file_of(path);
  const uint64_t end = (offset_bytes + length_bytes + kSeenPageBytes - 1) / kSeenPageBytes;
  if (end > kMostPagesOfFile) return;
  const std::lock_guard lock(mutex_);
  if (file.known.size() < end) file.known.resize(end);
  std::fill(file.known.begin() + static_cast<ptrdiff_t>(offset_bytes / kSeenPageBytes),
            file.known.begin() + static_cast<ptrdiff_t>(end), true);
}

CacheLook::File& CacheLook::file_of(const std::string& path) {
  const std::lock_guard lock(mutex_);
  auto& file = files_[path];
  if (!file) file = std::make_unique<File>(File{.path = path});
  return *file;
}

void CacheLook::look_in(Folder& folder, Looking& looking) {
  if (looking.was_ended) return;
  const auto device = device_of_cached(folder.path);
  if (!device || device != folder.device.value_or(*device)) return;
  folder.device = device;
  const Descriptor opened(open_to_look(AT_FDCWD, folder.path, O_DIRECTORY));
  if (opened.get() < 0) return;
  if (!std::exchange(folder.was_named, true) && folder.path != game_)
    looking.finds.name(relative_to_game(game_, folder.path));
  struct stat status = {};
  if (::fstat(opened.get(), &status) != 0) return;
  const bool is_new = status.st_mtim.tv_sec != folder.listed.tv_sec ||
                      status.st_mtim.tv_nsec != folder.listed.tv_nsec;
  if (is_new && (looking.lists_all || status.st_size <= kShortListBytes)) {
    folder.listed = status.st_mtim;
    list(folder, opened.get());
  }
  for (const auto& [name, file] : folder.files) {
    if (file->is_done) continue;
    looking.was_ended = looking.was_ended || looking.is_over();
    if (looking.was_ended) return;
    look_at(opened.get(), name, *file, looking);
  }
  for (const auto& inner : folder.folders) look_in(*inner, looking);
}

void CacheLook::list(Folder& folder, int descriptor) {
  Descriptor again(::openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::unique_ptr<DIR, CloseFolder> list(again.get() < 0 ? nullptr
                                                               : ::fdopendir(again.get()));
  if (!list) return;
  again.release();
  std::unordered_set<std::string> known;
  for (const auto& [name, file] : folder.files) known.insert(name);
  for (const auto& inner : folder.folders) known.emplace(file_name(inner->path));
  while (const dirent* entry = ::readdir(list.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == ".." || known.contains(name)) continue;
    if (!folder.only.empty() && !folder.only.contains(name)) continue;
    const unsigned char kind = kind_of_entry(descriptor, *entry);
    if (kind != DT_REG && (kind != DT_DIR || !folder.only.empty())) continue;
    if (++names_ > kMostListedNames) break;
    const std::string path = folder.path + "/" + name;
    if (kind == DT_REG) {
      folder.files.emplace_back(name, &file_of(relative_to_game(game_, path)));
    } else {
      folder.folders.push_back(std::make_unique<Folder>(path));
      folder.folders.back()->device = folder.device;
    }
  }
}

void CacheLook::look_at(int folder, const std::string& name, File& file, Looking& looking) {
  const Descriptor opened(open_to_look(folder, name, 0));
  struct stat status = {};
  if (opened.get() < 0 || ::fstat(opened.get(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  const bool is_new = !std::exchange(file.was_named, true);
  if (is_new) looking.finds.name(file.path);
  // Pages that the game writes are in memory, too, but it hasn't read them.
  if (status.st_size <= 0 || is_later(status.st_mtim, began_)) return;
  const bool is_told = tells_cached(opened.get());
  if (is_new) ++(is_told ? looked_at_ : refused_);
  if (is_told) look_at_pages(opened.get(), file, static_cast<uint64_t>(status.st_size), looking);
}

void CacheLook::look_at_pages(int descriptor, File& file, uint64_t size_bytes, Looking& looking) {
  const uint64_t pages = (size_bytes + kSeenPageBytes - 1) / kSeenPageBytes;
  if (pages > kMostPagesOfFile || pages > looking.pages_left) return;
  looking.pages_left -= pages;
  for (uint64_t first = 0; first < pages; first += kPiecePages) {
    looking.was_ended = looking.was_ended || looking.is_over();
    if (looking.was_ended) return;
    const uint64_t begin = first * kSeenPageBytes;
    const uint64_t length = std::min(kPiecePages * kSeenPageBytes, size_bytes - begin);
    if (pages > 1 && counts_cached_ && is_none_cached(descriptor, begin, length)) continue;
    if (const auto cached = cached_pages(descriptor, begin, length))
      tell_new(file, first, *cached, looking);
  }
  const std::lock_guard lock(mutex_);
  file.is_done =
      file.known.size() >= pages && std::ranges::find(file.known, false) == file.known.end();
}

void CacheLook::tell_new(File& file, uint64_t first_page, const std::vector<bool>& cached,
                         Looking& looking) {
  std::vector<std::pair<uint64_t, uint64_t>> found;  // first pages and numbers of pages
  {
    const std::lock_guard lock(mutex_);
    if (file.known.size() < first_page + cached.size())
      file.known.resize(first_page + cached.size());
    for (uint64_t i = 0; i < cached.size(); ++i) {
      const uint64_t page = first_page + i;
      if (!cached[i] || file.known[page]) continue;
      file.known[page] = true;
      if (!found.empty() && found.back().first + found.back().second == page)
        ++found.back().second;
      else
        found.emplace_back(page, 1);
    }
  }
  for (const auto& [page, pages] : found) looking.finds.pages(file.path, page, pages);
}

}  // namespace seekless
