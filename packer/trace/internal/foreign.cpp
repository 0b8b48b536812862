#include "packer/trace/internal/foreign.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "packer/trace/internal/line_pattern.h"
#include "packer/trace/internal/text_dialect.h"

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
    // These bytes belong to the first event, after the buffer's header of 72 bytes. They are 32 or
    // 64 bits of data, and a mark.
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
    // The magic number 0x65617407 may have either byte order; the 7 is the version.
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

// Says how many of the lines must match: one (a heading), one in ten (if other lines stand between
// them), or half of them.
enum class Share : uint8_t { one, some, half };

struct Tool {
  std::array<std::string_view, 5> patterns;
  Share share;
  Foreign foreign;
};

constexpr std::string_view kStraceIt =
    "'strace -f -ttt -y -T -o FILE.strace PROGRAM' records what is read of which file";
constexpr std::string_view kDumpEtl =
    "'xperf -i LOG.etl -o FILE.txt -a dumper' makes a text of the ETL itself that can be read";

// Describes each tool's lines by patterns (line_pattern.h). No dialect has such lines.
constexpr Tool kTools[] = {
    {{"%d:%d:%d.%d%s%i%s%*%s%d.%d%s%*.%d"},
     Share::half,
     {"what fs_usage of macOS prints",
      "'sed -nE \"s#^[0-9:.]+ +open .*\\) +(/.*[^ ]) +[0-9]+\\.[0-9]+.*#\\1#p\" FILE > "
      "FILE.txt' makes a list of the files that were opened, which can be read"}},
    {{"fopen%*(%*", "[pid %d] fopen%*(%*", "%d fopen%*(%*", "__libc_start_main%*(%*",
      "[pid %d] __libc_start_main%*(%*"},
     Share::some,
     {"what ltrace prints, which tells calls of libraries", kStraceIt}},
    {{"%i->%i(%*", "[pid %d] %i->%i(%*", "%d%s%i->%i(%*", "SYS_%i(%*", "%i@SYS(%*"},
     Share::half,
     {"what ltrace prints, which tells calls of libraries", kStraceIt}},
    {{"SYSCALL(args)%*", "%*PID/THRD%*", "%*%i(%*)\t\t = %*", "%*%i(%*)\t = %*"},
     Share::some,
     {"what dtruss or truss prints",
      "'sed -nE \"s#.*open(at|_nocancel)?\\((AT_FDCWD, *)?.(/[^\\\\\\\"]*).*= [0-9]+ .*#\\3#p\" "
      "FILE > "
      "FILE.txt' makes a list of the files that were opened, which can be read"}},
    {{"%d %d:%d:%d.%d %d %*(%*) < %*", "%d %d:%d:%d.%d %d %*(%*) > %*"},
     Share::half,
     {"what sysdig prints",
      "'sed -nE \"s#.* < open(at|at2)? fd=[0-9]+\\(<f>([^)]*)\\).*#\\2#p\" FILE > FILE.txt' makes "
      "a "
      "list of the files that were opened, which can be read"}},
    // The text repeats each result in parentheses, as hexadecimal digits.
    {{"%*] [%*] %* X %i(%*) = %d (0x%x) %*", "%*] [%*] %* E %i(%*)", "%i(%*) = %d (0x%x) %*"},
     Share::half,
     {"a log of gVisor's strace",
      "'sed -nE \"s#.*open(at)?\\(([^,]*, )?0x[0-9a-f]+ (/[^,]*), .*= [0-9]+ \\(0x[0-9a-f]+\\) "
      "\\(.*#\\3#p\" FILE > FILE.txt' makes a list of the files that were opened, which can be "
      "read"}},
    {{"type=%i msg=audit(%*", "node=%w type=%i msg=audit(%*", "time->%*"},
     Share::half,
     {"a log of auditd",
      "'sed -nE \"s#.*type=PATH .* name=.?(/[^\\\"]*[^\\\" ]).? inode=.*nametype=NORMAL.*#\\1#p\" "
      "FILE > "
      "FILE.txt' makes a list of the files that were opened, which can be read"}},
    {{"# tracer: %*", "cpus=%d"}, Share::one, {"what ftrace or trace-cmd prints", kStraceIt}},
    {{"%*-%d%s[%d]%s%*%d.%d: %i: %*", "%*-%d%s(%*)%s[%d]%s%*%d.%d: %i: %*"},
     Share::some,
     {"what ftrace or trace-cmd prints", kStraceIt}},
    {{"%*%s%d%s[%d]%s%d.%d:%s%*", "%*%s%d/%d%s[%d]%s%d.%d:%s%*"},
     Share::some,
     {"what perf script prints",
      "'perf trace record PROGRAM' and then 'perf trace -i perf.data > FILE.txt' make a text that "
      "can be read"}},
    {{"Event Name,%*Type,%*Event ID,%*"}, Share::one, {"a CSV of tracerpt", kDumpEtl}},
    {{"%*schemas.microsoft.com/win/2004/08/events/event%*"},
     Share::one,
     {"an XML of tracerpt or of Windows' event log", kDumpEtl}},
    {{"%*<procmon>%*"},
     Share::one,
     {"a log of Process Monitor that was saved as XML",
      "save it as PML, or as CSV: File, Save, All events"}},
    {{"%*<Event MSec=%*"}, Share::one, {"what PerfView exports", kDumpEtl}},
    {{"Line #,%*", "%*,Path Tree,%*", "%*Path Name%*Size (B)%*", "%*Size (B)%*IO Time%*",
      "%*IO Time%*Size (B)%*"},
     Share::one,
     {"a table that Windows Performance Analyzer exports", kDumpEtl}},
    {{"%*UID%sPID%sCOMM%sFD%sPATH", "COMM%sPID%sFD%sFILE"},
     Share::one,
     {"what an opensnoop other than bcc's prints",
      "'sed -nE \"s#^.* +[0-9]+ +(/.*)#\\1#p\" FILE > FILE.txt' makes a list of the files that "
      "were "
      "opened, which can be read"}},
    {{"%*UID%sPID%sD%sBLOCK%sSIZE%sCOMM%sPATHNAME", "COMM%sPID%sTYPE%sDEV%sBLOCK%sBYTES%*"},
     Share::one,
     {"what iosnoop prints", "biosnoop of bcc, and blkparse, print what can be read"}},
    {{"%*CPU%sID%sFUNCTION:NAME%*", "dtrace: %*matched %d probe%*"},
     Share::one,
     {"what a script of DTrace prints",
      "'sed -nE \"s#^ *[0-9]+ +[0-9]+ +open[^ ]*:entry +([^/ ]+ +)?(/.*[^ ]) *\\$#\\2#p\" FILE > "
      "FILE.txt' makes a list of the files that were opened, if the script prints them"}},
    {{"%*%d %w%sCALL%s%i(%*", "%*%d %w%sNAMI%s\"%*"},
     Share::some,
     {"what kdump prints",
      "'sed -nE \"s#.* NAMI +.(/.*).\\$#\\1#p\" FILE > FILE.txt' makes a list of the files that "
      "were "
      "opened, which can be read"}},
    {{"COMMAND%sPID%*NODE NAME"},
     Share::one,
     {"what lsof prints",
      "'sed -nE \"s#^.* REG +[^ ]+ +[^ ]+ +[0-9]+ (/.*)#\\1#p\" FILE > FILE.txt' makes a list of "
      "the "
      "files that were open, in no order; 'strace -f -ttt -y -T PROGRAM' records when they are "
      "read"}},
    {{"trace:file:%*", "%x:trace:file:%*", "%d.%d:%x:trace:file:%*", "%x:%x:trace:file:%*"},
     Share::some,
     {"a log of Wine",
      "'sed -nE \"s#.*CreateFile[AW] L?.([^\\\"]*). GENERIC_READ.*#\\1#p\" FILE | sed "
      "\"s#[\\\\\\\\]*[\\\\\\\\]#/#g\" "
      "> FILE.txt' makes a list of the files that were opened, which can be read"}},
    {{"%x:Call %*(%*", "%x:Ret %*(%*", "%d.%d:%x:Call %*(%*", "%d.%d:%x:Ret %*(%*",
      "%x:trace:%i:%*"},
     Share::half,
     {"a log of Wine", kStraceIt}},
    {{"%*#%*Time of Day%*Thread%*Module%*API%*Return Value%*"},
     Share::one,
     {"what API Monitor exports",
      "Process Monitor records what can be read: save its log as PML, or as CSV with all events"}},
    {{"\"File Time\",\"Total Events\",%*", "\"Path\",\"File Time\",\"Total Events\",%*"},
     Share::one,
     {"the file summary of Process Monitor",
      "save the log itself: File, Save, All events, as PML or CSV"}},
    {{"%* time%sseconds%susecs/call%*"},
     Share::one,
     {"the summary that strace -c prints", kStraceIt}},
    {{"[%d:%d:%d.%d] (%*) %*{ %*"},
     Share::half,
     {"what babeltrace prints of a trace in CTF",
      "'sed -n \"s/.*filename = .\\([^\\\"]*\\).*/\\1/p\" FILE > FILE.txt' makes a list of the "
      "files "
      "that were opened, which can be read"}},
};

