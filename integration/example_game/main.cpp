// A game that does nothing but load: mounts its packs, a patch and a mod, sweeps a map in behind a
// progress bar while music streams, and prints what it loaded. Usage:
//   example_game BASE PATCH MOD MAP MUSIC [WANTED]
// BASE and PATCH are pack sets, MOD is a folder of loose files, or a zip; MAP is a scenario of
// BASE; MUSIC and WANTED are paths in any of them.
#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "level.h"
#include "music.h"

namespace {

constexpr int kMostFramesOfSilence = 250;  // four seconds

int failed(const char* what, const skl::Error& error) {
  std::fprintf(stderr, "example_game: %s: %s: %s\n", what, error.name(), error.message.c_str());
  return 1;
}

// The library's own threads report canaries while reading waits. They are stored there, and printed
// in the next frame.
class CanaryLog {
 public:
  void note(const skl_canary& canary) {
    const std::lock_guard lock(mutex_);
    noted_.push_back(canary);
  }

  void tell(const skl::Context& context) {
    const std::lock_guard lock(mutex_);
    for (; told_ < noted_.size(); ++told_) {
      const skl_canary& canary = noted_[told_];
      const std::string path = canary.asset != 0 ? context.path(canary.asset).value_or("?") : "";
      std::fprintf(stderr, "\ncanary: %s: %s\n", path.c_str(), canary.message);
    }
  }

  size_t count() const { return noted_.size(); }

 private:
  std::mutex mutex_;
  std::vector<skl_canary> noted_;
  size_t told_ = 0;
};

// Mounts of higher priority hide the same paths in lower ones.
skl::Result<void> mount_all(skl::Context& context, char** places) {
  for (int i = 0; i < 3; ++i) {
    skl::MountOptions options;
    options.priority = 10 * i;
    if (const auto mounted = context.mount(places[i], options); !mounted)
      return std::unexpected(mounted.error());
  }
  return {};
}

void draw(const game::Progress& progress) {
  constexpr int kWidth = 40;
  const int full = static_cast<int>(progress.share * kWidth);
  std::printf("\r[%-*.*s] %3.0f %%  %zu assets", kWidth, full,
              "########################################", progress.share * 100, progress.assets);
  std::fflush(stdout);
}

void print(const char* what, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) std::printf("%s: %s\n", what, path.c_str());
}

int play(char** words, const char* wanted) {
  CanaryLog canaries;
  auto context =
      skl::Context::create({}, [&canaries](const skl_canary& canary) { canaries.note(canary); });
  if (!context) return failed("start", context.error());
  if (const auto mounted = mount_all(*context, words); !mounted)
    return failed("mount", mounted.error());
  auto music = game::Music::start(*context, words[4]);
  if (!music) return failed("music", music.error());

  game::AssetStore store;
  const auto report =
      game::load_level(*context, words[3], wanted, store, [&](const game::Progress& progress) {
        draw(progress);
        canaries.tell(*context);
        if (const auto updated = music->update(); !updated) failed("music", updated.error());
      });
  // If the map is read from the page cache, it is loaded before the first piece of music.
  for (int frames = 0; frames < kMostFramesOfSilence && music->played_bytes() == 0; ++frames) {
    std::this_thread::sleep_for(std::chrono::milliseconds(16));
    if (const auto updated = music->update(); !updated) return failed("music", updated.error());
  }
  std::printf("\n");
  if (!report) return failed(words[3], report.error());

  print("replaced", report->replaced);
  print("deleted", report->deleted);
  print("failed", report->failed);
  std::printf("loaded: %zu assets, %llu bytes\n", store.count(),
              static_cast<unsigned long long>(store.total_bytes()));
  if (report->wanted_after >= 0)
    std::printf("wanted: there after %lld others\n", static_cast<long long>(report->wanted_after));
  const skl::Stats stats = context->stats();
  std::printf("disk: %llu reads, %llu seeks, %llu bytes\n",
              static_cast<unsigned long long>(stats.reads),
              static_cast<unsigned long long>(stats.seeks),
              static_cast<unsigned long long>(stats.read_bytes));
  std::printf("music: %llu bytes, %llu late\n",
              static_cast<unsigned long long>(music->played_bytes()),
              static_cast<unsigned long long>(music->late_chunks()));
  std::printf("canaries: %zu\n", canaries.count());
  return report->failed.empty() ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  if (count != 6 && count != 7) {
    std::fputs("usage: example_game BASE PATCH MOD MAP MUSIC [WANTED]\n", stderr);
    return 2;
  }
  return play(words + 1, count == 7 ? words[6] : nullptr);
}
