#include "packer/serve/internal/watched_events.h"

#include <utility>

#include "packer/base/windows_names.h"
#include "packer/foresee/swept_pages.h"
#include "packer/serve/internal/served_folders.h"

namespace seekless {
namespace {

// A mapped file counts as read up to this size, because games map small files to read them. It
// isn't known which part of a larger file the game will touch.
constexpr uint64_t kMostMappedBytes = uint64_t{16} << 20;
// A read that takes longer came from the disk.
constexpr int64_t kOfMemoryNs = 1'000'000;
constexpr double kNsOfOneSecond = 1e9;

bool lies_below(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path[folder.size()] == '/' &&
         one_windows_spelling(path.substr(0, folder.size())) == one_windows_spelling(folder);
}

}  // namespace

WatchedEvents::WatchedEvents(Foresight& foresight, std::vector<std::string> spelled,
                             std::vector<std::string> beside, const Learned& known,
                             Clock::time_point began)
    : foresight_(foresight),
      spelled_(std::move(spelled)),
      beside_(std::move(beside)),
      began_(began) {
  for (const std::string& file : known.files) in_one_spelling(file);
  for (const LearnedName& name : known.names)
    if (!name.path.ends_with('/')) in_one_spelling(name.path);
}

std::string WatchedEvents::relative(std::string_view path) const {
  for (const std::string& folder : spelled_)
    if (lies_below(path, folder)) return std::string(path.substr(folder.size() + 1));
  for (const std::string& folder : beside_)
    if (lies_below(path, folder))
      return relative_to_game(spelled_.front(),
                              folder + "/" + std::string(path.substr(folder.size() + 1)));
  return {};
}

const std::string& WatchedEvents::in_one_spelling(std::string_view path) {
  const std::string key = one_windows_spelling(path);
  if (const auto known = spellings_.find(key); known != spellings_.end()) return known->second;
  const size_t slash = path.rfind('/');
  std::string whole(path);
  if (slash != std::string_view::npos && slash > 0)
    whole = in_one_spelling(path.substr(0, slash)) + std::string(path.substr(slash));
  return spellings_.emplace(key, std::move(whole)).first->second;
}

Result<void> WatchedEvents::add_path(std::string_view path) {
  const std::string found = relative(path);
  files_.push_back({.path = found.empty() ? found : in_one_spelling(found)});
  return {};
}

// Also names each folder on the way, because Linux looks these up, too.
void WatchedEvents::look_up(Watched& file, Clock::time_point at) {
  if (std::exchange(file.was_looked_up, true)) return;
  for (size_t slash = file.path.find('/'); slash != std::string::npos;
       slash = file.path.find('/', slash + 1))
    foresight_.looks_up(file.path.substr(0, slash), at);
  foresight_.looks_up(file.path, at);
}

void WatchedEvents::read(const Watched& file, const Event& event, Clock::time_point at) {
  if (event.length_bytes == 0) return;
  has_read_ = true;
  const auto pages =
      pages_of_read(foresight_.number_of(file.path), event.offset_bytes, event.length_bytes);
  foresight_.reads(pages, at);
  if (event.kind == EventKind::map || event.duration_ns < 0) return;
  foresight_.has_waited(static_cast<double>(event.duration_ns) / kNsOfOneSecond);
  Sweeper& sweeper = foresight_.sweeper();
  const bool needed_disk = event.duration_ns > kOfMemoryNs && sweeper.is_busy();
  if (needed_disk && !sweeper.has_brought(pages.front()) && !sweeper.will_bring(pages.front()))
    sweeper.other_read_was();
}

void WatchedEvents::reads_past_cache(uint32_t file) {
  if (files_[file].path.empty()) return;
  has_read_ = true;
  if (foresight_.sweeper().is_busy()) foresight_.sweeper().other_read_was();
}

Result<void> WatchedEvents::add_event(const Event& event) {
  Watched& file = files_[event.path];
  if (file.path.empty()) return {};
  const auto at = began_ + std::chrono::duration_cast<Clock::duration>(
                               std::chrono::nanoseconds(event.start_ns));
  look_up(file, at);
  if (event.kind == EventKind::open && event.os_error == 0)
    static_cast<void>(foresight_.number_of(file.path));
  if (event.kind == EventKind::read ||
      (event.kind == EventKind::map && event.length_bytes <= kMostMappedBytes))
    read(file, event, at);
  return {};
}

}  // namespace seekless
