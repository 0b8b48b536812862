#include "packer/serve/game_state.h"

#include "packer/host/files.h"
#include "packer/host/own_folder.h"

namespace seekless {
namespace {

constexpr const char* kLearnedFile = "learned.json";
constexpr uint64_t kMostLearnedBytes = uint64_t{256} << 20;

}  // namespace

Result<GameState> GameState::open(const std::string& place, const std::string& game) {
  const auto folder = state_path("play", place, game);
  if (!folder) return std::unexpected(folder.error());
  if (auto made = make_folders(*folder); !made) return std::unexpected(made.error());
  return GameState(*folder);
}

Learned GameState::load(std::string& warning) const {
  const std::string path = folder_ + "/" + kLearnedFile;
  if (kind_of_path(path) == PathKind::missing) return {};
  const auto text = read_text(path, kMostLearnedBytes);
  auto learned = text ? parse_learned(*text, path) : std::unexpected(text.error());
  if (learned) return *std::move(learned);
  warning = learned.error().message;
  return {};
}

Result<void> GameState::save(const Learned& learned) const {
  return write_text(folder_ + "/" + kLearnedFile, to_text(learned));
}

Result<void> GameState::forget() const {
  std::string warning;
  const Learned learned = load(warning);
  if (!learned.shadow.file.empty())
    if (auto gone = remove_file(shadow_path(learned.shadow.file)); !gone) return gone;
  const std::string path = folder_ + "/" + kLearnedFile;
  if (kind_of_path(path) != PathKind::missing)
    if (auto gone = remove_file(path); !gone) return gone;
  remove_empty_folder(folder_);
  return {};
}

Result<void> GameState::lock() {
  auto taken = FolderLock::take(folder_, "play");
  if (!taken) return std::unexpected(taken.error());
  lock_.emplace(*std::move(taken));
  return {};
}

}  // namespace seekless
