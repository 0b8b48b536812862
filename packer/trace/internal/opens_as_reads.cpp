#include "packer/trace/internal/opens_as_reads.h"

#include <utility>

#include <fmt/format.h>

namespace seekless {
namespace {

bool may_have_read(const Event& event) {
  return event.kind == EventKind::open && event.os_error == 0 && event.is_for_reading;
}

}  // namespace

Result<void> OpensAsReads::begin(const TraceHeader& header) {
  // Our own recorders always report reads.
  tells_reads_ = report_.dialect == "seekless" && header.dialect.empty();
  return sink_.begin(header);
}

Result<void> OpensAsReads::add_event(const Event& event) {
  if (state_ == State::passes_on) return sink_.add_event(event);
  if (event.kind != EventKind::open) {
    if (state_ == State::waits) SKL_TRY_DO(leave_waiting(State::passes_on));
    return sink_.add_event(event);
  }
  opens_ += may_have_read(event) ? 1 : 0;
  if (state_ == State::adds_reads) return hand_on(event);
  if (waiting_.size() == kMostWaiting)
    SKL_TRY_DO(leave_waiting(tells_reads() ? State::passes_on : State::adds_reads));
  if (state_ != State::waits) return hand_on(event);
  waiting_.emplace_back(event);
  return {};
}

Result<void> OpensAsReads::add_mark(const Mark& mark) {
  if (state_ != State::waits) return sink_.add_mark(mark);
  waiting_.emplace_back(mark);
  return {};
}

Result<void> OpensAsReads::hand_on(const Event& event) {
  SKL_TRY_DO(sink_.add_event(event));
  if (state_ != State::adds_reads || !may_have_read(event)) return {};
  Event read = event;
  read.kind = EventKind::read;
  read.offset_bytes = 0;
  read.length_bytes = kWholeFile;
  return sink_.add_event(read);
}

Result<void> OpensAsReads::leave_waiting(State state) {
  state_ = state;
  for (const auto& one : std::exchange(waiting_, {})) {
    const Event* event = std::get_if<Event>(&one);
    auto handed = event != nullptr ? hand_on(*event) : sink_.add_mark(std::get<Mark>(one));
    if (!handed) return handed;
  }
  return {};
}

Result<void> OpensAsReads::finish(const std::string& file, std::string_view to_record_reads) {
  const bool adds_reads = state_ == State::waits && opens_ > 0 && !tells_reads();
  if (state_ == State::waits) {
    if (!waiting_.empty() && !adds_reads)
      report_.warnings.push_back(
          fmt::format("{}: {}, and nothing was read; record while the program loads", file,
                      opens_ > 0 ? "files were opened" : "no file was opened that could be read"));
    SKL_TRY_DO(leave_waiting(adds_reads ? State::adds_reads : State::passes_on));
  }
  // Another warning may already say why there are no reads, e.g. where a recorder can't see them.
  const std::string advice = report_.warnings.empty() ? fmt::format("; {}", to_record_reads) : "";
  if (state_ == State::adds_reads)
    report_.warnings.push_back(
        fmt::format("{}: no read was recorded, so each file that was opened counts as read whole{}",
                    file, advice));
  return {};
}

}  // namespace seekless
