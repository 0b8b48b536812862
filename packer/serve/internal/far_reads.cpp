#include "packer/serve/internal/far_reads.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "packer/host/calls.h"
#include "packer/host/descriptor.h"
#include "packer/host/detached_thread.h"
#include "packer/serve/internal/far_window.h"

namespace seekless {
namespace {

// With the reads under way, this leaves most descriptors to the game.
constexpr size_t kMostOpen = 16;
constexpr auto kBetweenAsking = std::chrono::milliseconds(20);

// A file that several reads share. The first read opens it, which takes round trips, too.
struct FarFile {
  std::string path;
  std::once_flag once;
  Descriptor opened{-1};
};

uint64_t read_piece(FarFile& file, const FarPiece& piece, std::vector<std::byte>& buffer) {
  std::call_once(file.once,
                 [&] { file.opened = Descriptor(calls::open_to_read(piece.path, false)); });
  buffer.resize(piece.length_bytes);
  uint64_t done = 0;
  while (file.opened.get() >= 0 && done < piece.length_bytes) {
    const int64_t got = calls::read_at(file.opened.get(), buffer.data() + done,
                                       piece.length_bytes - done, piece.offset_bytes + done);
    if (got <= 0) break;
    done += static_cast<uint64_t>(got);
  }
  return done;
}

// Returns the number of bytes read; 0 if there is no memory for them.
uint64_t read_or_leave(FarFile& file, const FarPiece& piece, std::vector<std::byte>& buffer) {
  try {
    return read_piece(file, piece, buffer);
  } catch (const std::exception&) {
    return 0;
  }
}

}  // namespace

struct FarReads::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::function<void(uint64_t)> is_done;  // empty once the owner is gone
  bool is_over = false;
  FarWindow window;
  std::deque<FarPiece> waiting;
  std::deque<std::shared_ptr<FarFile>> files;  // used last first
  size_t under_way = 0;                        // including those that wait
  size_t threads = 0;

  // `dropped` gets a file that isn't kept any longer.
  std::shared_ptr<FarFile> file_of(const std::string& path, std::shared_ptr<FarFile>& dropped) {
    const auto found = std::ranges::find(files, path, [](const auto& file) { return file->path; });
    auto file = found == files.end() ? std::make_shared<FarFile>() : *found;
    if (found != files.end()) files.erase(found);
    file->path = path;
    files.push_front(file);
    if (files.size() <= kMostOpen) return file;
    dropped = std::move(files.back());
    files.pop_back();
    return file;
  }
};

namespace {

// Reads until the owner is gone. Closes dropped files outside of the lock, because a server may
// delay a close, too.
template <typename Shared>
void read_until_over(const std::shared_ptr<Shared>& shared) {
  using Clock = std::chrono::steady_clock;
  std::vector<std::byte> buffer;
  std::unique_lock lock(shared->mutex);
  for (;;) {
    shared->changed.wait(lock, [&] { return shared->is_over || !shared->waiting.empty(); });
    if (shared->is_over) return;
    const FarPiece piece = std::move(shared->waiting.front());
    shared->waiting.pop_front();
    std::shared_ptr<FarFile> dropped;
    std::shared_ptr<FarFile> file;
    if (piece.length_bytes > 0) file = shared->file_of(piece.path, dropped);
    lock.unlock();
    dropped.reset();
    const auto begun = Clock::now();
    const bool is_name = file == nullptr;
    const uint64_t got =
        is_name ? uint64_t{calls::is_there(piece.path)} : read_or_leave(*file, piece, buffer);
    const auto took = Clock::now() - begun;
    file.reset();
    lock.lock();
    --shared->under_way;
    if (got > 0) shared->window.note(std::chrono::duration<double>(took).count());
    if (shared->is_done && !is_name) shared->is_done(got);
    shared->changed.notify_all();
  }
}

}  // namespace

FarReads::FarReads(std::function<void(uint64_t)> is_done) : shared_(std::make_shared<Shared>()) {
  shared_->is_done = std::move(is_done);
}

FarReads::~FarReads() {
  const std::lock_guard lock(shared_->mutex);
  shared_->is_done = {};
  shared_->is_over = true;
  shared_->changed.notify_all();
}

// Returns false if the system has no space for another thread; the existing ones continue.
bool FarReads::add_thread() {
  try {
    run_detached([shared = shared_] { read_until_over(shared); });
    ++shared_->threads;
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

bool FarReads::begin(const FarPiece& piece, const std::function<bool()>& is_over) {
  std::unique_lock lock(shared_->mutex);
  while (shared_->under_way >= shared_->window.size()) {
    shared_->changed.wait_for(lock, kBetweenAsking);
    lock.unlock();
    if (is_over()) return false;
    lock.lock();
  }
  ++shared_->under_way;
  shared_->waiting.push_back(piece);
  if (shared_->threads < shared_->under_way && !add_thread() && shared_->threads == 0) {
    shared_->waiting.pop_back();
    --shared_->under_way;
    return false;
  }
  shared_->changed.notify_all();
  return true;
}

}  // namespace seekless
