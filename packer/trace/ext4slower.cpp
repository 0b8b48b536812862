// Reads the output of ext4slower, xfsslower, btrfsslower and their kin, as a table or as CSV (-j):
//     TIME     COMM           PID    T BYTES   OFF_KB   LAT(ms) FILENAME
//     06:49:17 game           3616   R 16384   128         7.75 base.wz
//     ENDTIME_us,TASK,PID,TYPE,BYTES,OFFSET_b,LATENCY_us,FILE
// T is R (a read) or O (an open); writes and syncs are skipped. The tools print a file's name
// without its folder. The table's times are whole seconds and its offsets whole KiB, so events keep
// the order of the lines, and a read's offset is rounded down.
#include <fmt/format.h>

#include "packer/trace/internal/dialects.h"
#include "packer/trace/internal/text_dialect.h"

namespace seekless {
namespace {

constexpr std::string_view kCsvHeader = "ENDTIME_us,TASK,PID,TYPE,BYTES,OFFSET_b,LATENCY_us,FILE";

bool is_table_header(std::string_view text) {
  return text.starts_with("TIME ") && text.find(" OFF_KB ") != std::string_view::npos &&
         text.find(" FILENAME") != std::string_view::npos;
}

bool is_slower_header(std::string_view text) {
  return text.starts_with(kCsvHeader) || is_table_header(text);
}

// These are writes, syncs, and the attribute calls and commits of nfsslower.
constexpr std::string_view kPassedOver = "WSFGC";

// Removes quotes: nfsslower's CSV writes names as Python writes bytes, such as b'base.wz'.
std::string_view without_quotes(std::string_view name) {
  if (name.size() < 4 || !name.starts_with("b'") || !name.ends_with('\'')) return name;
  return name.substr(2, name.size() - 3);
}

class SlowerParser {
 public:
  explicit SlowerParser(TraceSink& sink) : writer_(sink) {}

  Result<void> begin() { return writer_.begin("ext4slower"); }
  bool has_header() const { return table_.has_value(); }
  Result<bool> line(std::string_view text);

 private:
  Result<bool> row();
  std::string_view file() const {
    return is_csv_ ? without_quotes(table_->value("FILE")) : table_->value("FILENAME");
  }
  bool take_times(Event& event);

  EventWriter writer_;
  std::optional<ColumnTable> table_;
  bool is_csv_ = false;
  DayClock clock_;
  std::optional<int64_t> first_end_ns_;
};

Result<bool> SlowerParser::line(std::string_view text) {
  if (is_slower_header(text)) {
    is_csv_ = text.starts_with(kCsvHeader);
    table_ = ColumnTable::parse(is_csv_ ? kCsvHeader : text, is_csv_ ? ',' : ' ',
                                is_csv_ ? "TASK" : "COMM", true);
    // The libbpf-tools print the first row on the line of the header.
    if (is_csv_) text.remove_prefix(kCsvHeader.size());
    if (!is_csv_ || text.empty()) return table_.has_value();
  }
  if (!table_ || !table_->split(text)) return false;
  return row();
}

bool SlowerParser::take_times(Event& event) {
  const auto latency_ns = is_csv_ ? parse_decimal_ns(table_->value("LATENCY_us"), 1000)
                                  : parse_decimal_ns(table_->value("LAT(ms)"), 1'000'000);
  const auto end_ns = is_csv_ ? parse_decimal_ns(table_->value("ENDTIME_us"), 1000)
                              : parse_time_of_day_ns(table_->value("TIME"));
  if (!latency_ns || !end_ns) return false;
  event.duration_ns = *latency_ns;
  if (!is_csv_) {
    event.start_ns = clock_.since_first_ns(*end_ns);
    return true;
  }
  if (!first_end_ns_) first_end_ns_ = *end_ns;
  event.start_ns = *end_ns - *first_end_ns_ - *latency_ns;
  return true;
}

Result<bool> SlowerParser::row() {
  const std::string_view kind = table_->value(is_csv_ ? "TYPE" : "T");
  if (kind != "R" && kind != "O")
    return kind.size() == 1 && kPassedOver.find(kind) != std::string_view::npos;
  const auto length_bytes = parse_number(table_->value("BYTES"));
  const auto offset = parse_number(table_->value(is_csv_ ? "OFFSET_b" : "OFF_KB"));
  const auto process = parse_id(table_->value("PID"));
  Event event;
  if (!process || !take_times(event)) return false;
  event.process = event.thread = *process;
  if (kind == "O") {
    event.kind = EventKind::open;
    return writer_.add(file(), event);
  }
  if (!length_bytes || !offset || *length_bytes == kWholeFile || *offset > kPlaceLimitBytes)
    return false;
  if (*length_bytes == 0) return true;
  event.offset_bytes = is_csv_ ? *offset : *offset * 1024;
  event.length_bytes = *length_bytes;
  return writer_.add(file(), event);
}

bool recognise_ext4slower(std::string_view front) {
  return !find_line(front, is_slower_header).empty();
}

Result<void> parse_ext4slower(ByteStream& stream, const ImportOptions&, TraceSink& sink,
                              ImportReport& report) {
  SlowerParser parser(sink);
  SKL_TRY_DO(parser.begin());
  auto parsed =
      for_each_line(stream, LastLine::must_end, report, [&](std::string_view text) -> Result<bool> {
        if (!parser.has_header() && !is_slower_header(text)) return report.lines <= kPreambleLines;
        return parser.line(text);
      });
  if (parsed && report.warnings.empty())
    report.warnings.push_back(
        fmt::format("{}: the tool tells the names of files without their folders; give those of "
                    "the content by --map NAME=PATH",
                    stream.name()));
  return parsed;
}

}  // namespace

const Dialect kExt4slowerDialect = {
    "ext4slower", "the columns TIME COMM PID T BYTES OFF_KB LAT(ms) FILENAME, or CSV",
    recognise_ext4slower, parse_ext4slower,
    "'ext4slower 0' shows what is read of them, however quick"};

}  // namespace seekless
