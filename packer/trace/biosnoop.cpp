// Reads what biosnoop of bcc or libbpf-tools prints, with or without queue time and pattern:
//     TIME(s)     COMM           PID    DISK    T SECTOR     BYTES  LAT(ms)
//     0.004182    game           3284   sda     R 143218432  16384     8.21
// A line is a request that has ended; LAT is how long the device took. The path is "/dev/" and the
// disk; offsets are those on it. biosnoop.bt of bpftrace tells no places, and is refused.
#include <fmt/format.h>

#include "packer/trace/text_dialect.h"
#include "packer/trace/text_dialects.h"

namespace seekless {
namespace {

constexpr uint64_t kSectorBytes = 512;

bool is_header(std::string_view text) {
  return text.starts_with("TIME(") && text.find(" DISK ") != std::string_view::npos &&
         text.find(" COMM ") != std::string_view::npos;
}

Result<bool> add_row(const ColumnTable& table, EventWriter& writer) {
  // A kind is R, W, or more letters as blkparse has them; "-1" or "Unknown" as disk is none.
  const std::string_view kind = table.value("T");
  if (kind.find('R') == std::string_view::npos || kind.find('W') != std::string_view::npos)
    return true;
  const auto end_ns = parse_decimal_ns(table.value("TIME(s)"), 1'000'000'000);
  const auto latency_ns = parse_decimal_ns(table.value("LAT(ms)"), 1'000'000);
  const auto process = parse_whole_number(table.value("PID"));
  const auto sector = parse_whole_number(table.value("SECTOR"));
  const auto length_bytes = parse_whole_number(table.value("BYTES"));
  if (!end_ns || !latency_ns || !sector || !length_bytes ||
      *sector > kPlaceLimitBytes / kSectorBytes || *length_bytes == kWholeFile)
    return false;
  if (*length_bytes == 0) return true;
  Event event;
  event.start_ns = *end_ns - *latency_ns;
  event.duration_ns = *latency_ns;
  event.offset_bytes = *sector * kSectorBytes;
  event.length_bytes = *length_bytes;
  event.process = event.thread = static_cast<uint32_t>(process.value_or(0));
  return writer.add(fmt::format("/dev/{}", table.value("DISK")), event);
}

}  // namespace

bool recognise_biosnoop(std::string_view front) {
  return !find_line(front, is_header).empty();
}

Result<void> parse_biosnoop(ByteStream& stream, const ImportOptions&, TraceSink& sink,
                            ImportReport& report) {
  EventWriter writer(sink);
  if (auto begun = writer.begin("biosnoop"); !begun) return begun;
  std::optional<ColumnTable> table;
  bool tells_places = true;
  auto parsed =
      for_each_line(stream, LastLine::must_end, report, [&](std::string_view text) -> Result<bool> {
        if (is_header(text)) {
          table = ColumnTable::parse(text, ' ', "COMM", false);
          tells_places = table && table->has("SECTOR") && table->has("BYTES") && table->has("T");
          if (tells_places) return true;
          return damaged({.file = stream.name(),
                          .place = "the line that names the columns",
                          .expected = "the columns T, SECTOR and BYTES",
                          .found = fmt::format("'{}'", text.substr(0, 80)),
                          .advice = "biosnoop of bcc tells where was read, biosnoop.bt doesn't"});
        }
        if (!table) return report.lines <= kPreambleLines;
        if (!table->split(text)) return false;
        return add_row(*table, writer);
      });
  return parsed;
}

}  // namespace seekless
