// Begins scenarios at archive entries: translates reads of archives into entries, and inserts a
// mark before the first read of a given entry. Later stages then need only marks. Whole files don't
// need this, because the import knows their names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/content/content.h"
#include "packer/content/locator.h"
#include "packer/trace/event.h"

namespace seekless {

// Passes on all events of one trace. Programs read archives in pages or larger pieces, so a read
// across an entry's beginning is ambiguous. It is held back until the next read of that file shows
// whether it was for that entry.
class EntrySplits final : public TraceSink {
 public:
  // All arguments must outlive this object. An entry begins a scenario, named after its stem, if
  // its path, or its name in the archive, matches one of `globs`. Each entry does so once.
  EntrySplits(const Content& content, const Locator& locator, const std::vector<std::string>& globs,
              TraceSink& sink);

  Result<void> begin(const TraceHeader& header) override { return sink_.begin(header); }
  Result<void> add_path(std::string_view path) override;
  Result<void> add_event(const Event& event) override;
  Result<void> add_mark(const Mark& mark) override;
  // Must be called once, at the end.
  Result<void> finish() { return release(); }

  uint64_t splits() const { return splits_; }

 private:
  struct SplitPath {
    std::optional<uint32_t> file;          // index in Content::sources
    std::optional<uint32_t> asset;         // index in Content::assets, if the path isn't a file's
    uint64_t last_end_bytes = UINT64_MAX;  // end of the latest read
  };

  std::optional<uint32_t> begun_by(const Event& event) const;
  std::optional<uint32_t> maybe_begun_by(const Event& event) const;
  bool is_for_held(const Event& event) const;
  void note_begun_by_name(const Event& event);
  template <typename Visit>
  void visit_waiting(const Event& event, Visit&& visit) const;
  Result<void> begin_scenario(uint32_t asset);
  Result<void> release();

  const Content& content_;
  const Locator& locator_;
  TraceSink& sink_;
  std::vector<SplitPath> paths_;
  std::vector<bool> is_waiting_;   // indexed by asset: true if it matches and wasn't read yet
  std::vector<uint32_t> waiting_;  // indexed by source: how many of its entries are waiting
  uint64_t splits_ = 0;
  std::string marked_;       // the scenario that a mark just before this event began
  std::vector<Event> held_;  // the first of these may be for `held_asset_`
  uint32_t held_asset_ = 0;
};

}  // namespace seekless
