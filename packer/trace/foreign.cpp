#include "packer/trace/foreign.h"

#include <algorithm>

#include "packer/trace/text_dialect.h"

namespace seekless {
namespace {

struct Magic {
  size_t at;
  std::string_view bytes;
  Foreign foreign;
};

using namespace std::string_view_literals;

constexpr Foreign kCtf = {
    "a trace in CTF, as LTTng writes it",
    "'babeltrace2 FOLDER | sed -n \"s/.*filename = .\\([^\\\"]*\\).*/\\1/p\" > FILE.txt' makes a "
    "list "
    "of the files that were opened; 'strace -f -ttt -y -T' records what was read of them"};

constexpr Magic kMagics[] = {
    // Of the first event, after the buffer's header of 72 bytes: 32 or 64 bits, and a mark.
    {74,
     "\x01\xc0"sv,
     {"a binary ETL of Windows",
      "'xperf -i FILE -o FILE.txt -a dumper' makes a "
      "text of it that can be read"}},
    {74,
     "\x02\xc0"sv,
     {"a binary ETL of Windows",
      "'xperf -i FILE -o FILE.txt -a dumper' makes a "
      "text of it that can be read"}},
    {0, "\xc1\x1f\xfc\xc1"sv, kCtf},
    {0, "\xc1\xfc\x1f\xc1"sv, kCtf},
    {0, "\x57\x1d\xd1\x75"sv, kCtf},
    {0, "\x75\xd1\x1d\x57"sv, kCtf},
    {0, "/* CTF 1"sv, kCtf},
    {0,
     "PERFILE2"sv,
     {"a perf.data",
      "'perf trace -i FILE > FILE.txt' makes a text of it that can "
      "be read, if it was recorded by 'perf trace record'"}},
    // 0x65617407 in either order of bytes; the 7 is the version.
    {0,
     "\x07tae"sv,
     {"a binary file of blktrace",
      "'blkparse -i FILE > FILE.txt' makes a text of it that can be read"}},
    {0,
     "eat\x07"sv,
     {"a binary file of blktrace",
      "'blkparse -i FILE > FILE.txt' makes a text of it that can be read"}},
    {0,
     "\x17\x08\x44tracing"sv,
     {"a trace.dat of trace-cmd", "'blkparse' or 'strace -f -ttt -y -T' record what can be read"}},
};

// "21:01:51.110163  open   F=3   (R_____)  /g/a.pak   0.000010   game.12345"
bool is_fs_usage_line(std::string_view text) {
  const std::string_view time = take_word(text);
  if (!parse_time_of_day_ns(time) || time.find('.') == std::string_view::npos) return false;
  const std::string_view call = take_word(text);
  if (call.empty() || call.find_first_of("([:/=") != std::string_view::npos) return false;
  // Its columns are padded, and the last two are how long it took, perhaps waiting ("W"), and who.
  const size_t last = text.find_last_not_of(' ');
  if (last == std::string_view::npos) return false;
  text = text.substr(0, last + 1);
  const size_t who = text.rfind(' ');
  if (who == std::string_view::npos || text.find('.', who) == std::string_view::npos) return false;
  text = text.substr(0, text.find_last_not_of(' ', who) + 1);
  if (text.ends_with(" W")) text = text.substr(0, text.find_last_not_of(' ', text.size() - 2) + 1);
  return parse_decimal_ns(text.substr(text.rfind(' ') + 1), 1'000'000'000).has_value() &&
         text.substr(text.rfind(' ') + 1).find('.') == 1;
}

// {"traceEvents":[ or [{"name":...,"ph":"X"
bool is_chrome_trace(std::string_view front) {
  const size_t begin = front.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return false;
  front = front.substr(begin);
  if (front.starts_with('{')) return front.find("\"traceEvents\"") != std::string_view::npos;
  return front.starts_with('[') && front.find("\"ph\"") != std::string_view::npos &&
         front.find("\"ts\"") != std::string_view::npos;
}

}  // namespace

std::optional<Foreign> recognise_foreign(std::string_view front) {
  for (const Magic& magic : kMagics)
    if (front.size() > magic.at && front.substr(magic.at).starts_with(magic.bytes))
      return magic.foreign;
  if (is_chrome_trace(front))
    return Foreign{"a trace of Chrome's kind",
                   "'jq -r \".. | strings | select(test(\\\"^(/|[A-Za-z]:[^A-Za-z0-9 ])\\\"))\" "
                   "FILE > FILE.txt' "
                   "makes a list of the paths in it, in their order, which can be read"};
  if (most_lines(front, is_fs_usage_line))
    return Foreign{
        "what fs_usage of macOS prints",
        "'sed -nE \"s#^[0-9:.]+ +open .*\\) +(/.*[^ ]) +[0-9]+\\.[0-9]+.*#\\1#p\" FILE > "
        "FILE.txt' makes a list of the files that were opened, which can be read"};
  return std::nullopt;
}

}  // namespace seekless
