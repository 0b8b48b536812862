// Reads the output of opensnoop from bcc, libbpf-tools or bpftrace, with any columns:
//     TIME(s)       PID    COMM               FD ERR FLAGS    PATH
//     0.000000000   1576   game               11   0 02000000 /g/a.pak
// It reports opened files, but no reads: each file counts as opened, and then as read whole. Files
// opened only for writing, and folders, are recognised only with FLAGS (-e).
#include "packer/trace/internal/dialects.h"
#include "packer/trace/internal/text_dialect.h"

namespace seekless {
namespace {

// FLAGS shows open(2)'s flags of x86 in octal.
constexpr uint64_t kAccessMode = 03;
constexpr uint64_t kReadOnly = 00;
constexpr uint64_t kReadWrite = 02;
constexpr uint64_t kDirectoryFlag = 0200000;
constexpr uint64_t kPathOnlyFlag = 010000000;

bool is_opensnoop_header(std::string_view text) {
  return text.find("COMM ") != std::string_view::npos &&
         text.find(" FD ERR ") != std::string_view::npos && text.ends_with("PATH");
}

std::optional<uint64_t> parse_octal(std::string_view text) {
  uint64_t value = 0;
  if (text.empty() || text.size() > 16) return std::nullopt;
  for (const char c : text) {
    if (c < '0' || c > '7') return std::nullopt;
    value = value * 8 + static_cast<uint64_t>(c - '0');
  }
  return value;
}

bool is_for_reading(uint64_t flags) {
  const uint64_t mode = flags & kAccessMode;
  return (mode == kReadOnly || mode == kReadWrite) &&
         (flags & (kDirectoryFlag | kPathOnlyFlag)) == 0;
}

class OpenParser {
 public:
  explicit OpenParser(TraceSink& sink) : writer_(sink) {}

  Result<void> begin() { return writer_.begin("opensnoop"); }
  bool has_header() const { return table_.has_value(); }
  Result<bool> line(std::string_view text);

 private:
  // Returns false if the row's time is malformed.
  bool take_time(Event& event);
  Result<bool> add(Event event) {
    const std::string_view path = table_->value("PATH");
    return has_times_ ? writer_.add(path, event) : writer_.add_in_order(path, event);
  }

  EventWriter writer_;
  std::optional<ColumnTable> table_;
  DayClock clock_;
  bool has_times_ = false;
};

bool OpenParser::take_time(Event& event) {
  const bool is_decimal = table_->has("TIME(s)");
  has_times_ = is_decimal || table_->has("TIME");
  if (!has_times_) return true;
  const auto time_ns = is_decimal ? parse_decimal_ns(table_->value("TIME(s)"), 1'000'000'000)
                                  : parse_time_of_day_ns(table_->value("TIME"));
  if (!time_ns) return false;
  event.start_ns = is_decimal ? *time_ns : clock_.since_first_ns(*time_ns);
  return true;
}

Result<bool> OpenParser::line(std::string_view text) {
  if (is_opensnoop_header(text)) {
    table_ = ColumnTable::parse(text, ' ', "COMM", true);
    return table_.has_value();
  }
  // This is a line of the caller's stack (-c).
  if (text.starts_with(' ') && !table_->has("TIME(s)")) return true;
  if (!table_->split(text)) return false;
  Event event;
  const auto process = parse_id(table_->value(table_->has("PID") ? "PID" : "TID"));
  const std::string_view descriptor = table_->value("FD");
  const auto error = parse_number(table_->value("ERR"));
  const bool is_open = descriptor != "-1";
  if (is_open && !parse_number(descriptor)) return false;
  if (!take_time(event) || !process || !error || *error > INT32_MAX) return false;
  if (table_->has("FLAGS")) {
    const auto flags = parse_octal(table_->value("FLAGS"));
    if (!flags) return false;
    if (!is_for_reading(*flags)) return true;
  }
  event.kind = EventKind::open;
  event.process = event.thread = *process;
  event.os_error = static_cast<int32_t>(*error);
  if (auto added = add(event); !added || !*added) return added;
  if (event.os_error != 0 || !is_open) return true;
  event.kind = EventKind::read;
  event.length_bytes = kWholeFile;
  return add(event);
}

bool recognise_opensnoop(std::string_view front) {
  return !find_line(front, is_opensnoop_header).empty();
}

Result<void> parse_opensnoop(ByteStream& stream, const ImportOptions&, TraceSink& sink,
                             ImportReport& report) {
  OpenParser parser(sink);
  SKL_TRY_DO(parser.begin());
  return for_each_line(stream, LastLine::must_end, report,
                       [&](std::string_view text) -> Result<bool> {
                         if (!parser.has_header() && !is_opensnoop_header(text))
                           return report.lines <= kPreambleLines;
                         return parser.line(text);
                       });
}

}  // namespace

const Dialect kOpensnoopDialect = {"opensnoop", "the columns PID COMM FD ERR PATH",
                                   recognise_opensnoop, parse_opensnoop};

}  // namespace seekless
