#include "packer/foresee/bounded.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace seekless {
namespace {

uint64_t pages_of(const Learned& learned) {
  uint64_t pages = 0;
  for (const LearnedScenario& scenario : learned.scenarios) pages += scenario.pages.size();
  return pages;
}

// Returns true if there were any.
bool drop_names(Learned& learned) {
  if (learned.names.empty()) return false;
  for (LearnedScenario& scenario : learned.scenarios) scenario.names.clear();
  learned.names.clear();
  return true;
}

uint64_t names_of(const Learned& learned) {
  uint64_t names = 0;
  for (const LearnedScenario& scenario : learned.scenarios) names += scenario.names.size();
  return names;
}

void drop_scenario(Learned& learned, uint32_t dropped) {
  const auto renumber = [dropped](uint32_t number) {
    return number != kCore && number > dropped ? number - 1 : number;
  };
  learned.scenarios.erase(learned.scenarios.begin() + dropped);
  for (LearnedScenario& scenario : learned.scenarios) {
    std::erase_if(scenario.next,
                  [dropped](const NextScenario& next) { return next.scenario == dropped; });
    for (NextScenario& next : scenario.next) next.scenario = renumber(next.scenario);
  }
  std::vector<ShadowSection>& sections = learned.shadow.sections;
  std::erase_if(sections,
                [dropped](const ShadowSection& section) { return section.scenario == dropped; });
  for (ShadowSection& section : sections) section.scenario = renumber(section.scenario);
}

void drop_gone(Learned& learned, const std::vector<bool>& is_there) {
  const auto is_gone = [&](const SeenPage& seen) { return !is_there[file_of_page(seen.page)]; };
  for (LearnedScenario& scenario : learned.scenarios) {
    const uint64_t last_pages = std::min<uint64_t>(scenario.last_pages, scenario.pages.size());
    const auto end_of_last = scenario.pages.begin() + static_cast<ptrdiff_t>(last_pages);
    scenario.last_pages -=
        static_cast<uint64_t>(std::count_if(scenario.pages.begin(), end_of_last, is_gone));
    std::erase_if(scenario.pages, is_gone);
  }
  for (size_t i = learned.scenarios.size(); i-- > 0;)
    if (learned.scenarios[i].pages.empty() && learned.scenarios[i].names.empty())
      drop_scenario(learned, static_cast<uint32_t>(i));
}

// Returns which files are in use. Files in the shadow are, because they keep their numbers.
std::vector<bool> files_in_use(const Learned& learned) {
  std::vector<bool> is_used(learned.files.size());
  for (const LearnedScenario& scenario : learned.scenarios)
    for (const SeenPage& seen : scenario.pages) is_used[file_of_page(seen.page)] = true;
  for (const ShadowSection& section : learned.shadow.sections)
    for (const PageKey page : section.pages) is_used[file_of_page(page)] = true;
  return is_used;
}

PageKey renumbered(PageKey page, const std::vector<uint32_t>& numbers) {
  return page_key(numbers[file_of_page(page)], number_of_page(page));
}

template <typename T>
void keep_used(std::vector<T>& of_files, const std::vector<bool>& is_used) {
  std::vector<T> kept;
  for (size_t i = 0; i < of_files.size(); ++i)
    if (is_used[i]) kept.push_back(std::move(of_files[i]));
  of_files = std::move(kept);
}

void drop_unused_names(Learned& learned, const std::function<bool(const std::string&)>& is_there) {
  std::vector<bool> is_used(learned.names.size());
  for (const LearnedScenario& scenario : learned.scenarios)
    for (const SeenName& seen : scenario.names) is_used[seen.page] = true;
  std::vector<uint64_t> numbers(is_used.size());
  uint64_t next = 0;
  for (size_t i = 0; i < is_used.size(); ++i) {
    is_used[i] = is_used[i] && is_there(learned.names[i].path);
    numbers[i] = is_used[i] ? next++ : 0;
  }
  for (LearnedScenario& scenario : learned.scenarios) {
    std::erase_if(scenario.names, [&](const SeenName& seen) { return !is_used[seen.page]; });
    for (SeenName& seen : scenario.names) seen.page = numbers[seen.page];
  }
  keep_used(learned.names, is_used);
}

}  // namespace

void drop_unread(Learned& learned, const std::function<bool(const std::string&)>& is_there) {
  std::vector<bool> there;
  for (const std::string& file : learned.files) there.push_back(is_there(file));
  drop_gone(learned, there);
  const std::vector<bool> is_used = files_in_use(learned);
  std::vector<uint32_t> numbers(is_used.size());
  uint32_t next = 0;
  for (size_t i = 0; i < is_used.size(); ++i) numbers[i] = is_used[i] ? next++ : 0;
  for (LearnedScenario& scenario : learned.scenarios)
    for (SeenPage& seen : scenario.pages) seen.page = renumbered(seen.page, numbers);
  for (ShadowSection& section : learned.shadow.sections)
    for (PageKey& page : section.pages) page = renumbered(page, numbers);
  keep_used(learned.files, is_used);
  keep_used(learned.places, is_used);
  keep_used(learned.numbers, is_used);
  keep_used(learned.shadow.stamps, is_used);
  drop_unused_names(learned, is_there);
}

void keep_within_bounds(Learned& learned) {
  while (learned.scenarios.size() > kMostScenarios || pages_of(learned) > kMostLearnedPages ||
         names_of(learned) > kMostLearnedNames)
    make_smaller(learned);
}

bool make_smaller(Learned& learned) {
  std::vector<LearnedScenario>& scenarios = learned.scenarios;
  if (scenarios.size() > 1) {
    const auto least = std::ranges::min_element(scenarios.begin(), scenarios.end() - 1, {},
                                                &LearnedScenario::runs);
    drop_scenario(learned, static_cast<uint32_t>(least - scenarios.begin()));
    return true;
  }
  if (scenarios.empty() || scenarios.front().pages.empty()) {
    if (drop_names(learned)) return true;
    const bool had_sections = !learned.shadow.sections.empty();
    learned.shadow.sections.clear();
    return had_sections;
  }
  scenarios.front().pages.resize(scenarios.front().pages.size() / 2);
  return true;
}

}  // namespace seekless