// These tools' lines also occur in dialects, among other lines.
constexpr Tool kToolsIfNoDialect[] = {
    {{"Attaching %d probe%*"},
     Share::one,
     {"what a script of bpftrace prints",
      "let the script print paths alone, one a line, or record with 'strace -f -ttt -y -T "
      "PROGRAM'"}},
};

constexpr size_t kLinesToKnowBy = 100;

bool is_of(const Tool& tool, std::span<const std::string_view> lines) {
  const auto is_alike = [&](std::string_view line) {
    return std::ranges::any_of(tool.patterns, [&](std::string_view pattern) {
      return !pattern.empty() && match_line(pattern, line).has_value();
    });
  };
  const size_t least = tool.share == Share::half   ? (lines.size() + 1) / 2
                       : tool.share == Share::some ? (lines.size() + 9) / 10
                                                   : 1;
  size_t alike = 0;
  for (size_t i = 0; i < lines.size() && alike + lines.size() - i >= least; ++i)
    if (is_alike(lines[i]) && ++alike >= least) return true;
  return false;
}

std::optional<Foreign> tool_of(std::string_view front, std::span<const Tool> tools) {
  std::vector<std::string_view> lines;
  while (!front.empty() && lines.size() < kLinesToKnowBy) {
    // Skips a line that the end of the front cuts off, unless it is the only one.
    if (!lines.empty() && front.find('\n') == std::string_view::npos) break;
    const std::string_view line = take_line(front);
    if (!line.empty()) lines.push_back(line);
  }
  const auto found =
      std::ranges::find_if(tools, [&](const Tool& tool) { return is_of(tool, lines); });
  if (found == tools.end()) return std::nullopt;
  return found->foreign;
}

// Recognises Chrome's traces, which begin with {"traceEvents":[ or [{"name":...,"ph":"X".
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
  return tool_of(front, kTools);
}

std::optional<Foreign> recognise_foreign_if_no_dialect(std::string_view front) {
  return tool_of(front, kToolsIfNoDialect);
}

}  // namespace seekless
