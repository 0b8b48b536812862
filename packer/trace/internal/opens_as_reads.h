// Handles recordings with opens but no reads, whose recorder was asked only for opens. Each opened
// file then counts as read whole, and a warning says so. Stands between a dialect and PathFilter.
#pragma once

#include <variant>
#include <vector>

#include "packer/trace/dialect.h"
#include "packer/trace/event.h"

namespace seekless {

class OpensAsReads final : public TraceSink {
 public:
  // Both must outlive this object.
  OpensAsReads(TraceSink& sink, ImportReport& report) : sink_(sink), report_(report) {}

  Result<void> begin(const TraceHeader& header) override;
  Result<void> add_path(std::string_view path) override { return sink_.add_path(path); }
  Result<void> add_event(const Event& event) override;
  Result<void> add_mark(const Mark& mark) override;
  // `to_record_reads` is the dialect's advice.
  Result<void> finish(const std::string& file, std::string_view to_record_reads);

 private:
  // Opens are held back until a read arrives, up to this many. A program that opens a million files
  // before any read was recorded without reads.
  static constexpr size_t kMostWaiting = size_t{1} << 20;
  enum class State : uint8_t { waits, passes_on, adds_reads };

  Result<void> hand_on(const Event& event);
  Result<void> leave_waiting(State state);
  bool tells_reads() const { return tells_reads_ || report_.tells_reads || report_.read_rows > 0; }

  TraceSink& sink_;
  ImportReport& report_;
  State state_ = State::waits;
  bool tells_reads_ = false;
  uint64_t opens_ = 0;  // opens that may have read something
  std::vector<std::variant<Event, Mark>> waiting_;
};

}  // namespace seekless
