// Tells from which of two states of the same archives a trace was recorded. In that state its reads
// begin at entries, in the other state anywhere. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "packer/content/content.h"
#include "packer/content/locator.h"
#include "packer/trace/event.h"

namespace seekless {

// Counts how a trace's reads of some archives fit the places of their entries in one state.
struct PlaceFit {
  uint64_t jumps = 0;      // reads that don't continue at the end of the last one of their archive
  uint64_t at_begins = 0;  // jumps to the beginning of an entry, of its data, or of the directory
  uint64_t at_ends = 0;    // reads that end at an archive's end
  uint64_t past_ends = 0;  // reads past an archive's end, which are impossible
};

// Knows where the entries of archives begin: their headers and data, and the directory.
class EntryBegins {
 public:
  // `is_counted` is indexed by source; without it all archives count. `content` must outlive this
  // object.
  explicit EntryBegins(const Content& content, const std::vector<bool>* is_counted = nullptr);

  // `file` must be a counted archive.
  bool is_begin(uint32_t file, uint64_t offset_bytes) const;
  // Returns the entry that a read beginning here belongs to; null before the first entry and in the
  // directory.
  const Place* entry_at(uint32_t file, uint64_t offset_bytes) const;

 private:
  const Content& content_;
  // Entries of each source, in the order of their places.
  std::map<uint32_t, std::vector<const Place*>> entries_;
};

// Takes one trace. Reads of other files don't count, nor do names without places.
class PlaceFitter final : public TraceSink {
 public:
  // `is_counted` is indexed by source, and true for archives only. Both must outlive this object.
  PlaceFitter(const Content& content, const Locator& locator, const std::vector<bool>& is_counted);

  Result<void> begin(const TraceHeader&) override { return {}; }
  Result<void> add_path(std::string_view path) override;
  Result<void> add_event(const Event& event) override;
  Result<void> add_mark(const Mark&) override { return {}; }

  const PlaceFit& fit() const { return fit_; }

 private:
  struct RecordedPath {
    uint32_t file;
    uint64_t last_end_bytes = 0;
  };
  const Content& content_;
  const Locator& locator_;
  const std::vector<bool>& is_counted_;
  const EntryBegins begins_;
  std::vector<RecordedPath> paths_;
  PlaceFit fit_;
};

enum class RecordedFrom : uint8_t { neither, first, second, unknown };

// Tells which state fits. `neither` means that the trace reads none of the archives; `unknown`
// means that the trace fits both states equally well, or none.
RecordedFrom judge_places(const PlaceFit& first, const PlaceFit& second);

}  // namespace seekless
