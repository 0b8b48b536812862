#include "packer/project/internal/build_inputs.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

#include "packer/host/files.h"
#include "packer/project/internal/fingerprint.h"

namespace seekless {
namespace {

// Takes a little longer than a tick of the clock that stamps files.
constexpr auto kSettlingTime = std::chrono::milliseconds(25);
constexpr uint64_t kReadAtOnceBytes = uint64_t{1} << 20;

void add_stamp(const ChangeStamp& stamp, Fingerprint& print) {
  print.add(stamp.size_bytes);
  print.add(stamp.written_ns);
  print.add(stamp.changed_ns);
  print.add(stamp.inode);
}

void add_traces(const std::vector<TraceFile>& traces, Fingerprint& print) {
  for (const TraceFile& trace : traces) {
    print.add(std::string_view(trace.path));
    add_stamp(trace.stamp, print);
  }
}

// Adds everything that the mapping of traces to content depends on.
void add_structure(const Content& content, Fingerprint& print) {
  print.add(content.sources.size());
  for (const Source& source : content.sources) {
    print.add(std::string_view(source.path));
    print.add(source.kind);
    print.add(source.size_bytes);
    print.add(source.directory_offset_bytes);
  }
  const auto add = [&](std::string_view path, const Place& place) {
    print.add(path);
    print.add(place.size_bytes);
    print.add(place.stored_bytes);
    print.add(place.header_offset_bytes);
    print.add(place.header_bytes);
    print.add(place.source);
  };
  for (const Asset& asset : content.assets) add(asset.path, asset.place);
  for (const Shadowed& shadowed : content.shadowed) add(shadowed.path, shadowed.place);
}

Result<std::vector<TraceFile>> find_traces(const BuildFile& file) {
  SKL_TRY(const auto paths, expand_patterns(file.traces, file.folder, file.path));
  std::vector<TraceFile> traces;
  for (const std::string& path : paths) {
    SKL_TRY(const auto stamp, change_stamp_of(path));
    traces.push_back({path, stamp.value_or(ChangeStamp{})});
  }
  return traces;
}

// Waits until the clock that stamps files has ticked. A file that was written a moment ago could be
// written again within the same tick, and keep its stamp.
void settle(BuildInputs& inputs) {
  inputs.reading_ns = file_clock_ns();
  const auto is_fresh = [&](const auto& file) {
    return !is_settled(file.stamp, inputs.reading_ns);
  };
  if (std::ranges::none_of(inputs.files.files, is_fresh) &&
      std::ranges::none_of(inputs.traces, is_fresh))
    return;
  std::this_thread::sleep_for(kSettlingTime);
  inputs.reading_ns = file_clock_ns();
}

template <typename File>
Result<void> check_all(const BuildFile& file, const std::vector<TraceFile>& traces,
                       const std::vector<File>& files) {
  SKL_TRY(const auto difference, first_difference(files, file.roots, file.scan.exclude));
  if (difference) return changed_meanwhile(*difference);
  for (const TraceFile& trace : traces) {
    SKL_TRY(const auto stamp, change_stamp_of(trace.path));
    if (!stamp || *stamp != trace.stamp) return changed_meanwhile(trace.path);
  }
  return {};
}

// Keeps a million paths once instead of twice.
void share_paths(BuildInputs& inputs) {
  std::vector<bool> is_shared(inputs.files.files.size());
  for (size_t i = 0; i < inputs.file_of_source.size(); ++i) {
    PooledPath& path = inputs.files.files[inputs.file_of_source[i]].path;
    const PooledPath whole = inputs.content.sources[i].path;
    if (!whole.ends_with(path)) continue;
    path = whole.without_front(whole.size() - path.size());
    is_shared[inputs.file_of_source[i]] = true;
  }
  for (size_t i = 0; i < is_shared.size(); ++i)
    if (!is_shared[i])
      inputs.files.files[i].path = inputs.content.paths.add(inputs.files.files[i].path);
  inputs.files.paths = inputs.content.paths;
}

// Frees the memory, too; clear() would keep it.
template <typename Record>
void release(std::vector<Record>& records) {
  records = std::vector<Record>();
}

}  // namespace

Result<BuildInputs> look_at_inputs(const BuildFile& file, const BuildOptions& options) {
  BuildInputs inputs;
  Fingerprint print;
  print.add(file.fingerprint);
  print.add(options.fingerprint);
  inputs.settings = print.value();
  SKL_TRY(auto files, find_input_files(file.roots, file.scan.exclude));
  inputs.files = std::move(files);
  SKL_TRY(auto traces, find_traces(file));
  inputs.traces = std::move(traces);
  SKL_TRY(const auto lock, fingerprint_of_file(file.lock));
  inputs.lock_print = lock;
  return inputs;
}

Result<void> scan_inputs(const BuildFile& file, BuildInputs& inputs) {
  settle(inputs);
  ScanOptions scan = file.scan;
  if (!inputs.is_known_plain.empty())
    scan.is_known_plain = [&](const std::string& path) {
      const size_t at = find_file(path, file.roots, inputs.files.files);
      return at < inputs.files.files.size() && inputs.is_known_plain[at];
    };
  SKL_TRY(auto content, scan_content(file.roots, scan));
  inputs.content = std::move(content);
  std::string appeared;
  auto matches = match_sources(inputs.content, file.roots, inputs.files.files, appeared);
  if (!matches) return changed_meanwhile(appeared + ": new");
  inputs.file_of_source = *std::move(matches);
  share_paths(inputs);
  return {};
}

Result<void> check_inputs(const BuildFile& file, const BuildInputs& inputs) {
  return check_all(file, inputs.traces, inputs.files.files);
}

Result<void> check_inputs(const BuildFile& file, const std::vector<TraceFile>& traces,
                          const std::vector<KnownFile>& files) {
  return check_all(file, traces, files);
}

std::unexpected<Error> changed_meanwhile(const std::string& what) {
  return failed({.file = what,
                 .expected = "inputs that stay as they are while they are read",
                 .found = "a change during the build; no output was replaced",
                 .advice = "build again when nobody writes to the content"});
}

std::vector<std::string> paths_of(const std::vector<TraceFile>& traces) {
  std::vector<std::string> paths;
  for (const TraceFile& trace : traces) paths.push_back(trace.path);
  return paths;
}

Result<uint64_t> fingerprint_of_file(const std::string& path) {
  if (path.empty() || kind_of_path(path) == PathKind::missing) return 0;
  SKL_TRY(const auto source, open_source(path));
  Fingerprint print;
  std::string piece(kReadAtOnceBytes, '\0');
  for (uint64_t at = 0; at < source->size_bytes(); at += piece.size()) {
    piece.resize(std::min(kReadAtOnceBytes, source->size_bytes() - at));
    SKL_TRY_DO(source->read_at(at, std::as_writable_bytes(std::span(piece))));
    print.add(std::string_view(piece));
  }
  return print.value();
}

uint64_t fingerprint_of_profile(const BuildInputs& inputs) {
  Fingerprint print;
  print.add(inputs.settings);
  add_traces(inputs.traces, print);
  add_structure(inputs.content, print);
  return print.value();
}

bool are_traces_settled(const BuildInputs& inputs) {
  return std::ranges::all_of(inputs.traces, [&](const TraceFile& trace) {
    return is_settled(trace.stamp, inputs.reading_ns);
  });
}

uint64_t fingerprint_of_zips(const BuildInputs& inputs, const Content& archives) {
  Fingerprint print;
  print.add(inputs.settings);
  add_traces(inputs.traces, print);
  for (const Source& source : archives.sources) {
    if (!source.is_archive()) continue;
    print.add(std::string_view(source.path));
    if (const auto stamp = change_stamp_of(source.path); stamp && *stamp) add_stamp(**stamp, print);
  }
  return print.value();
}

NextState take_inputs(BuildInputs& inputs, const std::vector<Source>& sources, AssetHashes hashes) {
  NextState next = {.state = {}, .origins = std::move(hashes.origins)};
  BuildState& state = next.state;
  for (const TraceFile& trace : inputs.traces)
    state.traces.push_back({trace.path, is_settled(trace.stamp, inputs.reading_ns), trace.stamp});
  state.files.reserve(inputs.files.files.size());
  for (const InputFile& file : inputs.files.files)
    state.files.push_back({.path = file.path,
                           .root = file.root,
                           .is_settled = is_settled(file.stamp, inputs.reading_ns),
                           .stamp = file.stamp});
  release(inputs.files.files);
  Content& content = inputs.content;
  for (size_t i = 0; i < sources.size(); ++i) {
    KnownFile& file = state.files[inputs.file_of_source[i]];
    file.kind = sources[i].kind;
    file.is_plain = sources[i].is_plain;
  }
  state.assets.reserve(content.assets.size());
  for (size_t i = 0; i < content.assets.size(); ++i) {
    const Place& place = content.assets[i].place;
    state.assets.push_back({content.assets[i].path, inputs.file_of_source[place.source],
                            mark_of(place, sources[place.source].kind), place.size_bytes,
                            hashes.hashes[i]});
  }
  release(content.assets);
  release(inputs.file_of_source);
  return next;
}

void drop_unread(NextState& next) {
  size_t kept = 0;
  for (size_t i = 0; i < next.state.assets.size(); ++i) {
    if (next.origins[i] == HashOrigin::provisional) continue;
    next.state.assets[kept] = next.state.assets[i];
    next.origins[kept++] = next.origins[i];
  }
  next.state.assets.resize(kept);
  next.origins.resize(kept);
}

}  // namespace seekless
