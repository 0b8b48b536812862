#include "packer/trace/internal/xperf_line.h"

#include "packer/trace/internal/numbers.h"

namespace seekless {
namespace {

constexpr size_t kFieldLimit = 256;

struct ColumnName {
  std::string_view name;
  XperfColumn column;
};
constexpr std::array kColumnNames = {
    ColumnName{"TimeStamp", XperfColumn::time},
    ColumnName{"Process Name ( PID)", XperfColumn::process},
    ColumnName{"Process Name (PID)", XperfColumn::process},
    ColumnName{"ThreadID", XperfColumn::thread},
    ColumnName{"IrpPtr", XperfColumn::irp},
    ColumnName{"FileObject", XperfColumn::file_object},
    ColumnName{"ByteOffset", XperfColumn::offset},
    ColumnName{"Size", XperfColumn::size},
    ColumnName{"IOSize", XperfColumn::size},
    ColumnName{"Flags", XperfColumn::flags},
    ColumnName{"ElapsedTime", XperfColumn::elapsed},
    ColumnName{"Status", XperfColumn::status},
    ColumnName{"ExtraInfo", XperfColumn::extra},
    ColumnName{"FileName", XperfColumn::name},
};

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

}  // namespace

XperfType::XperfType(std::string_view line) {
  places_.fill(SIZE_MAX);
  std::vector<std::string_view> fields;
  if (!split_xperf_line(line, fields)) return;
  name_ = fields[0];
  for (size_t i = 1; i < fields.size(); ++i)
    for (const ColumnName& known : kColumnNames) {
      size_t& place = places_[static_cast<size_t>(known.column)];
      if (known.name == fields[i] && place == SIZE_MAX) place = i;
    }
}

bool split_xperf_line(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  for (size_t at = 0; fields.size() < kFieldLimit;) {
    size_t begin = at;
    while (begin < line.size() && (line[begin] == ' ' || line[begin] == '\t')) ++begin;
    const bool is_quoted = begin < line.size() && line[begin] == '"';
    size_t end = begin;
    if (is_quoted) {
      end = line.find('"', begin + 1);
      if (end == std::string_view::npos) return false;
    }
    const size_t comma = line.find(',', end);
    fields.push_back(is_quoted ? line.substr(begin + 1, end - begin - 1)
                               : trimmed(line.substr(begin, comma - begin)));
    if (comma == std::string_view::npos) return true;
    at = comma + 1;
  }
  return false;
}

std::string_view xperf_type_name(std::string_view line) {
  return trimmed(line.substr(0, line.find(',')));
}

std::optional<uint32_t> xperf_process(std::string_view text) {
  const size_t open = text.find_last_of('(');
  if (open == std::string_view::npos || text.back() != ')') return std::nullopt;
  const std::string_view inner = trimmed(text.substr(open + 1, text.size() - open - 2));
  if (inner == "-1") return 0;
  return parse_id(inner);
}

}  // namespace seekless
