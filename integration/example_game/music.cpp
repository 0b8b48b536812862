#include "music.h"

#include <algorithm>

namespace game {
namespace {

constexpr size_t kChunkBytes = 64 * 1024;  // four seconds of Vorbis at 128 kbit/s
constexpr uint32_t kChunkMicroseconds = 4'000'000;

}  // namespace

Music::Music(skl::Queue queue, skl::Found file) : queue_(std::move(queue)), file_(file) {
  for (auto& chunk : chunks_) chunk.resize(kChunkBytes);
}

skl::Result<Music> Music::start(skl::Context& context, const char* path) {
  const auto file = context.find(path);
  if (!file || file->size_bytes == 0)
    return std::unexpected(skl::Error{SKL_NOT_FOUND, 0, 0, std::string(path) + ": no such music"});
  auto queue = context.queue();
  if (!queue) return std::unexpected(queue.error());
  Music music(*std::move(queue), *file);
  for (auto& chunk : music.chunks_)
    if (auto asked = music.ask(chunk); !asked) return std::unexpected(asked.error());
  return music;
}

// The completion returns `user`, which points to the chunk. The vectors' memory doesn't move when
// Music is moved.
skl::Result<void> Music::ask(std::vector<std::byte>& chunk) {
  skl::Request request(file_.asset, chunk);
  request.offset_bytes = next_bytes_;
  request.priority = SKL_PRIORITY_STREAM;
  request.deadline_us = kChunkMicroseconds;
  request.user = chunk.data();
  next_bytes_ = next_bytes_ + kChunkBytes < file_.size_bytes ? next_bytes_ + kChunkBytes : 0;
  if (auto taken = queue_.submit(request); !taken) return std::unexpected(taken.error());
  return {};
}

skl::Result<void> Music::update() {
  std::array<skl::Completion, 2> done;
  for (const skl::Completion& completion : queue_.poll(done).completions) {
    // If a piece can't be read, there is a short silence, but the game continues.
    if (completion.result() == SKL_OK) played_bytes_ += completion.read_bytes();
    if (completion.missed_deadline()) ++late_chunks_;
    const auto chunk =
        std::ranges::find(chunks_, completion.user(), [](auto& of) -> void* { return of.data(); });
    if (auto asked = ask(*chunk); !asked) return asked;
  }
  return {};
}

}  // namespace game
