// Reads the Unreal engine's log of files in the order it opens them, GameOpenOrder.log:
//     "../../../Engine/Config/Base.ini" 20
// Each file counts as read as a whole; the number gives the order, not the line. Paths are relative
// to the program's folder, three levels below the top. Leading "../" are removed, which makes paths
// relative to the top. Backslashes become slashes, except in paths with a drive letter.
#include <algorithm>

#include "packer/trace/internal/dialects.h"
#include "packer/trace/internal/text_dialect.h"

namespace seekless {
namespace {

constexpr uint64_t kMaxOrder = static_cast<uint64_t>(kTimeLimitNs) / 1000;

struct OrderLine {
  std::string_view path;
  uint64_t order = 0;
};

bool split_order_line(std::string_view text, OrderLine& line) {
  if (!text.starts_with('"')) return false;
  const size_t close = text.rfind('"');
  if (close < 2) return false;
  std::string_view rest = text.substr(close + 1);
  const auto order = parse_number(take_word(rest));
  if (!order || *order > kMaxOrder || rest.find_first_not_of(' ') != std::string_view::npos)
    return false;
  line.path = text.substr(1, close - 1);
  line.order = *order;
  return line.path.find('"') == std::string_view::npos;
}

bool is_order_line(std::string_view text) {
  OrderLine line;
  return split_order_line(text, line);
}

bool has_drive(std::string_view path) {
  return path.size() >= 2 && path[1] == ':';
}

std::string below_the_top(std::string_view path) {
  std::string below(path);
  if (!has_drive(path)) std::ranges::replace(below, '\\', '/');
  size_t begin = 0;
  while (below.compare(begin, 3, "../") == 0) begin += 3;
  return begin == below.size() ? below : below.substr(begin);
}

bool recognise_unreal(std::string_view front) {
  return most_lines(front, is_order_line);
}

Result<void> parse_unreal(ByteStream& stream, const ImportOptions&, TraceSink& sink,
                          ImportReport& report) {
  EventWriter writer(sink);
  SKL_TRY_DO(writer.begin("unreal"));
  return for_each_line(stream, LastLine::may_end, report,
                       [&](std::string_view text) -> Result<bool> {
                         OrderLine line;
                         if (!split_order_line(text, line)) return false;
                         Event event;
                         event.start_ns = static_cast<int64_t>(line.order) * 1000;
                         event.length_bytes = kWholeFile;
                         return writer.add(below_the_top(line.path), event);
                       });
}

}  // namespace

const Dialect kUnrealDialect = {"unreal", "\"../../../Engine/Config/Base.ini\" 20",
                                recognise_unreal, parse_unreal};

}  // namespace seekless
