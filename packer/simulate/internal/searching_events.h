// Finds the events of a run that only search an archive for its directory. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "packer/content/content.h"
#include "packer/content/directory_search.h"
#include "packer/content/page_reads.h"
#include "packer/trace/event.h"

namespace seekless {

// Event::path is a source of the content. The result is indexed by event. It is all false if the
// run reads only whole pages: such a recording doesn't show later reads of cached pages, so the
// pages of a search may be needed.
inline std::vector<bool> searching_events(const Content& content, std::span<const Event> events) {
  std::vector<bool> found(events.size(), false);
  DirectorySearches<size_t> searches(content);
  PageReads pages;
  const auto take = [&](size_t number, bool is_search) {
    const Event& event = events[number];
    found[number] = is_search;
    if (is_search) return;
    if (event.kind == EventKind::map) pages.add_other();
    pages.add(event.path, {event.offset_bytes, event.length_bytes},
              content.sources[event.path].size_bytes);
  };
  for (size_t number = 0; number < events.size(); ++number) {
    const Event& event = events[number];
    if (event.kind == EventKind::open)
      searches.open(event.path);
    else
      searches.add(event.path, {event.offset_bytes, event.length_bytes}, number, take);
  }
  searches.finish(take);
  if (pages.are_all()) found.assign(events.size(), false);
  return found;
}

}  // namespace seekless
