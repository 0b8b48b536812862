// Takes any memory that a recorded program may share with the recorder. It must not crash or loop
// endlessly, it must give no more records than there is room for, and the trace must be readable.
//
// An input consists of a byte of flags, 4 bytes that say how many slots were given to writers, and
// slots of the ring.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "packer/record/internal/process_records.h"
#include "packer/record/internal/ring_reader.h"
#include "packer/trace/dialect.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/strict_sink.h"

namespace {

using namespace seekless;

constexpr uint8_t kHeadAsGiven = 1;   // otherwise, as many slots as follow
constexpr uint8_t kTurnsAsGiven = 2;  // otherwise, each slot is whole
constexpr uint8_t kHasEnded = 4;      // the program has ended before anything is taken
constexpr size_t kFrontBytes = 5;

// The ring is far larger than the part of it that an input fills.
class SharedRing {
 public:
  SharedRing(const uint8_t* data, size_t size)
      : slots_(std::min<size_t>((size - kFrontBytes) / sizeof(RecordSlot), kRingSlots)) {
    uint32_t head = 0;
    std::memcpy(&head, data + 1, sizeof(head));
    std::memcpy(memory().data() + kRingHeaderBytes, data + kFrontBytes,
                slots_ * sizeof(RecordSlot));
    auto* header = reinterpret_cast<RingHeader*>(memory().data());
    header->head = (data[0] & kHeadAsGiven) != 0 ? head : static_cast<uint32_t>(slots_);
    if ((data[0] & kTurnsAsGiven) != 0) return;
    auto* slots = reinterpret_cast<RecordSlot*>(memory().data() + kRingHeaderBytes);
    for (uint32_t i = 0; i < slots_; ++i) slots[i].turn = i + 1;
  }
  SharedRing(const SharedRing&) = delete;
  SharedRing& operator=(const SharedRing&) = delete;
  ~SharedRing() { std::memset(memory().data(), 0, kRingHeaderBytes + slots_ * sizeof(RecordSlot)); }

  static std::span<std::byte> memory() {
    struct alignas(4096) Memory {
      std::array<std::byte, kRingBytes> bytes;
    };
    static const auto made = std::make_unique<Memory>();
    return made->bytes;
  }

 private:
  size_t slots_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < kFrontBytes) return 0;
  const SharedRing ring(data, size);
  StrictSink sink;
  require(sink.begin({}).has_value());
  EventWindow window(sink);
  FileCalls calls(sink, window);
  size_t table_entries = 0;
  const DriveOfDevice drive_of = [](const std::string& device) {
    return device == "\\Device\\HarddiskVolume3" ? "D:" : "";
  };
  ProcessRecords records(7, calls, table_entries, drive_of);
  const TickClock clock = {.ticks = 1'000'000'000, .ns = kSecondNs / 2};

  RingReader reader(SharedRing::memory().data());
  size_t taken = 0;
  const auto take_all = [&] {
    while (const auto record = reader.take()) {
      require(++taken <= kRingSlots);
      require(record->text.size() <= kRingSlots * kSlotCharacters);
      if (record->kind != RecordKind::child) require(records.take(*record, clock).has_value());
    }
  };
  if ((data[0] & kHasEnded) == 0) take_all();
  reader.writer_has_ended();
  take_all();
  require(records.finish(clock).has_value() && window.finish().has_value());

  sink.encoder.finish();
  MemoryStream stream("again", std::move(sink.encoder.text()));
  Trace back;
  require(import_trace(stream, {.format = "seekless"}, back).has_value());
  require(back.events.size() == sink.events);
  return 0;
}
