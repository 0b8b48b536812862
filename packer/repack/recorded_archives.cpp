#include "packer/repack/recorded_archives.h"

#include <array>

#include "packer/host/files.h"
#include "packer/simulate/recorded_places.h"
#include "packer/trace/both_sinks.h"

namespace seekless {
namespace {

// Compares one trace with the archives as they are now and as they were.
Result<RecordedFrom> recorded_from(const std::string& trace, TraceReader& reader,
                                   const std::array<EntryBegins, 2>& states,
                                   const std::array<Locator, 2>& locators,
                                   const std::vector<bool>& is_replaced) {
  std::array<PlaceFitter, 2> fitters = {
      PlaceFitter(states[0], states[1], locators[0], is_replaced),
      PlaceFitter(states[1], states[0], locators[1], is_replaced)};
  BothSinks both(fitters[0], &fitters[1]);
  SKL_TRY_DROP(reader.read(trace, both));
  return judge_places(fitters[0].fit(), fitters[1].fit());
}

std::unexpected<Error> not_to_be_told(const std::string& trace, std::string found) {
  return failed({.file = trace,
                 .expected = "recordings all from before the archives were repacked in place, or "
                             "all from after it",
                 .found = std::move(found),
                 .advice = "give one kind alone, and say which with --recorded originals or "
                           "--recorded current; or 'seekless restore' first"});
}

}  // namespace

Result<bool> are_of_originals(TraceReader& reader, const Content& now, const Content& before,
                              const std::map<std::string, std::string>& originals) {
  std::vector<bool> is_replaced;
  for (const Source& source : now.sources)
    is_replaced.push_back(source.is_archive() && originals.contains(canonical_path(source.path)));
  for (const ArchiveSet& set : now.sets)
    for (const ArchiveSet::Part& part : set.parts)
      is_replaced[part.source] = is_replaced[set.directory];
  const std::array<EntryBegins, 2> states = {EntryBegins(before, &is_replaced),
                                             EntryBegins(now, &is_replaced)};
  const std::array<Locator, 2> locators = {Locator(before), Locator(now)};
  RecordedFrom all = RecordedFrom::neither;
  for (const std::string& trace : reader.paths()) {
    SKL_TRY(const auto from, recorded_from(trace, reader, states, locators, is_replaced));
    if (from == RecordedFrom::unknown)
      return not_to_be_told(trace, "reads that fit neither or both");
    if (from == RecordedFrom::neither) continue;
    if (all != RecordedFrom::neither && all != from)
      return not_to_be_told(trace, "one of the other kind than those before it");
    all = from;
  }
  return all == RecordedFrom::first;
}

}  // namespace seekless
