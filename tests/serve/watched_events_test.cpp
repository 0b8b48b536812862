// The same reads, seen through FUSE and by the hooks of Windows, teach the same, byte for byte.
#include "packer/serve/internal/watched_events.h"

#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "packer/host/descriptor.h"
#include "packer/record/internal/process_records.h"
#include "packer/serve/foreseen_reads.h"
#include "tests/content/test_folder.h"

namespace seekless {
namespace {

using Clock = Foresight::Clock;

// A read of a recording; nothing is read by a name that is only asked for.
struct OneRead {
  std::string path;
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;
};

constexpr uint64_t kFileBytes = uint64_t{1} << 20;

std::vector<OneRead> recording() {
  std::vector<OneRead> reads = {{"missing.cfg"}, {"data/a.pak", 0, 100}};
  for (uint64_t i = 0; i < 90; ++i) reads.push_back({"data/a.pak", i * 7919 % 900'000, 12'345});
  for (uint64_t i = 0; i < 40; ++i) reads.push_back({"data/maps/b.pak", i * 4096, 4096});
  reads.push_back({"top.ini", 0, 10});
  return reads;
}

struct Game {
  Game() {
    for (const char* file : {"data/a.pak", "data/maps/b.pak"})
      folder.write(file, std::string(kFileBytes, 'x'));
    folder.write("top.ini", "0123456789");
  }
  ForeseeOptions options() const {
    return {.folder = folder.path(), .gap_bytes = 0, .most_bytes = 0};
  }
  TestFolder folder;
};

// How long reads took isn't the same twice.
std::string told(Learned learned) {
  for (LearnedScenario& scenario : learned.scenarios)
    scenario.first_waited_s = scenario.last_waited_s = 0;
  return to_text(learned);
}

// FUSE asks for each name on the way once.
void look_up(FileReader& reader, const std::string& path) {
  for (size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1))
    reader.looks_up(path.substr(0, slash));
  reader.looks_up(path);
}

Learned learned_through_fuse(const Game& game, Learned known, const std::vector<OneRead>& reads) {
  ForeseenReads front(std::move(known), game.options());
  std::vector<std::byte> into(kFileBytes);
  for (const OneRead& read : reads) {
    look_up(front, read.path);
    const Descriptor file(calls::open_to_read(game.folder.path(read.path), false));
    if (file.get() < 0) continue;
    const auto stamp = change_stamp_of(game.folder.path(read.path)).value().value();
    const uint32_t number = front.open(read.path, stamp, 1);
    front.read(
        {.file = number, .descriptor = file.get(), .offset_bytes = read.offset_bytes, .thread = 1},
        std::span(into).first(read.length_bytes));
  }
  return front.finish();
}

// Writes the records as the hooks do, with the game's own spelling of its folder.
class Hooks {
 public:
  Hooks(Foresight& foresight, std::vector<std::string> spelled, const Learned& known)
      : events_(foresight, std::move(spelled), {}, known, Clock::now()) {}

  void replay(const std::string& folder, const std::vector<OneRead>& reads) {
    uint64_t handle = 4;
    for (const OneRead& read : reads) {
      const std::string name = "\\??\\unix" + folder + "/" + read.path;
      FileRecord opened = {.kind = RecordKind::open,
                           .flags = kIsForReading,
                           .handle = handle,
                           .text = std::u16string(name.begin(), name.end())};
      if (read.length_bytes == 0) opened.other = 0xc0000034;  // no such file
      take(opened);
      if (read.length_bytes > 0)
        take({.kind = RecordKind::read,
              .handle = handle,
              .offset = read.offset_bytes,
              .length = read.length_bytes});
      take({.kind = RecordKind::close, .handle = handle});
      handle += 4;
    }
    EXPECT_TRUE(window_.finish());
  }

 private:
  void take(FileRecord record) {
    record.start_ticks = record.end_ticks = ++ticks_;
    ASSERT_TRUE(records_.take(record, clock_));
  }

  WatchedEvents events_;
  EventWindow window_{events_};
  FileCalls calls_{events_, window_};
  size_t entries_ = 0;
  DriveOfDevice drive_of_ = [](const std::string&) { return std::string(); };
  ProcessRecords records_{1, calls_, entries_, drive_of_};
  TickClock clock_;
  int64_t ticks_ = 0;
};

Learned learned_by_hooks(const Game& game, const Learned& known, const std::vector<OneRead>& reads,
                         const std::string& spelled) {
  Foresight foresight(known, game.options());
  Hooks hooks(foresight, {game.folder.path(), spelled}, known);
  hooks.replay(spelled, reads);
  return foresight.finish();
}

TEST(WatchedEvents, teach_the_same_as_fuse_byte_for_byte) {
  const Game game;
  const Learned by_fuse = learned_through_fuse(game, {}, recording());
  const Learned by_hooks = learned_by_hooks(game, {}, recording(), game.folder.path());
  ASSERT_EQ(by_fuse.scenarios.size(), 1U);
  EXPECT_EQ(by_fuse.files.size(), 3U);
  EXPECT_EQ(told(by_hooks), told(by_fuse));
}

TEST(WatchedEvents, teach_nothing_of_reads_that_bypass_the_cache) {
  const Game game;
  Foresight foresight({}, game.options());
  WatchedEvents events(foresight, {game.folder.path()}, {}, {}, Clock::now());
  ASSERT_TRUE(events.add_path("/elsewhere/a.pak"));
  ASSERT_TRUE(events.add_path(game.folder.path("data/a.pak")));
  events.reads_past_cache(0);
  EXPECT_FALSE(events.has_read());
  events.reads_past_cache(1);
  EXPECT_TRUE(events.has_read());
  EXPECT_TRUE(foresight.finish().scenarios.empty());
}

TEST(WatchedEvents, teach_the_same_in_later_runs_whoever_saw_the_first) {
  const Game game;
  const Learned first = learned_through_fuse(game, {}, recording());
  std::vector<OneRead> other = recording();
  std::swap(other[10], other[20]);
  other.push_back({"data/a.pak", 950'000, 5000});
  EXPECT_EQ(told(learned_by_hooks(game, first, other, game.folder.path())),
            told(learned_through_fuse(game, first, other)));
}

TEST(WatchedEvents, know_a_file_by_one_name_however_it_is_spelled) {
  const Game game;
  Foresight foresight({}, game.options());
  const std::string spelled = game.folder.path();
  {
    Hooks hooks(foresight, {game.folder.path(), "C:/Link"}, {});
    hooks.replay(spelled, {{"data/a.pak", 0, 4096}, {"Data/A.PAK", 4096, 4096}});
  }
  const Learned learned = foresight.finish();
  ASSERT_EQ(learned.files.size(), 1U);
  EXPECT_EQ(learned.files[0], "data/a.pak");
  ASSERT_EQ(learned.scenarios.size(), 1U);
  EXPECT_EQ(learned.scenarios[0].pages.size(), 2U);
}

TEST(WatchedEvents, ignore_what_lies_elsewhere) {
  const Game game;
  Foresight foresight({}, game.options());
  Hooks hooks(foresight, {game.folder.path()}, {});
  hooks.replay(game.folder.path() + "-2", {{"data/a.pak", 0, 4096}});
  hooks.replay("/usr", {{"lib/a.pak", 0, 4096}});
  EXPECT_TRUE(foresight.finish().scenarios.empty());
}

}  // namespace
}  // namespace seekless
