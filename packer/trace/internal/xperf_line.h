// Knows the grammar of xperf's dumper: which columns each type of event has according to the
// header, and how a line splits into fields. It doesn't know the events' meaning.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace seekless {

// Lists the columns that matter, whatever name and order a version gives them.
enum class XperfColumn : uint8_t {
  time,
  process,
  thread,
  irp,
  file_object,
  offset,
  size,
  flags,
  elapsed,
  status,
  extra,
  name,
  count_
};

class XperfType {
 public:
  // `line` is the header's line, e.g. "FileIoRead, TimeStamp, Process Name ( PID), ...".
  explicit XperfType(std::string_view line);
  const std::string& name() const { return name_; }
  bool has(XperfColumn column) const { return places_[static_cast<size_t>(column)] != SIZE_MAX; }
  // Returns an empty field if there is no such column, or the line ends before it.
  std::string_view field(const std::vector<std::string_view>& fields, XperfColumn column) const {
    const size_t place = places_[static_cast<size_t>(column)];
    return place < fields.size() ? fields[place] : std::string_view{};
  }

 private:
  std::string name_;
  std::array<size_t, static_cast<size_t>(XperfColumn::count_)> places_;
};

// Splits fields, and removes their padding and quotes; commas within quotes belong to the field.
// Returns false if a quote isn't closed or there are more fields than any type of event has.
bool split_xperf_line(std::string_view line, std::vector<std::string_view>& fields);
// Returns the type's name, which stands before the first comma.
std::string_view xperf_type_name(std::string_view line);
// Parses "chrome.exe (12192)" or "Idle (   0)"; gives 0 for "Unknown (-1)".
std::optional<uint32_t> xperf_process(std::string_view text);

}  // namespace seekless
