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

void add_content(CommandWords& words, const std::vector<std::string>& roots) {
  if (roots.empty()) return;
  words.emplace_back("--content");
  words.insert(words.end(), roots.begin(), roots.end());
}

CommandWords with_recordings(CommandWords front, const TraceOptions& traces,
                             const std::vector<std::string>& roots) {
  add_traces(front, traces);
  add_content(front, roots);
  return front;
}

std::string beside(const std::string& path, const std::string& name) {
  const size_t slash = path.find_last_of(has_windows_names() ? "/\\" : "/");
  return slash == std::string::npos ? name : path.substr(0, slash + 1) + name;
}

}  // namespace seekless
