// Reads what fatrace prints, with times (-t: of day; -t -t: since 1970) or without, with users
// (-u), or as lines of JSON (--json):
//     02:12:11.404376 game(3937): O /g/a.pak
//     game(3937) [1000:1000]: RC /g/a.pak
//     {"timestamp":1447208931.404376,"comm":"game","pid":3937,"types":"O","path":"/g/a.pak"}
// It tells files, but not offsets (accesses.h). Events of folders (+ D < >), close (C) and write
// (W) are skipped, and so is "device 8:2 inode 658203", a file without a name.
#include "packer/trace/internal/fatrace_line.h"
#include "packer/trace/internal/text_dialect.h"
#include "packer/trace/internal/text_dialects.h"

namespace seekless {

bool recognise_fatrace(std::string_view front) {
  return most_lines(front, [](std::string_view text) {
    AccessLine line;
    return split_fatrace_line(text, line);
  });
}

Result<void> parse_fatrace(ByteStream& stream, const ImportOptions&, TraceSink& sink,
                           ImportReport& report) {
  return parse_accesses(stream, "fatrace", split_fatrace_line, sink, report);
}

}  // namespace seekless
