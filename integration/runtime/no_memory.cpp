// Makes the library's allocations and thread starts fail: first each single one, and then each one
// with all after it. After each fault every call of the game must have returned an answer, nothing
// may have leaked, and the next attempt must work. Otherwise it ends with a message. Prints how
// many faults were tried.
//   no_memory PATH FOLDER [all]      PATH: what to mount; FOLDER: the files that it holds
// Without `all`, only every eighth allocation is tried with all after it, and operations that don't
// depend on the engine are tried with one engine.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "integration/runtime/faults.h"
#include "integration/runtime/game_calls.h"

namespace {

constexpr unsigned kHangSeconds = 20;  // one attempt takes milliseconds
constexpr uint64_t kMostFaults = 20'000;

struct Operation {
  const char* name;
  skl_result (Game::*run)();
  bool has_engine;
};
constexpr std::array kOperations = {Operation{"create", &Game::create_another, false},
                                    Operation{"mount", &Game::mount_and_unmount, false},
                                    Operation{"look up", &Game::look_up, false},
                                    Operation{"read", &Game::read_whole, false},
                                    Operation{"read parts", &Game::read_parts, false},
                                    Operation{"queue", &Game::queue_into_memory, true},
                                    Operation{"queue of leases", &Game::queue_leases, true},
                                    Operation{"cancel", &Game::cancel, true},
                                    Operation{"sweep", &Game::sweep, true},
                                    Operation{"stream", &Game::stream, true},
                                    Operation{"watch", &Game::watch, false},
                                    Operation{"prefetch", &Game::prefetch, true},
                                    Operation{"record", &Game::record, false},
                                    Operation{"leave open", &Game::leave_everything_open, true}};

using faults::Kind;

struct Attempt {
  const Operation* operation = nullptr;
  const char* engine = nullptr;
  Kind by = Kind::hook;
  bool and_all_later = false;
  uint64_t nth = 0;
};
Attempt now;
char described[200];

void describe() {
  constexpr const char* kNames[] = {"allocation", "allocation by the hook", "thread"};
  std::snprintf(described, sizeof(described), "%s, %s: %s %llu%s fails", now.operation->name,
                now.engine, kNames[static_cast<int>(now.by)],
                static_cast<unsigned long long>(now.nth), now.and_all_later ? " and on" : "");
}

// Also called if an attempt ends the program with a signal or its own message.
void say_where(int signal) {
  const char* const what = signal == SIGALRM ? ": hangs\n" : ": ends the program\n";
  [[maybe_unused]] ssize_t unused = ::write(2, described, std::strlen(described));
  unused = ::write(2, what, std::strlen(what));
  std::_Exit(1);
}

// ---- Memory by the hook
// ---------------------------------------------------------------------------

std::atomic<int64_t> hook_unfreed = 0;

void* allocate(void*, size_t size_bytes, size_t alignment_bytes) {
  if (!faults::allows(faults::Kind::hook)) return nullptr;
  const faults::Inside outside(false);
  void* memory = nullptr;
  if (::posix_memalign(&memory, std::max(alignment_bytes, sizeof(void*)), size_bytes) != 0)
    return nullptr;
  ++hook_unfreed;
  return memory;
}

void release(void*, void* memory, size_t) {
  --hook_unfreed;
  std::free(memory);
}

// Inflates entries of a zip that are deflated with stored blocks only, each of which has its
// length.
skl_result inflate(void*, const void* source, size_t source_bytes, void* destination, size_t) {
  const auto* from = static_cast<const unsigned char*>(source);
  auto* to = static_cast<unsigned char*>(destination);
  for (size_t at = 0; at + 5 <= source_bytes;) {
    const size_t length = from[at + 1] | size_t{from[at + 2]} << 8;
    std::memcpy(to, from + at + 5, length);
    to += length;
    at += 5 + length;
  }
  return SKL_OK;
}

size_t open_descriptors() {
  size_t count = 0;
  for (int i = 0; i < 256; ++i) count += ::fcntl(i, F_GETFD) >= 0 ? 1 : 0;
  return count;
}

// ---- Attempts
// -------------------------------------------------------------------------------------

class Attempts {
 public:
  Attempts(const Content& content, std::string trace)
      : content_(content), trace_(std::move(trace)) {}

