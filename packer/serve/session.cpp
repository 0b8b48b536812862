#include "packer/serve/session.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "packer/foresee/play_forecast.h"
#include "packer/host/os_error.h"
#include "packer/serve/fuse_session.h"
#include "packer/serve/internal/calls.h"
#include "packer/serve/internal/task_budget.h"

namespace seekless {
namespace {

// Each page of a file that is mapped or read in small pieces then comes as a call of its own.
constexpr unsigned kExactReadAheadBytes = 0;

void on_start(void* user, fuse_conn_info* connection) {
  const auto& served = *static_cast<const serve::Served*>(user);
  connection->max_readahead = std::min(
      connection->max_readahead,
      served.reader.wants_exact_reads() ? kExactReadAheadBytes : unsigned{kServedReadAheadBytes});
  connection->want |= connection->capable & FUSE_CAP_CACHE_SYMLINKS;
  // The original's file system takes rights off: the caller's mask on new files, and set-user bits
  // on files that are written (libfuse 3.14 doesn't tell the kernel).
  connection->want |= connection->capable & (FUSE_CAP_DONT_MASK | FUSE_CAP_HANDLE_KILLPRIV);
  // If others than the player use the mount, the kernel itself must decide who may enter a folder,
  // also by access control lists, because it asks for each name only once.
  if (served.is_root) connection->want |= connection->capable & FUSE_CAP_POSIX_ACL;
  // The game's writes reach the original at once.
  connection->want &= ~static_cast<unsigned>(FUSE_CAP_WRITEBACK_CACHE);
  serve::allow_many_calls(*connection);
}

fuse_lowlevel_ops make_calls() {
  fuse_lowlevel_ops calls = {};
  calls.init = on_start;
  serve::add_name_calls(calls);
  serve::add_folder_calls(calls);
  serve::add_file_calls(calls);
  serve::add_attribute_calls(calls);
  return calls;
}

void allow_most(decltype(RLIMIT_NOFILE) resource) {
  rlimit limit = {};
  if (::getrlimit(resource, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(resource, &limit);
}

// Raises the limit of open files. Each of the game's processes may have as many as this one, and
// all of their files are open here, too.
void allow_many_descriptors() {
  constexpr rlim_t kPlenty = 1 << 16;
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlimit more = {.rlim_cur = kPlenty, .rlim_max = kPlenty};
  // Only root can raise the hard limit.
  if (limit.rlim_max < kPlenty && ::setrlimit(RLIMIT_NOFILE, &more) == 0) return;
  allow_most(RLIMIT_NOFILE);
}

// One of the served folders, with its mount.
class OneServed {
 public:
  OneServed(const ServedFolders& all, size_t index, FileReader& reader)
      : served_(all.folders[index].folder, reader,
                std::max<size_t>(1, descriptor_budget().folders / all.folders.size())),
        session_(make_calls(), &served_, {}) {
    served_.is_root = all.is_root;
    served_.user = ::geteuid();
    served_.group = ::getegid();
    served_.session = &session_;
  }
  OneServed(const OneServed&) = delete;
  OneServed& operator=(const OneServed&) = delete;

  Result<void> begin(int device) {
    // libfuse takes an already mounted device under this name.
    return session_.mount(fmt::format("/dev/fd/{}", device));
  }
  void take_calls(unsigned most_threads) { ended_ = session_.take_calls(most_threads); }
  int ended() const { return ended_; }
  // Returns true once no call can come any longer.
  bool is_unmounted() const { return session_.is_unmounted(); }
  std::vector<std::string> told() const { return served_.refused.told(); }

 private:
  serve::Served served_;
  serve::FuseSession session_;
  std::atomic<int> ended_ = 0;
};

// Takes the calls of all folders until they are unmounted. A call that waits for another machine
// may hold its thread for ever; this returns nevertheless, and abandons the thread. If a folder's
// calls can't be taken, throws at once: only the end of this process, which closes the devices,
// keeps the game from waiting for them.
void take_calls_of(std::deque<OneServed>& all) {
  constexpr auto kOneLook = std::chrono::seconds(1);
  constexpr int kMostLooksAfterEnd = 3;
  struct Taking {
    std::mutex mutex;
    std::condition_variable changed;
    size_t left = 0;
    std::exception_ptr failure;
  };
  const auto taking = std::make_shared<Taking>();
  const auto take = [taking, threads = most_threads(all.size())](OneServed& one) {
    std::exception_ptr failure;
    try {
      one.take_calls(threads);
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(taking->mutex);
    --taking->left;
    if (failure) taking->failure = failure;
    taking->changed.notify_all();
  };
  taking->left = all.size();
  for (OneServed& one : all) {
    try {
      std::thread([take, &one] { take(one); }).detach();
    } catch (const std::system_error&) {
      if (&one != &all.back()) throw;
      take(one);
    }
  }
  std::unique_lock lock(taking->mutex);
  const auto is_over = [&] { return taking->left == 0 || taking->failure; };
  for (int looks = 0; looks < kMostLooksAfterEnd;) {
    if (taking->changed.wait_for(lock, kOneLook, is_over)) break;
    if (std::ranges::all_of(all, &OneServed::is_unmounted)) ++looks;
  }
  if (taking->failure) std::rethrow_exception(taking->failure);
}

}  // namespace

Result<void> check_can_serve(const std::string&) {
  return {};
}

Result<std::vector<std::string>> serve_folders(const ServedFolders& served,
                                               std::span<FileReader* const> readers) {
  allow_many_descriptors();
  allow_most(RLIMIT_FSIZE);  // the kernel holds the game to its own limit
  // Never destroyed: the process ends afterwards, and calls that aren't answered still use them.
  auto& all = *new std::deque<OneServed>();
  for (size_t i = 0; i < served.folders.size(); ++i) {
    all.emplace_back(served, i, *readers[i]);
    SKL_TRY_DO(all.back().begin(served.folders[i].device));
  }
  take_calls_of(all);
  std::vector<std::string> told;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].ended() < 0)
      return failed_call(served.folders[i].path, "take calls from FUSE", -all[i].ended());
    for (std::string& text : all[i].told()) told.push_back(std::move(text));
  }
  return told;
}

}  // namespace seekless
