#include "packer/simulate/recorded_fit.h"

#include <algorithm>
#include <utility>

#include "packer/host/file_stamp.h"

namespace seekless {
namespace {

// Fewer jumps than these fit or miss the begins of entries by chance.
constexpr uint64_t kLeastJumps = 8;

// Programs that open a zip read its end, and begin most jumps at an entry. Reads that do neither
// are of another archive, or of a program that reads whole pages of one that was open already; the
// file's time tells these apart.
bool looks_like_another(const PlaceFit& places) {
  return places.at_ends == 0 && places.jumps >= kLeastJumps && places.at_begins * 2 < places.jumps;
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
  if (end == source.size_bytes) ++fit.places.at_ends;
  if (event.offset_bytes == last_end) return;
  ++fit.places.jumps;
  if (begins_.is_begin(file, event.offset_bytes)) ++fit.places.at_begins;
}

Misfit FitCounter::misfit_of(uint32_t file, const FileFit& fit) const {
  if (fit.past_end_bytes > 0) return Misfit::past_end;
  if (!looks_like_another(fit.places) || fit.began_unix_ns == 0) return Misfit::none;
  const auto stamp = change_stamp_of(std::string(content_.sources[file].path));
  const bool is_newer = stamp && *stamp && (*stamp)->written_ns > fit.began_unix_ns;
  return is_newer ? Misfit::changed : Misfit::none;
}

RecordedFit FitCounter::fit() const {
  RecordedFit all;
  uint64_t most_bytes = 0;
  for (const auto& [file, fit] : files_) {
    all.read_bytes += fit.read_bytes;
    const Misfit misfit = misfit_of(file, fit);
    if (misfit == Misfit::none) continue;
    // An archive that has another size has other places, too; of a plain file the front is as it
    // was.
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
