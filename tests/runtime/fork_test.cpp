// A process is forked while a context reads. None of its calls waits for threads that it doesn't
// have, or disturbs the threads of its parent.
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/thread.h"
#include "tests/pack/set_maker.h"
#include "tests/runtime/test_context.h"

namespace seekless {
namespace {

constexpr unsigned kMostSeconds = 60;

// Runs `claims` in a forked process, and returns what that process found to be wrong.
std::string in_child(const std::function<std::string()>& claims) {
  std::array<int, 2> ends = {-1, -1};
  if (::pipe(ends.data()) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(kMostSeconds);  // ends the process even if it waits for ever
    const std::string wrong = claims();
    const bool is_told = ::write(ends[1], wrong.data(), wrong.size()) >= 0;
    ::_exit(is_told ? 0 : 1);
  }
  ::close(ends[1]);
  std::string told;
  std::array<char, 256> some;
  for (ssize_t got = 0; (got = ::read(ends[0], some.data(), some.size())) > 0;)
    told.append(some.data(), static_cast<size_t>(got));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) told += "ended by signal " + std::to_string(WTERMSIG(status));
  return told;
}

struct ForkedLevels : SetMaker {
  ForkedLevels() : SetMaker(kBlock) {
    const uint32_t level = add_scenario("level");
    add_pack("p");
    for (int i = 0; i < 40; ++i) add("a" + std::to_string(i), noise(kBlock / 2, 3 + i), {level});
    write();
  }
};

// Everything that a context can have, with reads under way.
struct Busy {
  explicit Busy(const skl_context_options& options, const TestFolder& folder) : context(options) {
    context.mount(levels.folder());
    asset = context.find("a0");
    EXPECT_EQ(skl_directory_create(context, &directory, nullptr), SKL_OK);
    EXPECT_EQ(skl_recorder_start(context, folder.path("trace").c_str(), nullptr, nullptr), SKL_OK);
    EXPECT_EQ(skl_sweep_open(context, "level", &sweep, nullptr), SKL_OK);
    EXPECT_EQ(skl_sweep_wait(sweep, UINT32_MAX, &lease, nullptr), SKL_OK);
    EXPECT_EQ(skl_queue_create(context, nullptr, &queue, nullptr), SKL_OK);
    request = whole(asset, bytes.data());
    EXPECT_EQ(skl_queue_submit(queue, &request, 1, nullptr, nullptr), SKL_OK);
    EXPECT_EQ(skl_stream_open(context, asset, nullptr, &stream, nullptr), SKL_OK);
  }
  ~Busy() {
    skl_lease_release(&lease);
    skl_stream_close(stream);
    skl_queue_destroy(queue);
    skl_sweep_close(sweep);
    skl_directory_destroy(directory);
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

  std::string sweep_rest() {
    size_t count = 1;
    skl_lease more;
    skl_result result = SKL_OK;
    for (; (result = skl_sweep_wait(sweep, UINT32_MAX, &more, nullptr)) == SKL_OK; ++count)
      skl_lease_release(&more);
    return std::string(skl_result_name(result)) + " " + std::to_string(count);
  }

  ForkedLevels levels;
  Context context;
  skl_asset asset = 0;
  std::vector<char> bytes = std::vector<char>(kBlock);
  skl_request request = {};
  skl_directory* directory = nullptr;
  skl_sweep* sweep = nullptr;
  skl_lease lease = {};
  skl_queue* queue = nullptr;
  skl_stream* stream = nullptr;
};

// Collects the functions that gave a wrong answer.
class Answers {
 public:
  void expect(skl_result answer, skl_result wanted, const char* function) {
    if (answer != wanted) wrong += std::string(function) + ": " + skl_result_name(answer) + "\n";
  }
  void expect_invalid(skl_result answer, const char* function) {
    expect(answer, SKL_INVALID, function);
  }
  std::string wrong;
};

void call_context(Busy& busy, Answers& answers) {
  Failure failure;
  uint64_t number = 0;
  skl_hash hash;
  const auto visit = [](void*, const char*, skl_asset, uint64_t) { return 0; };
  answers.expect_invalid(
      skl_read(busy.context, busy.asset, 0, busy.bytes.data(), 1, nullptr, &failure), "read");
  if (std::string(failure.message).find("fork") == std::string::npos)
    answers.wrong += "read: no word of fork\n";
  skl_lease lease = {};
  answers.expect_invalid(skl_map(busy.context, busy.asset, &lease, nullptr), "map");
  answers.expect_invalid(skl_mount(busy.context, ".", nullptr, nullptr, nullptr), "mount");
  answers.expect_invalid(skl_unmount(busy.context, 1, nullptr), "unmount");
  answers.expect_invalid(skl_list(busy.context, visit, nullptr, nullptr), "list");
  answers.expect_invalid(skl_list_scenario(busy.context, "level", visit, nullptr, nullptr),
                         "list_scenario");
  answers.expect_invalid(
      skl_asset_path(busy.context, busy.asset, busy.bytes.data(), 100, nullptr, nullptr),
      "asset_path");
  answers.expect_invalid(skl_asset_hash(busy.context, busy.asset, &hash, nullptr), "asset_hash");
  answers.expect_invalid(skl_context_set_scenario(busy.context, "level", nullptr), "set_scenario");
  answers.expect_invalid(skl_prefetch(busy.context, "level", &number, nullptr), "prefetch");
  answers.expect_invalid(skl_prefetch_cancel(busy.context, 1), "prefetch_cancel");
  answers.expect_invalid(skl_pump(busy.context, 0), "pump");
  answers.expect_invalid(skl_recorder_mark(busy.context, "level"), "mark");
  answers.expect_invalid(skl_recorder_stop(busy.context, nullptr, nullptr), "stop");
  skl_stats stats = {};
  skl_stats_get(busy.context, &stats);
  skl_stats_reset(busy.context);
  skl_stats_pins(
      busy.context, [](void*, skl_asset, uint64_t, uint64_t) {}, nullptr);
}

void call_handles(Busy& busy, Answers& answers) {
  skl_lease lease;
  skl_completion completion = {};
  skl_progress progress = {};
  skl_stream_info info = {};
  size_t count = 0;
  intptr_t handle = 0;
  skl_sweep* sweep = nullptr;
  skl_stream* stream = nullptr;
  skl_queue* queue = nullptr;
  answers.expect_invalid(skl_sweep_open(busy.context, "level", &sweep, nullptr), "sweep_open");
  answers.expect_invalid(skl_sweep_next(busy.sweep, &lease, nullptr), "sweep_next");
  answers.expect_invalid(skl_sweep_wait(busy.sweep, UINT32_MAX, &lease, nullptr), "sweep_wait");
  answers.expect_invalid(skl_sweep_want(busy.sweep, busy.asset, nullptr), "sweep_want");
  skl_sweep_progress(busy.sweep, &progress);
  answers.expect_invalid(skl_queue_create(busy.context, nullptr, &queue, nullptr), "queue_create");
  answers.expect_invalid(skl_queue_submit(busy.queue, &busy.request, 1, nullptr, nullptr),
                         "queue_submit");
  answers.expect_invalid(skl_queue_poll(busy.queue, &completion, 1, &count), "queue_poll");
  answers.expect_invalid(skl_queue_wait(busy.queue, UINT32_MAX, &completion, 1, &count),
                         "queue_wait");
  answers.expect_invalid(skl_queue_event(busy.queue, &handle, nullptr), "queue_event");
  if (skl_queue_cancel(busy.queue, 0, 0) != 0) answers.wrong += "queue_cancel\n";
  if (skl_queue_reschedule(busy.queue, 0, 0, 0, 0) != 0) answers.wrong += "queue_reschedule\n";
  answers.expect_invalid(skl_stream_open(busy.context, busy.asset, nullptr, &stream, nullptr),
                         "stream_open");
  answers.expect_invalid(
      skl_stream_wait(busy.stream, UINT32_MAX, busy.bytes.data(), 10, nullptr, nullptr),
      "stream_wait");
  answers.expect_invalid(skl_stream_seek(busy.stream, 0), "stream_seek");
  skl_stream_about(busy.stream, &info);
  answers.expect_invalid(skl_lease_claim(&busy.lease, nullptr), "lease_claim");
}

void call_what_finds(Busy& busy, Answers& answers) {
  skl_asset asset = 0;
  skl_path_hash hash;
  skl_asset_info info = {};
  skl_entry entry;
  uint64_t cursor = 0;
  size_t count = 0;
  answers.expect(skl_find(busy.context, "a1", &asset, nullptr), SKL_OK, "find");
  answers.expect(skl_hash_path(busy.context, "a1", 2, &hash), SKL_OK, "hash_path");
  answers.expect(skl_find_hashed(busy.context, &hash, &asset, nullptr), SKL_OK, "find_hashed");
  answers.expect(skl_asset_about(busy.context, asset, &info), SKL_OK, "asset_about");
  answers.expect(skl_directory_list(busy.directory, "", &cursor, &entry, 1, &count), SKL_OK,
                 "directory_list");
  answers.expect(skl_lease_copy(&busy.lease, busy.bytes.data(), busy.bytes.size()), SKL_OK,
                 "lease_copy");
}

void end_all(Busy& busy) {
  skl_lease_release(&busy.lease);
  skl_stream_close(busy.stream);
  skl_queue_destroy(busy.queue);
  skl_sweep_close(busy.sweep);
  skl_directory_destroy(busy.directory);
  skl_context_destroy(busy.context);
}

std::string read_anew(const std::string& set) {
  const Context fresh;
  fresh.mount(set);
  return fresh.read("a1").size() == kBlock / 2 ? "" : "a context of the child's own can't read\n";
}

class Forked : public testing::TestWithParam<skl_backend> {
 protected:
  static skl_context_options options() {
    skl_context_options options = {};
    options.media = SKL_MEDIA_SOLID;
    options.backend = GetParam();
    options.memory_budget_bytes = uint64_t{8} * kBlock;
    return options;
  }
};

TEST_P(Forked, child_is_told_and_its_parent_reads_on) {
  const TestFolder folder;
  Busy busy(options(), folder);
  const std::string wrong = in_child([&] {
    Answers answers;
    call_context(busy, answers);
    call_handles(busy, answers);
    call_what_finds(busy, answers);
    end_all(busy);
    return answers.wrong + read_anew(busy.levels.folder());
  });
  EXPECT_EQ(wrong, "");
  EXPECT_EQ(busy.sweep_rest(), "end 40");
  skl_completion completion = {};
  size_t count = 0;
  EXPECT_EQ(skl_queue_wait(busy.queue, UINT32_MAX, &completion, 1, &count), SKL_OK);
  EXPECT_EQ(completion.result, SKL_OK);
  EXPECT_EQ(skl_recorder_stop(busy.context, nullptr, nullptr), SKL_OK);
}

// The fork may come at any moment of a sweep, with any lock held.
TEST_P(Forked, child_waits_for_no_lock_of_its_parents_threads) {
  const TestFolder folder;
  for (int round = 0; round < 10; ++round) {
    const TestFolder own;
    Busy busy(options(), own);
    std::string rest;
    std::jthread other([&] { rest = busy.sweep_rest(); });
    const std::string wrong = in_child([&] {
      Answers answers;
      call_context(busy, answers);
      call_handles(busy, answers);
      end_all(busy);
      return answers.wrong;
    });
    other.join();
    EXPECT_EQ(wrong, "");
    EXPECT_EQ(rest, "end 40");
  }
}

// Stops a thread that makes room for leases: it holds a lock of theirs.
struct Gate {
  static thread_local bool stops_here;
  std::atomic<bool> is_reached = false;
  std::atomic<bool> is_open = false;