  // Makes each `step`th request fail, until there are no more; returns their number.
  uint64_t all(uint64_t step) {
    uint64_t count = 0;
    for (now.nth = 1;; now.nth += step) {
      Outcome outcome = once();
      // The C library keeps some memory when it does something for the first time.
      if (outcome.keeps_memory) outcome = once();
      if (outcome.keeps_memory) wrong("memory isn't freed");
      if (!outcome.has_failed) break;
      ++count;
      if (count == kMostFaults) wrong("there is no end of it");
    }
    return count;
  }

 private:
  skl_context_options options() const {
    static const skl_allocator hook = [] {
      skl_allocator functions = {};
      functions.struct_bytes = sizeof(functions);
      functions.allocate = allocate;
      functions.release = release;
      return functions;
    }();
    skl_context_options options = {};
    options.struct_bytes = sizeof(options);
    options.backend =
        std::strcmp(now.engine, "threads") == 0 ? SKL_BACKEND_THREADS : SKL_BACKEND_URING;
    options.media = SKL_MEDIA_SOLID;
    options.threads = 2;
    options.memory_budget_bytes = 16 * 65536;
    options.inflate = inflate;
    if (now.by != Kind::allocation) options.allocator = &hook;
    return options;
  }

  [[noreturn]] static void wrong(const std::string& what) {
    fail(std::string(described) + ": " + what);
  }

  struct Outcome {
    bool has_failed = false;  // false if nothing was left to fail
    bool keeps_memory = false;
  };
  Outcome once() {
    describe();
    ::alarm(kHangSeconds);
    const size_t descriptors = open_descriptors();
    const uint64_t unfreed = faults::unfreed();
    const int64_t of_hook = hook_unfreed;
    bool has_failed = false;
    {
      Game game(content_, options());
      game.trace = trace_;
      game.gives_up = [] { faults::disarm(); };
      faults::arm(now.by, now.nth, now.and_all_later);
      const skl_result result = (game.*now.operation->run)();
      has_failed = faults::disarm();
      if (result != SKL_OK && !has_failed) wrong("fails though nothing did");
      game.gives_up = nullptr;
      if ((game.*now.operation->run)() != SKL_OK) wrong("fails the next time, too");
    }
    if (hook_unfreed != of_hook) wrong("memory of the hook isn't released");
    if (open_descriptors() != descriptors) wrong("descriptors stay open");
    return {has_failed, faults::unfreed() > unfreed};
  }

  const Content& content_;
  const std::string trace_;
};

}  // namespace

int main(int argc, char** argv) {
  const bool is_long = argc == 4 && std::strcmp(argv[3], "all") == 0;
  if (argc != 3 && !is_long) fail("usage: no_memory PATH FOLDER [all]");
  constexpr uint64_t kShortStep = 8;
  for (const int signal : {SIGALRM, SIGABRT, SIGSEGV, SIGBUS}) ::signal(signal, say_where);
  const Content content(argv[1], argv[2]);
  const std::string trace =
      (std::filesystem::temp_directory_path() / ("no_memory." + std::to_string(::getpid())))
          .string();
  Attempts attempts(content, trace);
  uint64_t count = 0;
  for (const char* engine : {"threads", "uring"})
    for (const Kind by : {Kind::hook, Kind::allocation, Kind::thread})
      for (const bool and_all_later : {false, true})
        for (const Operation& operation : kOperations) {
          const bool is_same = !operation.has_engine && std::strcmp(engine, "uring") == 0;
          if (is_same && !is_long) continue;
          now = {&operation, engine, by, and_all_later, 0};
          count += attempts.all(and_all_later && !is_long && by != Kind::thread ? kShortStep : 1);
        }
  std::filesystem::remove(trace);
  std::printf("%llu\n", static_cast<unsigned long long>(count));
  return 0;
}
