// Which of two states of the same archives a trace was recorded from: its reads begin where entries
// do in the one, and anywhere in the other. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "packer/content/content.h"
#include "packer/content/locator.h"
#include "packer/trace/event.h"

namespace seekless {

// How a trace's reads of some archives fit the places of their entries in one state.
struct PlaceFit {
  uint64_t jumps = 0;      // reads that don't go on where the last one of their archive ended
  uint64_t at_begins = 0;  // of these, such as begin with an entry, or its data, or the directory
  uint64_t at_ends = 0;    // reads that end where an archive does
  uint64_t past_ends = 0;  // reads that could not have been
};

// Where entries of archives begin: their headers and data, and the directory.
class EntryBegins {
 public:
  // `is_counted`: by number in Content::sources; without it all archives. `content` must outlive
  // it.
  explicit EntryBegins(const Content& content, const std::vector<bool>* is_counted = nullptr);

  // `file`: a counted archive.
  bool is_begin(uint32_t file, uint64_t offset_bytes) const;
  // The entry that a read which begins here is of; null in front of all and in the directory.
  const Place* entry_at(uint32_t file, uint64_t offset_bytes) const;

 private:
  const Content& content_;
  std::map<uint32_t, std::vector<const Place*>> entries_;  // by source, as they lie
};

// Takes one trace. Reads of other files don't count, nor do names without places.
class PlaceFitter final : public TraceSink {
 public:
  // `is_counted`: by number in Content::sources; of archives alone. Both must outlive it.
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

// `neither`: it reads none of the archives. `unknown`: it fits both as well, or none.
RecordedFrom judge_places(const PlaceFit& first, const PlaceFit& second);

}  // namespace seekless
