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
  // Reads that are impossible: past an archive's end, or of a set's part without entries.
  uint64_t past_ends = 0;

  bool operator==(const PlaceFit&) const = default;
};

// Knows where the entries of archives begin: their headers and data, and the directory.
class EntryBegins {
 public:
  // `is_counted` is indexed by source; without it all archives count. `content` must outlive this
  // object.
  explicit EntryBegins(const Content& content, const std::vector<bool>* is_counted = nullptr);

  // `file` must be a counted archive.
  bool is_begin(uint32_t file, uint64_t offset_bytes) const;
  const Content& content() const { return content_; }
  bool has_entries(uint32_t file) const { return entries_.contains(file); }
  // Returns the entry that a read beginning here belongs to; null before the first entry and in the
  // directory.
  const Place* entry_at(uint32_t file, uint64_t offset_bytes) const;

 private:
  const Content& content_;
  // Entries of each source, in the order of their places.
  std::map<uint32_t, std::vector<const Place*>> entries_;
};

// Takes one trace. Reads of other files don't count, nor do names without places, nor reads that
// begin in an entry that lies there in the other state, too.
class PlaceFitter final : public TraceSink {
 public:
  // `is_counted` is indexed by source, and true for archives only. All must outlive this object.
  PlaceFitter(const EntryBegins& begins, const EntryBegins& other, const Locator& locator,
              const std::vector<bool>& is_counted);

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
  bool is_same_in_both(uint32_t file, uint64_t offset_bytes) const;

  const EntryBegins& begins_;
  const EntryBegins& other_;  // of the other state
  const Locator& locator_;
  const std::vector<bool>& is_counted_;
  std::vector<RecordedPath> paths_;
  PlaceFit fit_;
};

enum class RecordedFrom : uint8_t { neither, first, second, unknown };

// Tells which state fits. `neither` means that the trace reads nothing that moved; `unknown` means
// that the trace fits both states equally well, or none.
RecordedFrom judge_places(const PlaceFit& first, const PlaceFit& second);

}  // namespace seekless
