// Reads what biosnoop of bcc or libbpf-tools prints, with or without queue time (-Q), pattern (-P)
// and times of day (-t):
//     TIME(s)     COMM           PID    DISK    T SECTOR     BYTES  LAT(ms)
//     0.004182    game           3284   sda     R 143218432  16384     8.21
// Each line is a finished request; LAT is how long the device took. The path is "/dev/" followed by
// the disk's name; offsets are those on the disk. biosnoop.bt of bpftrace prints no sectors, so its
// output is refused.
#include <fmt/format.h>

#include "packer/trace/internal/biosnoop_rows.h"
#include "packer/trace/internal/dialects.h"
#include "packer/trace/internal/text_dialect.h"

namespace seekless {
namespace {

bool is_biosnoop_header(std::string_view text) {
  return (text.starts_with("TIME(") || text.starts_with("TIMESTAMP ")) &&
         text.find(" DISK ") != std::string_view::npos &&
         text.find(" COMM ") != std::string_view::npos;
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// bcc prints no space after the 7 characters of BYTES: "1048576S" with -P, "10485761234.56"
// without. This inserts the space if there is only one way to do so, and returns false otherwise.
bool part_bytes(std::string_view row, std::string& parted) {
  constexpr size_t kBytesWide = 7;
  for (size_t at = 0; at < row.size();) {
    const size_t begin = row.find_first_not_of(' ', at);
    if (begin == std::string_view::npos) return false;
    at = std::min(row.find(' ', begin), row.size());
    const std::string_view word = row.substr(begin, at - begin);
    const size_t point = word.find('.');
    size_t cut = 0;
    size_t ways = 0;
    if (word.size() > kBytesWide && is_digits(word.substr(0, word.size() - 1)) &&
        !is_digits(word.substr(word.size() - 1))) {
      cut = word.size() - 1;
      ways = 1;
    } else if (point != std::string_view::npos && point >= kBytesWide + 4) {
      // A latency has at least 4 digits, and the bytes are whole sectors.
      for (size_t end = kBytesWide; end + 4 <= point; ++end) {
        const auto bytes = parse_whole_number(word.substr(0, end));
        if (!bytes || *bytes % kSectorBytes != 0 || word[end] == '0') continue;
        cut = end;
        ++ways;
      }
    }
    if (ways != 1) continue;
    parted = row.substr(0, begin + cut);
    parted += ' ';
    parted += row.substr(begin + cut);
    return true;
  }
  return false;
}

// Recognises a request without a process and a disk, such as a check whether a drive has a medium:
// "2.000026000    ?              0              R  -1        8          1.11".
bool is_of_no_disk(std::string_view text) {
  take_word(text);
  if (take_word(text) != "?" || take_word(text) != "0") return false;
  const std::string_view kind = take_word(text);
  const std::string_view sector = take_word(text);
  return (kind == "R" || kind == "W") && !sector.empty() && !take_word(text).empty() &&
         !take_word(text).empty();
}

// Returns nothing if the row makes no sense.
std::optional<BiosnoopRow> parse_row(const ColumnTable& table, DayClock& clock) {
  auto end_ns = parse_decimal_ns(table.value("TIME(s)"), 1'000'000'000);
  if (table.has("TIMESTAMP")) end_ns = parse_time_of_day_ns(table.value("TIMESTAMP"));
  if (end_ns && table.has("TIMESTAMP")) end_ns = clock.since_first_ns(*end_ns);
  const auto latency_ns = parse_decimal_ns(table.value("LAT(ms)"), 1'000'000);
  // A request that no process caused has the process -1.
  const bool has_process = table.has("PID") && !table.value("PID").starts_with('-');
  const auto process = has_process ? parse_id(table.value("PID")) : 0;
  const auto sector = parse_number(table.value("SECTOR"));
  const auto length_bytes = parse_number(table.value("BYTES"));
  if (!end_ns || !latency_ns || !process || !sector || !length_bytes ||
      *sector > kPlaceLimitBytes / kSectorBytes || *length_bytes == kWholeFile)
    return std::nullopt;
  return BiosnoopRow{.start_ns = *end_ns - *latency_ns,
                     .duration_ns = *latency_ns,
                     .kind = table.value("T"),
                     .disk = table.value("DISK"),
                     .process = *process,
                     .offset_bytes = *sector * kSectorBytes,
                     .length_bytes = *length_bytes};
}

// The disk "-1" or "Unknown" means no disk.
Result<bool> add_row(const BiosnoopRow& row, EventWriter& writer) {
  if (!row.is_read() || row.length_bytes == 0) return true;
  Event event;
  event.start_ns = row.start_ns;
  event.duration_ns = row.duration_ns;
  event.offset_bytes = row.offset_bytes;
  event.length_bytes = row.length_bytes;
  event.process = event.thread = row.process;
  return writer.add(fmt::format("/dev/{}", row.disk), event);
}

Result<void> parse_biosnoop(ByteStream& stream, const ImportOptions&, TraceSink& sink,
                            ImportReport& report) {
  EventWriter writer(sink);
  SKL_TRY_DO(writer.begin("biosnoop"));
  return for_each_biosnoop_row(stream, report,
                               [&](const BiosnoopRow& row) { return add_row(row, writer); });
}

}  // namespace

bool recognise_biosnoop(std::string_view front) {
  return !find_line(front, is_biosnoop_header).empty();
}

Result<void> for_each_biosnoop_row(ByteStream& stream, ImportReport& report,
                                   const std::function<Result<bool>(const BiosnoopRow&)>& take) {
  std::optional<ColumnTable> table;
  DayClock clock;
  std::string parted;
  bool tells_places = true;
  return for_each_line(
      stream, LastLine::must_end, report, [&](std::string_view text) -> Result<bool> {
        if (is_biosnoop_header(text)) {
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
        if (!table->split(text) && !(part_bytes(text, parted) && table->split(parted)))
          return is_of_no_disk(text);
        const auto row = parse_row(*table, clock);
        // Flushes and similar requests have no position.
        if (!row) return table->value("T").find('R') == std::string_view::npos;
        return take(*row);
      });
}

const Dialect kBiosnoopDialect = {"biosnoop",
                                  "the columns TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)",
                                  recognise_biosnoop, parse_biosnoop};

}  // namespace seekless
