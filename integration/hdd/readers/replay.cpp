// Reads files as a recorded program did: each open, read and mapping of a trace in order of start,
// by one thread, as fast as the disk answers. The emulated disk's counts can then be compared with
// the model's figures for the same trace. Usage: replay [--direct] [--map FROM=TO]... TRACE
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "packer/trace/dialect.h"

namespace seekless {
namespace {

constexpr size_t kAlignment = 4096;
constexpr size_t kBufferBytes = size_t{4} << 20;

class Files {
 public:
  explicit Files(int flags) : flags_(O_RDONLY | O_CLOEXEC | flags) {}
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
  ~Files() {
    for (const auto& [path, descriptor] : open_) close(descriptor);
  }

  // Opens the file again, so that the system's read-ahead starts over.
  int reopen(uint32_t path, const std::string& name) {
    if (const auto found = open_.find(path); found != open_.end()) {
      close(found->second);
      open_.erase(found);
    }
    const int descriptor = open(name.c_str(), flags_);
    if (descriptor >= 0) open_[path] = descriptor;
    return descriptor;
  }

  int get(uint32_t path, const std::string& name) {
    const auto found = open_.find(path);
    return found != open_.end() ? found->second : reopen(path, name);
  }

 private:
  int flags_;
  std::map<uint32_t, int> open_;
};

struct FreeBytes {
  void operator()(void* bytes) const { std::free(bytes); }
};
using Buffer = std::unique_ptr<void, FreeBytes>;

// Reads the whole file if the trace gives no range. Returns false if the system refuses.
bool read_range(int descriptor, uint64_t offset, uint64_t length, void* buffer, uint64_t& total) {
  while (length > 0) {
    const size_t wanted = std::min<uint64_t>(length, kBufferBytes);
    const ssize_t got = pread(descriptor, buffer, wanted, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    total += static_cast<uint64_t>(got);
    offset += static_cast<uint64_t>(got);
    length -= static_cast<uint64_t>(got);
  }
  return true;
}

struct Replayed {
  uint64_t reads = 0;
  uint64_t bytes = 0;
  uint64_t failed = 0;
};

Replayed replay(const Trace& trace, int flags) {
  Replayed done;
  Files files(flags);
  const Buffer buffer(std::aligned_alloc(kAlignment, kBufferBytes));
  for (const Event& event : trace.events) {
    const std::string& name = trace.paths[event.path];
    if (event.kind == EventKind::open) {
      if (event.os_error == 0) files.reopen(event.path, name);
      continue;
    }
    const int descriptor = files.get(event.path, name);
    ++done.reads;
    if (descriptor < 0 ||
        !read_range(descriptor, event.offset_bytes, event.length_bytes, buffer.get(), done.bytes)) {
      if (done.failed++ == 0) fmt::print(stderr, "replay: {}: {}\n", name, std::strerror(errno));
    }
  }
  return done;
}

int run(const std::vector<std::string>& arguments) {
  ImportOptions options;
  int flags = 0;
  std::string file;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--direct") {
      flags = O_DIRECT;
    } else if (arguments[i] == "--map" && i + 1 < arguments.size()) {
      auto map = PathMap::parse(arguments[++i]);
      if (!map) return fmt::print(stderr, "replay: {}\n", map.error().message), 2;
      options.path_maps.push_back(*std::move(map));
    } else {
      file = arguments[i];
    }
  }
  Trace trace;
  const auto read = read_trace(file, options, trace);
  if (!read) return fmt::print(stderr, "replay: {}\n", read.error().message), 2;
  std::ranges::stable_sort(trace.events, {}, &Event::start_ns);
  const Replayed done = replay(trace, flags);
  fmt::print("{{\"reads\": {}, \"bytes\": {}, \"failed\": {}}}\n", done.reads, done.bytes,
             done.failed);
  return done.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace seekless

int main(int argc, char** argv) {
  return seekless::run(std::vector<std::string>(argv + 1, argv + argc));
}
