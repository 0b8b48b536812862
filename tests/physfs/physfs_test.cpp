// Tests the archiver under the system's PhysFS: a game gets the packed bytes.
#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <physfs.h>

#include "tests/pack/set_maker.h"
#include <seekless_physfs.h>

// This is GCC's macro; Clang has a feature for it.
#if !defined(__SANITIZE_ADDRESS__) && defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif
#ifdef _WIN32
#include <windows.h>
#endif

namespace seekless {
namespace {

using format::Codec;

constexpr size_t kLargeBytes = 900'000;  // more than the adapter keeps for an open file

std::string error_text() {
  return std::string(PHYSFS_getErrorByCode(PHYSFS_getLastErrorCode())) + "; " +
         skl_physfs_last_error()->message;
}

class Physfs : public testing::TestWithParam<Codec> {
 protected:
  Physfs() {
    EXPECT_NE(PHYSFS_init(nullptr), 0);
    EXPECT_NE(PHYSFS_registerArchiver(skl_physfs_archiver()), 0) << error_text();
  }
  ~Physfs() override { PHYSFS_deinit(); }

  static void fill(SetMaker& maker) {
    maker.add_scenario("map");
    maker.add_pack("map");
    maker.add("maps/one/game.map", noise(3'000, 1), {0});
    maker.add("maps/one/ttypes.ttp", noise(20, 2), {0});
    maker.add("maps/one.json", "{}", {0});
    maker.add("texture.png", noise(150'000, 3), {0});
    maker.add_pack("cold", PackKind::cold);
    maker.add("maps/two/game.map", noise(4'000, 4));
    maker.add("music/theme.ogg", noise(kLargeBytes, 5));
    maker.add("empty", "");
  }

  void mount_set() {
    fill(maker_);
    maker_.write({.codec = GetParam()});
    ASSERT_NE(PHYSFS_mount(maker_.file("catalog.skl").c_str(), nullptr, 1), 0) << error_text();
  }

  SetMaker maker_;
};

std::string read_by(PHYSFS_File* file, size_t piece_bytes) {
  std::string content;
  std::string piece(piece_bytes, '\0');
  for (PHYSFS_sint64 got = 1; got > 0;) {
    got = PHYSFS_readBytes(file, piece.data(), piece.size());
    if (got > 0) content.append(piece, 0, static_cast<size_t>(got));
  }
  return content;
}

std::string read_whole(const std::string& path, size_t piece_bytes = 4096) {
  PHYSFS_File* file = PHYSFS_openRead(path.c_str());
  if (file == nullptr) return "not opened: " + error_text();
  std::string content = read_by(file, piece_bytes);
  PHYSFS_close(file);
  return content;
}

std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  char** found = PHYSFS_enumerateFiles(folder.c_str());
  for (char** name = found; *name != nullptr; ++name) names.insert(*name);
  PHYSFS_freeList(found);
  return names;
}

PHYSFS_ErrorCode error_of_opening(const char* path) {
  EXPECT_EQ(PHYSFS_openRead(path), nullptr);
  return PHYSFS_getLastErrorCode();
}

TEST_P(Physfs, reads_every_asset_by_pieces_of_any_size) {
  mount_set();
  for (const auto& [path, content] : maker_.contents)
    for (const size_t piece : {size_t{3}, size_t{4096}, size_t{300'000}, size_t{2'000'000}})
      EXPECT_TRUE(read_whole(path, piece) == content) << path << " by " << piece;
}

TEST_P(Physfs, lists_each_folder_once) {
  mount_set();
  EXPECT_EQ(names_in(""), (std::set<std::string>{"maps", "music", "texture.png", "empty"}));
  EXPECT_EQ(names_in("maps"), (std::set<std::string>{"one", "one.json", "two"}));
  EXPECT_EQ(names_in("maps/one"), (std::set<std::string>{"game.map", "ttypes.ttp"}));
  EXPECT_TRUE(names_in("nothing").empty());
}

TEST_P(Physfs, ends_a_listing_when_the_game_says_so) {
  mount_set();
  int calls = 0;
  const auto stop = [](void* count, const char*, const char*) {
    ++*static_cast<int*>(count);
    return PHYSFS_ENUM_STOP;
  };
  EXPECT_NE(PHYSFS_enumerate("maps", stop, &calls), 0);
  EXPECT_EQ(calls, 1);
  const auto fail = [](void*, const char*, const char*) { return PHYSFS_ENUM_ERROR; };
  EXPECT_EQ(PHYSFS_enumerate("maps", fail, nullptr), 0);
  EXPECT_EQ(PHYSFS_getLastErrorCode(), PHYSFS_ERR_APP_CALLBACK);
}

TEST_P(Physfs, tells_files_from_folders) {
  mount_set();
  PHYSFS_Stat stat;
  ASSERT_NE(PHYSFS_stat("texture.png", &stat), 0);
  EXPECT_EQ(stat.filetype, PHYSFS_FILETYPE_REGULAR);
  EXPECT_EQ(stat.filesize, 150'000);
  EXPECT_NE(stat.readonly, 0);
  ASSERT_NE(PHYSFS_stat("maps/one", &stat), 0);
  EXPECT_EQ(stat.filetype, PHYSFS_FILETYPE_DIRECTORY);
  EXPECT_EQ(PHYSFS_stat("maps/on", &stat), 0);
  EXPECT_EQ(PHYSFS_getLastErrorCode(), PHYSFS_ERR_NOT_FOUND);
  EXPECT_EQ(error_of_opening("maps"), PHYSFS_ERR_NOT_A_FILE);
  EXPECT_EQ(error_of_opening("map"), PHYSFS_ERR_NOT_FOUND);
}

TEST_P(Physfs, seeks_and_tells) {
  mount_set();
  const std::string& content = maker_.contents.at("music/theme.ogg");
  PHYSFS_File* file = PHYSFS_openRead("music/theme.ogg");
  ASSERT_NE(file, nullptr) << error_text();
  EXPECT_EQ(PHYSFS_fileLength(file), static_cast<PHYSFS_sint64>(content.size()));
  std::string got(1000, '\0');
  for (const size_t place : {size_t{800'000}, size_t{5}, size_t{262'000}, content.size() - 1000}) {
    ASSERT_NE(PHYSFS_seek(file, place), 0) << error_text();
    EXPECT_EQ(PHYSFS_tell(file), static_cast<PHYSFS_sint64>(place));
    EXPECT_EQ(PHYSFS_readBytes(file, got.data(), got.size()), 1000);
    EXPECT_TRUE(content.compare(place, 1000, got) == 0) << place;
  }
  EXPECT_NE(PHYSFS_eof(file), 0);
  EXPECT_NE(PHYSFS_seek(file, content.size()), 0);
  EXPECT_EQ(PHYSFS_readBytes(file, got.data(), 1), 0);
  EXPECT_EQ(PHYSFS_seek(file, content.size() + 1), 0);
  EXPECT_EQ(PHYSFS_getLastErrorCode(), PHYSFS_ERR_PAST_EOF);
  PHYSFS_close(file);
}

// Counts the descriptors of this process. PhysFS itself opens an archive again for each duplicate.
size_t open_descriptors() {
#ifdef _WIN32
  DWORD handles = 0;
  ::GetProcessHandleCount(::GetCurrentProcess(), &handles);
  return handles;
#else
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
#endif
}

TEST_P(Physfs, opens_and_duplicates_without_opening_the_pack_again) {
  mount_set();
  read_whole("texture.png");
  const size_t before = open_descriptors();
  std::vector<PHYSFS_File*> files;
  for (int i = 0; i < 50; ++i) files.push_back(PHYSFS_openRead("texture.png"));
  EXPECT_EQ(open_descriptors(), before);
  for (PHYSFS_File* file : files) PHYSFS_close(file);
}

// Makes the stream that PhysFS shows an archiver; here, it begins like a pack.
PHYSFS_Io first_bytes() {
  PHYSFS_Io io = {};
  io.read = [](PHYSFS_Io*, void* into, PHYSFS_uint64 length) {
    std::memcpy(into, format::kMagic.data(), format::kMagic.size());
    return length == format::kMagic.size() ? PHYSFS_sint64{format::kMagic.size()} : -1;
  };
  io.destroy = [](PHYSFS_Io*) {};
  return io;
}

TEST_P(Physfs, duplicates_are_independent) {
  fill(maker_);
  maker_.write({.codec = GetParam()});
  // Calls the archiver's own functions as PhysFS does, because a game never sees a file's
  // PHYSFS_Io.
  const PHYSFS_Archiver& archiver = *skl_physfs_archiver();
  PHYSFS_Io source = first_bytes();
  int claimed = 0;
  void* archive = archiver.openArchive(&source, maker_.file("catalog.skl").c_str(), 0, &claimed);
  ASSERT_NE(archive, nullptr) << error_text();
  EXPECT_EQ(claimed, 1);
  PHYSFS_Io* first = archiver.openRead(archive, "texture.png");
  ASSERT_NE(first, nullptr);
  std::string head(100, '\0');
  EXPECT_EQ(first->read(first, head.data(), 100), 100);
  PHYSFS_Io* second = first->duplicate(first);
  ASSERT_NE(second, nullptr);
  EXPECT_NE(first->seek(first, 50'000), 0);
  first->destroy(first);
  EXPECT_EQ(second->tell(second), 100);
  std::string next(100, '\0');
  EXPECT_EQ(second->read(second, next.data(), 100), 100);
  EXPECT_TRUE(maker_.contents.at("texture.png").starts_with(head + next));
  EXPECT_EQ(second->write(second, "x", 1), -1);
  EXPECT_EQ(PHYSFS_getLastErrorCode(), PHYSFS_ERR_READ_ONLY);
  second->destroy(second);
  archiver.closeArchive(archive);
}

TEST_P(Physfs, many_threads_read_at_once) {
  mount_set();
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 8; ++thread)
      threads.emplace_back([&] {
        for (int round = 0; round < 20; ++round)
          for (const auto& [path, content] : maker_.contents)
            if (read_whole(path) != content) ++wrong;
      });
  }
  EXPECT_EQ(wrong, 0);
}

TEST_P(Physfs, writing_is_refused) {
  mount_set();
  const PHYSFS_Archiver& archiver = *skl_physfs_archiver();
  PHYSFS_Io source = first_bytes();
  int claimed = 0;
  EXPECT_EQ(archiver.openArchive(&source, maker_.file("catalog.skl").c_str(), 1, &claimed),
            nullptr);
  EXPECT_EQ(claimed, 1);
  EXPECT_EQ(PHYSFS_getLastErrorCode(), PHYSFS_ERR_READ_ONLY);
  EXPECT_EQ(archiver.openWrite(nullptr, "x"), nullptr);
  EXPECT_EQ(archiver.openAppend(nullptr, "x"), nullptr);
  EXPECT_EQ(archiver.remove(nullptr, "x"), 0);
  EXPECT_EQ(archiver.mkdir(nullptr, "x"), 0);
  EXPECT_EQ(PHYSFS_getLastErrorCode(), PHYSFS_ERR_READ_ONLY);
}

TEST_P(Physfs, mounts_a_single_pack_under_any_name_and_place) {
  fill(maker_);
  maker_.write({.codec = GetParam()});
  const std::string renamed = maker_.file("base.wz");
  std::filesystem::copy_file(maker_.file("map.skl"), renamed);
  ASSERT_NE(PHYSFS_mount(renamed.c_str(), "game/base", 1), 0) << error_text();
  EXPECT_TRUE(read_whole("game/base/texture.png") == maker_.contents.at("texture.png"));
  EXPECT_EQ(names_in("game/base/maps"), (std::set<std::string>{"one", "one.json"}));
  EXPECT_NE(PHYSFS_unmount(renamed.c_str()), 0) << error_text();
}

// PhysFS 3.0.2 itself leaks 128 bytes with each archive in memory that it refuses, of any kind.
class LeakAllowed {
 public:
#ifdef __SANITIZE_ADDRESS__
  LeakAllowed() { __lsan_disable(); }
  ~LeakAllowed() { __lsan_enable(); }
#else
  LeakAllowed() {}
#endif
};

TEST_P(Physfs, a_pack_in_memory_is_refused) {
  fill(maker_);
  maker_.write({.codec = GetParam()});
  const std::string bytes = bytes_of_file(maker_.file("map.skl"));
  const LeakAllowed leak_allowed;
  EXPECT_EQ(PHYSFS_mountMemory(bytes.data(), bytes.size(), nullptr, "no/such/file.skl", nullptr, 1),
            0);
  EXPECT_EQ(PHYSFS_getLastErrorCode(), PHYSFS_ERR_UNSUPPORTED);
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

TEST_P(Physfs, every_truncation_of_a_pack_is_refused) {
  fill(maker_);
  maker_.write({.codec = GetParam()});
  const std::string path = maker_.file("map.skl");
  const std::string whole = bytes_of_file(path);
  for (size_t size = 0; size < whole.size(); size += size < 2'000 ? 7 : 4'099) {
    write_file(path, whole.substr(0, size));
    EXPECT_EQ(PHYSFS_mount(path.c_str(), nullptr, 1), 0) << size;
  }
}

TEST_P(Physfs, a_damaged_asset_is_named_and_others_arrive) {
  fill(maker_);
  maker_.write({.codec = GetParam()});
  std::string bytes = bytes_of_file(maker_.file("map.skl"));
  const size_t place = bytes.find(maker_.contents.at("texture.png").substr(0, 500));
  ASSERT_NE(place, std::string::npos);
  bytes[place + 100] = static_cast<char>(bytes[place + 100] ^ 1);
  write_file(maker_.file("map.skl"), bytes);
  ASSERT_NE(PHYSFS_mount(maker_.file("catalog.skl").c_str(), nullptr, 1), 0) << error_text();
  PHYSFS_File* file = PHYSFS_openRead("texture.png");
  ASSERT_NE(file, nullptr);
  char byte = 0;
  EXPECT_EQ(PHYSFS_readBytes(file, &byte, 1), -1);
  EXPECT_EQ(PHYSFS_getLastErrorCode(), PHYSFS_ERR_CORRUPT);
  EXPECT_EQ(skl_physfs_last_error()->result, SKL_DAMAGED);
  EXPECT_NE(std::string(skl_physfs_last_error()->message).find("map.skl"), std::string::npos);
  PHYSFS_close(file);
  EXPECT_TRUE(read_whole("music/theme.ogg") == maker_.contents.at("music/theme.ogg"));
}

INSTANTIATE_TEST_SUITE_P(codecs, Physfs, testing::Values(Codec::raw, Codec::lz4),
                         [](const auto& of) {
                           return std::string(of.param == Codec::raw ? "raw" : "lz4");
                         });

}  // namespace
}  // namespace seekless
