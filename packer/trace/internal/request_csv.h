// Reads one served request from a line of CSV with named columns.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packer/trace/served_requests.h"

namespace seekless {

// Holds one request of a log.
struct LoggedRequest {
  ServedRequest request;
  std::optional<double> start_ms;  // when it was issued, on the log's clock
};

class RequestColumns {
 public:
  // Returns the columns of a header, or the reason why it isn't one.
  static std::optional<RequestColumns> parse(std::string_view header, std::string& reason);

  // Returns true if the table says when each request was issued.
  bool tells_starts() const;
  // Returns nothing if the line makes no sense. Columns with other names are skipped.
  std::optional<LoggedRequest> split(std::string_view line) const;

 private:
  enum class Meaning : uint8_t { other, position, length, kind, response, pause, start };
  struct RequestColumn {
    Meaning meaning = Meaning::other;
    double unit = 1;  // bytes or milliseconds
  };

  static RequestColumn column_of(std::string_view name);

  std::vector<RequestColumn> columns_;
  char separator_ = ',';
};

// Returns true if the text looks like a header of such a table.
bool is_request_header(std::string_view text);

// Parses a number from 0 to `most`; returns nothing for anything else, such as "nan".
std::optional<double> parse_amount(std::string_view text, double most);

}  // namespace seekless