  static void* allocate(void* user, size_t bytes, size_t alignment) {
    auto& gate = *static_cast<Gate*>(user);
    if (stops_here && alignment == runtime::kUnsharedBytes) {
      gate.is_reached = true;
      gate.is_reached.notify_all();
      gate.is_open.wait(false);
    }
    return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  }
  static void release(void*, void* memory, size_t) { std::free(memory); }
};

thread_local bool Gate::stops_here = false;

// Forks while an unmount waits for a reader that lists, and while another thread holds a lock of
// the leases. The reader then ends in both processes.
struct ForkWhileListing {
  skl_context* context;
  skl_mount_id unmounted;
  Gate& gate;
  pid_t child = -1;
  std::jthread mapper = {};

  static int visit(void* user, const char*, skl_asset asset, uint64_t) {
    auto& self = *static_cast<ForkWhileListing*>(user);
    std::jthread([&] { skl_unmount(self.context, self.unmounted, nullptr); }).join();
    self.mapper = std::jthread([&self, asset] {
      Gate::stops_here = true;
      std::array<skl_lease, 65> leases = {};  // more than there is room for at first
      for (skl_lease& lease : leases) skl_map(self.context, asset, &lease, nullptr);
      for (const skl_lease& lease : leases) skl_lease_release(&lease);
    });
    self.gate.is_reached.wait(false);
    self.child = ::fork();
    if (self.child == 0) {
      ::alarm(kMostSeconds);
    } else {
      self.gate.is_open = true;
      self.gate.is_open.notify_all();
      self.mapper.join();
    }
    return 1;
  }
};

TEST(ForkWhileListing, child_frees_a_mount_without_a_lock_and_its_leases_stay) {
  ForkedLevels levels;
  Gate gate;
  const skl_allocator allocator = {sizeof(allocator), Gate::allocate, Gate::release, &gate};
  skl_context_options options = {};
  options.allocator = &allocator;
  const Context context(options);
  ForkWhileListing fork{context, context.mount(levels.folder()), gate};
  skl_lease lease = {};
  ASSERT_EQ(skl_map(context, context.find("a1"), &lease, nullptr), SKL_OK);
  context.mount(levels.folder());
  EXPECT_EQ(skl_list(context, ForkWhileListing::visit, &fork, nullptr), SKL_OK);
  const std::string content(static_cast<const char*>(lease.data), lease.size_bytes);
  const bool is_right = context.find("a1") != 0 && content == levels.contents.at("a1");
  if (fork.child == 0) ::_exit(is_right ? 0 : 1);
  EXPECT_TRUE(is_right);
  int status = -1;
  ::waitpid(fork.child, &status, 0);
  EXPECT_EQ(status, 0);
  skl_lease_release(&lease);
}

INSTANTIATE_TEST_SUITE_P(Backends, Forked,
                         testing::Values(SKL_BACKEND_DETECT, SKL_BACKEND_THREADS, SKL_BACKEND_PUMP),
                         [](const auto& of) {
                           return std::string(of.param == SKL_BACKEND_PUMP      ? "pump"
                                              : of.param == SKL_BACKEND_THREADS ? "threads"
                                                                                : "detect");
                         });

}  // namespace
}  // namespace seekless
