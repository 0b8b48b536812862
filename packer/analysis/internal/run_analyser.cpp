#include "packer/analysis/internal/run_analyser.h"

#include <algorithm>
#include <utility>

#include "packer/base/paths.h"

namespace seekless {
namespace {

// Key of the first source's central directory among the entries. The other directories count down
// from it.
constexpr uint32_t kLastDirectory = UINT32_MAX;
// More chains are kept than are shown, because the same place is often read repeatedly.
constexpr size_t kChainsAPlace = 8;

std::string directory_name(const Source& source) {
  const std::string path = source.path;
  return "(central directory of " + std::string(file_name(path)) + ")";
}

// Returns a part's share of a read's time, by its share of the bytes.
uint64_t share_of(uint64_t whole, uint64_t part_bytes, uint64_t bytes) {
  if (part_bytes >= bytes) return whole;
  return static_cast<uint64_t>(static_cast<double>(whole) * static_cast<double>(part_bytes) /
                               static_cast<double>(bytes));
}

uint64_t known_ns(const Event& event) {
  return event.duration_ns > 0 ? static_cast<uint64_t>(event.duration_ns) : 0;
}

struct MoreBytes {
  bool operator()(const FileFigures& a, const FileFigures& b) const {
    return std::tuple(b.bytes, b.reads, a.path, a.archive) <
           std::tuple(a.bytes, a.reads, b.path, b.archive);
  }
};

struct MoreRepeated {
  bool operator()(const FileFigures& a, const FileFigures& b) const {
    return std::tuple(b.repeated_bytes(), b.reads, a.path, a.archive) <
           std::tuple(a.repeated_bytes(), a.reads, b.path, b.archive);
  }
};

struct MoreOfThread {
  bool operator()(const ThreadFigures& a, const ThreadFigures& b) const {
    return std::tuple(b.bytes, b.reads, a.process, a.thread) <
           std::tuple(a.bytes, a.reads, b.process, b.thread);
  }
};

struct MoreFailed {
  bool operator()(const FailedPath& a, const FailedPath& b) const {
    return std::tuple(b.opens, b.ns, a.path) < std::tuple(a.opens, a.ns, b.path);
  }
  bool operator()(const FailedProcess& a, const FailedProcess& b) const {
    return std::tuple(b.opens, b.ns, a.process) < std::tuple(a.opens, a.ns, b.process);
  }
};

}  // namespace

RunAnalyser::RunAnalyser(std::string trace, std::string scenario, std::optional<int64_t> begins_ns,
                         const KnownContent* content, size_t top)
    : content_(content), top_(top), begins_ns_(begins_ns), top_chains_(top * kChainsAPlace) {
  figures_.trace = std::move(trace);
  figures_.scenario = std::move(scenario);
  if (content != nullptr) figures_.content.emplace();
}

RunAnalyser::AnalysedFile& RunAnalyser::file_of(uint32_t path) {
  if (latest_file_ == nullptr || latest_path_ != path) {
    latest_path_ = path;
    latest_file_ = &files_[path];
  }
  return *latest_file_;
}

void RunAnalyser::add(const Event& event, const TracePath& path) {
  has_events_ = true;
  clock_.see(event);
  switch (event.kind) {
    case EventKind::open:
      add_open(event, file_of(event.path));
      break;
    case EventKind::map:
      ++figures_.maps;
      if (event.length_bytes != kWholeFile) add_to(figures_.mapped_bytes, event.length_bytes);
      break;
    case EventKind::read:
      add_read(event, file_of(event.path), path);
      break;
  }
}

void RunAnalyser::add_open(const Event& open, AnalysedFile& file) {
  if (open.os_error == 0) {
    ++figures_.opens;
    ++file.opens;
    return;
  }
  const uint64_t took_ns = known_ns(open);
  ++figures_.failed_opens;
  add_to(figures_.failed_ns, took_ns);
  ++file.failed_opens;
  add_to(file.failed_ns, took_ns);
  FailedProcess& process = failed_processes_[open.process];
  process.process = open.process;
  ++process.opens;
  add_to(process.ns, took_ns);
}

void RunAnalyser::add_read(Event read, AnalysedFile& file, const TracePath& path) {
  if (read.duration_ns >= 0) clock_.add(read);
  if (read.length_bytes == 0) {
    ++figures_.empty_reads;
    return;
  }
  if (read.length_bytes == kWholeFile) {
    ++figures_.whole_files;
    const bool is_known = content_ != nullptr && path.source &&
                          content_->content.sources[*path.source].kind == SourceKind::file;
    read.offset_bytes = 0;
    read.length_bytes = is_known ? content_->content.sources[*path.source].size_bytes : 0;
  }
  const uint64_t bytes = read.length_bytes;
  ++figures_.reads;
  add_to(figures_.bytes, bytes);
  ++file.reads;
  add_to(file.bytes, bytes);
  add_to(file.read_ns, known_ns(read));
  ThreadFigures& thread = threads_[(uint64_t{read.process} << 32) | read.thread];
  thread.process = read.process;
  thread.thread = read.thread;
  ++thread.reads;
  add_to(thread.bytes, bytes);
  add_to(thread.read_ns, known_ns(read));
  add_order(read, file);
  if (bytes == 0) return;

  sizes_.add(bytes);
  const bool is_small = bytes < kSmallReadBytes;
  if (is_small) {
    ++figures_.small_reads;
    add_to(figures_.small_bytes, bytes);
  }
  file.chains.add(read, is_small, [&](const OpenChains::Open& ended) { end_chain(ended, path); });
  if (add_bytes(read, file, path) == 0) ++figures_.useless_reads;
}

void RunAnalyser::add_order(const Event& read, AnalysedFile& file) {
  OrderFigures& order = figures_.order;
  if (last_read_path_ != read.path) {
    if (last_read_path_) ++order.file_changes;
    last_read_path_ = read.path;
    stretch_reads_ = stretch_bytes_ = 0;
  }
  ++stretch_reads_;
  add_to(stretch_bytes_, read.length_bytes);
  order.longest_stretch_reads = std::max(order.longest_stretch_reads, stretch_reads_);
  order.longest_stretch_bytes = std::max(order.longest_stretch_bytes, stretch_bytes_);

  const uint64_t from = file.last_end_bytes.value_or(read.offset_bytes);
  file.last_end_bytes = read.offset_bytes + read.length_bytes;
  if (from == read.offset_bytes) return;
  const bool is_backward = read.offset_bytes < from;
  const uint64_t distance = is_backward ? from - read.offset_bytes : read.offset_bytes - from;
  ++(is_backward ? order.backward_jumps : order.forward_jumps);
  add_to(order.jumped_bytes, distance);
  jumps_.add(distance);
}

uint64_t RunAnalyser::add_bytes(const Event& read, AnalysedFile& file, const TracePath& path) {
  uint64_t added = 0;
  if (content_ != nullptr && path.source) {
    added = add_content(read, file, *path.source);
    add_to(figures_.content->needed_bytes, added);
  } else {
    added = file.needed.add(read.offset_bytes, read.length_bytes);
    if (content_ != nullptr) {
      add_to(figures_.content->outside_bytes, read.length_bytes);
      ++figures_.content->outside_reads;
    }
  }
  add_to(figures_.needed_bytes, added);
  return added;
}

uint64_t RunAnalyser::add_content(const Event& read, AnalysedFile& file, uint32_t source) {
  ContentFigures& content = *figures_.content;
  uint64_t added = 0;
  uint64_t mapped = 0;
  // An entry's header and data lie side by side, so a read of both counts as one.
  const FileFigures* latest = nullptr;
  content_->locator.touched(source, read.offset_bytes, read.length_bytes, [&](const Touch& touch) {
    const uint64_t is_new = file.needed.add(touch.offset_bytes, touch.length_bytes);
    added += is_new;
    mapped += touch.length_bytes;
    switch (touch.part) {
      case TouchedPart::data:
        add_to(content.data_bytes, touch.length_bytes);
        break;
      case TouchedPart::header:
        add_to(content.header_bytes, touch.length_bytes);
        break;
      case TouchedPart::shadowed:
        add_to(content.hidden_bytes, touch.length_bytes);
        return;
      case TouchedPart::directory:
        add_to(content.directory_bytes, touch.length_bytes);
        break;
      case TouchedPart::other:
        add_to(content.other_bytes, touch.length_bytes);
        return;
    }
    const bool is_directory = touch.part == TouchedPart::directory;
    FileFigures& entry = entries_[is_directory ? kLastDirectory - source : touch.index];
    if (latest != &entry) ++entry.reads;
    latest = &entry;
    add_to(entry.bytes, touch.length_bytes);
    add_to(entry.needed_bytes, is_new);
    add_to(entry.read_ns, share_of(known_ns(read), touch.length_bytes, read.length_bytes));
  });
  // The read shows that the file was longer when it was recorded.
  const uint64_t beyond = read.length_bytes - mapped;
  add_to(content.other_bytes, beyond);
  return added + file.needed.add(read.offset_bytes + mapped, beyond);
}

std::string RunAnalyser::entry_at(const TracePath& path, uint64_t offset_bytes) const {
  std::string name;
  if (content_ == nullptr || !path.source) return name;
  content_->locator.touched(*path.source, offset_bytes, 1, [&](const Touch& touch) {
    if (touch.part == TouchedPart::data || touch.part == TouchedPart::header)
      name = content_->content.assets[touch.index].path;
    else if (touch.part == TouchedPart::directory)
      name = directory_name(content_->content.sources[*path.source]);
  });
  return name;
}

void RunAnalyser::end_chain(const OpenChains::Open& open, const TracePath& path) {
  Chain chain = {.path = path.name,
                 .offset_bytes = open.offset_bytes,
                 .bytes = open.bytes,
                 .reads = open.reads,
                 .process = open.process,
                 .thread = open.thread};
  ++figures_.chains.chains;
  figures_.chains.reads += chain.reads;
  add_to(figures_.chains.bytes, chain.bytes);
  figures_.chains.reads_saved += chain.reads_saved();
  top_chains_.add(std::move(chain));
}

void RunAnalyser::finish_files(const std::vector<TracePath>& paths) {
  TopList<FileFigures, MoreBytes> top_files(top_);
  TopList<FileFigures, MoreRepeated> top_repeated(top_);
  TopList<FileFigures, MoreBytes> top_outside(top_);
  TopList<FailedPath, MoreFailed> top_failed(top_);
  for (auto& [number, file] : files_) {
    const TracePath& path = paths[number];
    file.chains.finish([&](const OpenChains::Open& ended) { end_chain(ended, path); });
    if (file.failed_opens > 0) top_failed.add({path.name, file.failed_opens, file.failed_ns});
    if (file.reads == 0) continue;
    ++figures_.files;
    const FileFigures figures = {.path = path.name,
                                 .reads = file.reads,
                                 .bytes = file.bytes,
                                 .needed_bytes = file.needed.size_bytes(),
                                 .opens = file.opens,
                                 .read_ns = file.read_ns};
    top_files.add(figures);
    if (figures.repeated_bytes() > 0) top_repeated.add(figures);
    if (content_ != nullptr && !path.source) top_outside.add(figures);
  }
  figures_.top_files = top_files.take();
  figures_.top_repeated = top_repeated.take();
  figures_.top_failed = top_failed.take();
  if (content_ != nullptr) figures_.content->top_outside = top_outside.take();
}

void RunAnalyser::finish_entries() {
  TopList<FileFigures, MoreBytes> top_entries(top_);
  TopList<FileFigures, MoreRepeated> top_repeated(top_);
  const Content& content = content_->content;
  for (auto& [index, entry] : entries_) {
    const bool is_asset = index < content.assets.size();
    const uint32_t source = is_asset ? content.assets[index].place.source : kLastDirectory - index;
    entry.archive = content.sources[source].path;
    entry.path = is_asset ? content.assets[index].path : directory_name(content.sources[source]);
    if (entry.repeated_bytes() > 0) top_repeated.add(entry);
    if (!is_asset) continue;
    ++figures_.content->entries;
    top_entries.add(entry);
  }
  figures_.content->top_entries = top_entries.take();
  figures_.content->top_repeated = top_repeated.take();
}

void RunAnalyser::finish_lists() {
  TopList<ThreadFigures, MoreOfThread> top_threads(top_);
  for (const auto& [key, thread] : threads_) top_threads.add(thread);
  figures_.threads = threads_.size();
  figures_.top_threads = top_threads.take();
  TopList<FailedProcess, MoreFailed> top_failed(top_);
  for (const auto& [key, process] : failed_processes_) top_failed.add(process);
  figures_.top_failed_processes = top_failed.take();
}

std::optional<RunFigures> RunAnalyser::finish(std::optional<int64_t> ends_ns,
                                              const std::vector<TracePath>& paths) {
  if (!has_events_) return std::nullopt;
  finish_files(paths);
  if (content_ != nullptr) finish_entries();
  finish_lists();
  for (Chain& chain : top_chains_.take()) {
    auto& kept = figures_.top_chains;
    const bool is_same = !kept.empty() && kept.back().path == chain.path &&
                         kept.back().offset_bytes == chain.offset_bytes &&
                         kept.back().bytes == chain.bytes && kept.back().reads == chain.reads;
    if (is_same)
      ++kept.back().times;
    else
      kept.push_back(std::move(chain));
  }
  if (figures_.top_chains.size() > top_) figures_.top_chains.resize(top_);
  // Looks up names only for these few chains.
  for (Chain& chain : figures_.top_chains) {
    const auto path = std::ranges::find(paths, chain.path, &TracePath::name);
    if (path != paths.end()) chain.entry = entry_at(*path, chain.offset_bytes);
  }
  figures_.median_bytes = sizes_.median();
  figures_.median_by_bytes = sizes_.median_by_bytes();
  figures_.order.median_jump_bytes = jumps_.median();
  for (unsigned power = 0; power < 64; ++power) {
    const auto of = sizes_.power_of_two(power);
    if (of.count > 0) figures_.sizes.push_back({uint64_t{1} << power, of.count, of.bytes});
  }
  figures_.time = clock_.finish(begins_ns_, ends_ns);
  return std::move(figures_);
}

}  // namespace seekless
