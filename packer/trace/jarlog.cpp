// Reads the log of archive entries that Mozilla's programs write (MOZ_JAR_LOG_FILE):
//     jar:file:///usr/lib/firefox/omni.ja!/chrome.manifest chrome/toolkit/a.css
//     /usr/lib/firefox/omni.ja chrome/toolkit/a.css
// Each entry counts as read as a whole, under the path "ARCHIVE/ENTRY". An archive is given as a
// path or a URL; an archive within another, as a URL with several "!/".
#include "packer/base/ascii.h"
#include "packer/trace/internal/dialects.h"
#include "packer/trace/internal/text_dialect.h"

namespace seekless {
namespace {

constexpr std::string_view kArchiveEndings[] = {".ja", ".jar", ".xpi", ".apk", ".zip"};

struct JarLine {
  std::string_view archive;
  std::string_view entry;
};

// Finds the end of the archive's name at its file ending, because a path may hold spaces.
size_t end_of_archive(std::string_view text) {
  if (text.starts_with("jar:") || text.starts_with("file:")) return text.find_first_of(" \t");
  size_t end = std::string_view::npos;
  for (const std::string_view ending : kArchiveEndings)
    for (size_t at = text.find(ending); at != std::string_view::npos;
         at = text.find(ending, at + 1)) {
      const size_t after = at + ending.size();
      if (after < text.size() && (text[after] == ' ' || text[after] == '\t'))
        end = std::min(end, after);
    }
  return end;
}

bool split_jar_line(std::string_view text, JarLine& line) {
  const size_t end = end_of_archive(text);
  if (end == std::string_view::npos || end == 0) return false;
  line.archive = text.substr(0, end);
  line.entry = text.substr(end + 1);
  return !line.entry.empty() && line.entry.front() != ' ';
}

bool is_jar_line(std::string_view text) {
  JarLine line;
  return split_jar_line(text, line);
}

std::string without_percents(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
        hex_digit(text[i + 2]) >= 0) {
      plain += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

std::string path_of_archive(std::string_view archive) {
  const bool is_url = archive.starts_with("jar:") || archive.starts_with("file:");
  if (!is_url) return std::string(archive);
  while (archive.starts_with("jar:")) archive.remove_prefix(4);
  if (archive.starts_with("file://")) archive.remove_prefix(7);
  if (archive.size() > 2 && archive[0] == '/' && archive[2] == ':') archive.remove_prefix(1);
  std::string path = without_percents(archive);
  for (size_t at = path.find("!/"); at != std::string::npos; at = path.find("!/", at))
    path.erase(at, 1);
  if (path.ends_with('/')) path.pop_back();
  return path;
}

bool recognise_jarlog(std::string_view front) {
  return most_lines(front, is_jar_line);
}

Result<void> parse_jarlog(ByteStream& stream, const ImportOptions&, TraceSink& sink,
                          ImportReport& report) {
  EventWriter writer(sink);
  SKL_TRY_DO(writer.begin("jarlog"));
  return for_each_line(stream, LastLine::must_end, report,
                       [&](std::string_view text) -> Result<bool> {
                         JarLine line;
                         if (!split_jar_line(text, line)) return false;
                         Event event;
                         event.length_bytes = kWholeFile;
                         std::string path = path_of_archive(line.archive);
                         path += '/';
                         path += line.entry;
                         return writer.add_in_order(path, event);
                       });
}

}  // namespace

const Dialect kJarlogDialect = {"jarlog", "/usr/lib/firefox/omni.ja chrome.manifest",
                                recognise_jarlog, parse_jarlog};

}  // namespace seekless
