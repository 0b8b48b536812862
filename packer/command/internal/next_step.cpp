#include "packer/command/internal/next_step.h"

#include <utility>

#include "packer/host/native_path.h"

namespace seekless {

void add_traces(CommandWords& words, const TraceOptions& traces) {
  // "-x.trace" would be taken as an option.
  for (const std::string& path : traces.paths)
    words.push_back(path.starts_with('-') && path != "-" ? "./" + path : path);
  for (const std::string& map : traces.maps) words.insert(words.end(), {"--map", map});
}

void add_content(CommandWords& words, const ContentOptions& content) {
  if (content.roots.empty()) return;
  words.emplace_back("--content");
  words.insert(words.end(), content.roots.begin(), content.roots.end());
  const ScanOptions& scan = content.scan;
  if (scan.keep_archives) words.emplace_back("--keep-archives");
  if (scan.fold_case) words.emplace_back("--fold-case");
  for (const std::string& glob : scan.opaque) words.insert(words.end(), {"--opaque", glob});
  for (const std::string& glob : scan.take_apart) words.insert(words.end(), {"--take-apart", glob});
  if (scan.strict) words.emplace_back("--strict");
  for (const std::string& glob : scan.exclude) words.insert(words.end(), {"--exclude", glob});
}

CommandWords with_recordings(CommandWords front, const TraceOptions& traces,
                             const ContentOptions& content) {
  add_traces(front, traces);
  add_content(front, content);
  return front;
}

std::string beside(const std::string& path, const std::string& name) {
  const size_t slash = path.find_last_of(has_windows_names() ? "/\\" : "/");
  return slash == std::string::npos ? name : path.substr(0, slash + 1) + name;
}

}  // namespace seekless
