// The grammar of xperf's dumper: what the header says of each type of event's columns, and a line
// cut into fields. Nothing here knows what the events mean.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace seekless {

// The columns that matter, under whatever name and in whatever order a version has them.
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
  // `line` is the header's: "FileIoRead, TimeStamp, Process Name ( PID), ...".
  explicit XperfType(std::string_view line);
  const std::string& name() const { return name_; }
  bool has(XperfColumn column) const { return places_[static_cast<size_t>(column)] != SIZE_MAX; }
  // Empty if there is no such column, or the line ends before it.
  std::string_view field(const std::vector<std::string_view>& fields, XperfColumn column) const {
    const size_t place = places_[static_cast<size_t>(column)];
    return place < fields.size() ? fields[place] : std::string_view{};
  }

 private:
  std::string name_;
  std::array<size_t, static_cast<size_t>(XperfColumn::count_)> places_;
};

// Fields without their padding and quotes; commas within quotes belong to the field. False if a
// quote isn't closed or there are more than any type of event has.
bool split_xperf_line(std::string_view line, std::vector<std::string_view>& fields);
// The type's name: what stands before the first comma.
std::string_view xperf_type_name(std::string_view line);
// "chrome.exe (12192)" or "Idle (   0)"; 0 for "Unknown (-1)".
std::optional<uint32_t> xperf_process(std::string_view text);

}  // namespace seekless
