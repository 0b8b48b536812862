#include "packer/simulate/recorded_fit.h"

#include <algorithm>
#include <utility>

#include "packer/drive/read_ahead.h"
#include "packer/host/file_stamp.h"

namespace seekless {
namespace {

// With fewer entries than this, reads may fit or not fit by chance.
constexpr uint64_t kLeastEntries = 8;

using Entries = std::map<const Place*, bool>;

uint64_t begun(const Entries& entries) {
  return static_cast<uint64_t>(
      std::ranges::count_if(entries, [](const auto& of) { return of.second; }));
}

}  // namespace

void FitCounter::add(uint32_t file, const Event& event) {
  if (event.kind != EventKind::read || event.length_bytes == kWholeFile || event.length_bytes == 0)
    return;
  FileFit& fit = files_[file];
  fit.began_unix_ns = std::min(fit.began_unix_ns, began_unix_ns_);
  fit.read_bytes += event.length_bytes;
  const Source& source = content_.sources[file];
  const uint64_t end = event.offset_bytes + event.length_bytes;
  if (end > source.size_bytes) {
    fit.past_end_bytes += std::min(event.length_bytes, end - source.size_bytes);
    ++reads_past_end_[file];
  }
  const uint64_t last_end = std::exchange(last_end_bytes_[file], end);
  if (!source.is_archive()) return;
  if (end == source.size_bytes) ++fit.reads_to_end;
  if (event.offset_bytes != last_end) add_jump(file, event.offset_bytes, fit);
}

void FitCounter::add_jump(uint32_t file, uint64_t offset_bytes, FileFit& fit) const {
  ++fit.jumps;
  if (offset_bytes % kPageBytes == 0) ++fit.jumps_to_pages;
  const Place* entry = begins_.entry_at(file, offset_bytes);
  if (entry == nullptr) {
    fit.strays += offset_bytes < content_.sources[file].directory_offset_bytes ? 1 : 0;
    return;
  }
  bool& is_begun = fit.entries[entry];
  is_begun = is_begun || begins_.is_begin(file, offset_bytes);
}

// Decides whether a file has changed. Most programs jump to the beginning of entries. If a program
// reads whole pages, the places of its reads show nothing, unless it never read the archive's end.
// A misfit of places alone may be chance, so the archive must also be newer than the recording. Its
// modification time shows that, or its change time, which tools that restore a file's times can't
// set.
Misfit FitCounter::misfit_of(uint32_t file, const FileFit& fit) const {
  if (fit.past_end_bytes > 0) return Misfit::past_end;
  const uint64_t begun_entries = begun(fit.entries);
  const uint64_t met = fit.entries.size() + fit.strays;
  if (met < kLeastEntries || begun_entries * 2 >= met) return Misfit::none;
  const bool reads_pages = fit.jumps_to_pages * 2 > fit.jumps;
  if (fit.began_unix_ns == 0)
    return reads_pages || begun_entries > 0 ? Misfit::none : Misfit::elsewhere;
  const auto stamp = change_stamp_of(std::string(content_.sources[file].path));
  if (!stamp || !*stamp) return Misfit::none;
  const bool is_written = (*stamp)->written_ns > fit.began_unix_ns;
  const bool is_changed = (*stamp)->changed_ns > fit.began_unix_ns;
  const bool is_newer =
      reads_pages ? is_written && fit.reads_to_end == 0 : is_written || is_changed;
  return is_newer ? Misfit::changed : Misfit::none;
}

RecordedFit FitCounter::fit() const {
  RecordedFit all;
  uint64_t most_bytes = 0;
  for (const auto& [file, fit] : files_) {
    all.read_bytes += fit.read_bytes;
    const Misfit misfit = misfit_of(file, fit);
    if (misfit == Misfit::none) continue;
    // In an archive of another size, entries have moved; the front of a plain file is assumed
    // unchanged.
    const uint64_t bytes =
        content_.sources[file].is_archive() ? fit.read_bytes : fit.past_end_bytes;
    all.misfit_bytes += bytes;
    if (bytes < most_bytes) continue;
    most_bytes = bytes;
    all.file = content_.sources[file].path;
    all.misfit = misfit;
  }
  return all;
}

}  // namespace seekless
