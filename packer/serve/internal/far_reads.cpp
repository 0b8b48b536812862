#include "packer/serve/internal/far_reads.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "packer/host/calls.h"
#include "packer/host/descriptor.h"
#include "packer/serve/internal/far_window.h"

namespace seekless {
namespace {

constexpr size_t kMostOpen = 64;
constexpr auto kBetweenAsking = std::chrono::milliseconds(20);

// A file that several reads share. The first one opens it, which takes round trips, too.
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

}  // namespace

struct FarReads::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::function<void(uint64_t)> is_done;  // empty once the owner is gone
  bool is_over = false;
  FarWindow window;
  std::deque<FarPiece> waiting;
  std::deque<std::shared_ptr<FarFile>> files;  // used last first
  size_t under_way = 0;                        // those that wait included
  size_t threads = 0;

  std::shared_ptr<FarFile> file_of(const std::string& path) {
    const auto found = std::ranges::find(files, path, [](const auto& file) { return file->path; });
    auto file = found == files.end() ? std::make_shared<FarFile>() : *found;
    if (found != files.end()) files.erase(found);
    file->path = path;
    files.push_front(file);
    if (files.size() > kMostOpen) files.pop_back();
    return file;
  }
};

namespace {

// Reads until the owner is gone. A file that was dropped is closed outside of the lock, since a
// server may keep that waiting, too.
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
    std::shared_ptr<FarFile> file =
        piece.length_bytes > 0 ? shared->file_of(piece.path) : std::shared_ptr<FarFile>();
    lock.unlock();
    const auto begun = Clock::now();
    const bool is_name = file == nullptr;
    const uint64_t got =
        is_name ? uint64_t{calls::is_there(piece.path)} : read_piece(*file, piece, buffer);
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
  if (shared_->threads < shared_->under_way) {
    ++shared_->threads;
    std::thread([shared = shared_] { read_until_over(shared); }).detach();
  }
  shared_->changed.notify_all();
  return true;
}

}  // namespace seekless
