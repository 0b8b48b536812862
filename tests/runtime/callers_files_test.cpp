// Tests packs, zips and sets that the caller opens: memory, parts of files, functions.
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/content/zip_builder.h"
#include "tests/pack/set_maker.h"
#include "tests/runtime/test_context.h"

#ifdef _WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

namespace seekless {
namespace {

using testing::HasSubstr;

struct GameInFiles : SetMaker {
  GameInFiles() : big(noise(300'000, 7)) {
    const uint32_t menu = add_scenario("menu");
    add_pack("common");
    add("a", "a of the game", {menu});
    add("big", big, {menu});
    write();
  }
  std::string big;
};

skl_mount_options sized(skl_mount_options options = {}) {
  options.struct_bytes = sizeof(options);
  return options;
}

// The files of a set by name, and the requests for them.
struct Container {
  explicit Container(const std::string& folder) : files(files_in(folder)) {}

  struct Opened {
    Container* of;
    const std::string* bytes;
  };

  static skl_result open(void* user, const char* path, skl_file* file) {
    auto& of = *static_cast<Container*>(user);
    const std::string name = std::filesystem::path(path).filename().string();
    const auto found = of.files.find(name);
    if (found == of.files.end()) return SKL_NOT_FOUND;
    EXPECT_GE(file->struct_bytes, sizeof(skl_file));
    ++of.open_files;
    file->size_bytes = found->second.size();
    file->media = of.media;
    file->read_at = read_at;
    file->close = close_file;
    file->user = new Opened{&of, &found->second};
    return SKL_OK;
  }
  static int32_t read_at(void* user, uint64_t offset_bytes, void* destination,
                         size_t length_bytes) {
    const auto& opened = *static_cast<Opened*>(user);
    EXPECT_LE(offset_bytes + length_bytes, opened.bytes->size());
    ++opened.of->reads;
    if (opened.of->fails) return EIO;
    std::memcpy(destination, opened.bytes->data() + offset_bytes, length_bytes);
    return 0;
  }
  static void close_file(void* user) {
    auto* const opened = static_cast<Opened*>(user);
    --opened->of->open_files;
    delete opened;
  }
  static void close(void* user) { static_cast<Container*>(user)->is_closed = true; }

  skl_file_io io() { return {sizeof(skl_file_io), open, close, this}; }

  std::map<std::string, std::string> files;
  skl_media media = SKL_MEDIA_DETECT;
  std::atomic<int> open_files = 0;
  std::atomic<int> reads = 0;
  std::atomic<bool> fails = false;
  std::atomic<bool> is_closed = false;
};

std::string swept(skl_context* context, const char* scenario) {
  skl_sweep* sweep = nullptr;
  Failure failure;
  EXPECT_EQ(skl_sweep_open(context, scenario, &sweep, &failure), SKL_OK) << failure.message;
  std::string bytes;
  skl_lease lease = {};
  while (sweep != nullptr && skl_sweep_wait(sweep, UINT32_MAX, &lease, &failure) == SKL_OK) {
    bytes.append(static_cast<const char*>(lease.data), lease.size_bytes);
    skl_lease_release(&lease);
  }
  skl_sweep_close(sweep);
  return bytes;
}

TEST(CallersFiles, read_a_set_by_functions_and_are_closed) {
  const GameInFiles game;
  for (const skl_media media : {SKL_MEDIA_DETECT, SKL_MEDIA_SOLID}) {
    Container container(game.folder());
    container.media = media;
    {
      const Context context;
      const skl_file_io io = container.io();
      const skl_mount_id id = context.mount("game", {.io = &io});
      EXPECT_EQ(context.read("a"), "a of the game");
      EXPECT_EQ(context.read("big"), game.big);
      EXPECT_EQ(swept(context, "menu").size(), game.big.size() + 13);
      EXPECT_GT(container.reads, 3);
      EXPECT_EQ(skl_unmount(context, id, nullptr), SKL_OK);
      EXPECT_TRUE(container.is_closed);
    }
    EXPECT_EQ(container.open_files, 0);
  }
}

TEST(CallersFiles, failed_reads_are_named) {
  const GameInFiles game;
  Container container(game.folder());
  const Context context;
  const skl_file_io io = container.io();
  context.mount("game", {.io = &io});
  EXPECT_EQ(context.read("a"), "a of the game");
  container.fails = true;
  EXPECT_THAT(context.read("big"), HasSubstr("its read_at answered " + std::to_string(EIO)));
}

TEST(CallersFiles, are_closed_if_the_mount_fails) {
  Container container("/nowhere");
  const Context context;
  const skl_file_io io = container.io();
  const skl_mount_options options = sized({.io = &io});
  Failure failure;
  EXPECT_EQ(skl_mount(context, "game", &options, nullptr, &failure), SKL_NOT_FOUND);
  EXPECT_THAT(failure.message, HasSubstr("the caller's skl_file_io answered 'not found'"));
  EXPECT_TRUE(container.is_closed);

  int closed = 0;
  skl_file file = {sizeof(file)};
  file.data = "no pack";
  file.size_bytes = 7;
  file.close = [](void* user) { ++*static_cast<int*>(user); };
  file.user = &closed;
  EXPECT_EQ(skl_mount_file(context, "x", &file, nullptr, nullptr, &failure), SKL_DAMAGED);
  EXPECT_EQ(closed, 1);
  EXPECT_EQ(skl_mount_file(context, "x", &file, &options, nullptr, &failure), SKL_INVALID);
  EXPECT_EQ(closed, 2);
  file.struct_bytes = 0;
  EXPECT_EQ(skl_mount_file(context, "x", &file, nullptr, nullptr, &failure), SKL_INVALID);
}

TEST(CallersFiles, hold_packs_and_zips_in_memory) {
  const GameInFiles game;
  const std::string pack = bytes_of_file(game.folder() + "/common.skl");
  const std::string zip = ZipBuilder{.items = {{.name = "b", .content = "b of the zip"}}}.build();
  const Context context;
  for (const std::string* bytes : {&pack, &zip}) {
    skl_file file = {sizeof(file)};
    file.data = bytes->data();
    file.size_bytes = bytes->size();
    Failure failure;
    EXPECT_EQ(skl_mount_file(context, "memory", &file, nullptr, nullptr, &failure), SKL_OK)
        << failure.message;
    if (bytes == &pack) {
      EXPECT_EQ(swept(context, nullptr).size(), game.big.size() + 13);
    }
  }
  EXPECT_EQ(context.read("big"), game.big);
  EXPECT_EQ(context.read("b"), "b of the zip");
}

TEST(CallersFiles, tell_that_a_catalog_alone_has_no_packs) {
  const GameInFiles game;
  const std::string catalog = bytes_of_file(game.folder() + "/catalog.skl");
  const Context context;
  skl_file file = {sizeof(file)};
  file.data = catalog.data();
  file.size_bytes = catalog.size();
  EXPECT_EQ(skl_mount_file(context, "memory", &file, nullptr, nullptr, nullptr), SKL_OK);
  EXPECT_THAT(context.read("a"), HasSubstr("mount the set by skl_mount, with options.io"));
}

#ifndef _WIN32
TEST(CallersFiles, are_parts_of_a_descriptor) {
  const GameInFiles game;
  const std::string pack = bytes_of_file(game.folder() + "/common.skl");
  const std::string path = game.folder() + "/app.bin";
  const std::string before = noise(4096 + 77, 3);  // its length makes the rest unaligned
  std::ofstream(path, std::ios::binary) << before << pack << "what follows";
  std::FILE* const opened = std::fopen(path.c_str(), "rb");
  ASSERT_NE(opened, nullptr);
  for (const skl_backend backend : {SKL_BACKEND_THREADS, SKL_BACKEND_URING}) {
    skl_context_options wanted = {};
    wanted.backend = backend;
    const Context context(wanted);
    skl_file file = {sizeof(file)};
    file.descriptor = ::fileno(opened);
    file.descriptor_offset_bytes = before.size();
    file.size_bytes = pack.size();
    Failure failure;
    ASSERT_EQ(skl_mount_file(context, "app.bin", &file, nullptr, nullptr, &failure), SKL_OK)
        << failure.message;
    EXPECT_EQ(context.read("big"), game.big);
    EXPECT_EQ(swept(context, nullptr).size(), game.big.size() + 13);
    file.size_bytes = pack.size() + 1000;
    EXPECT_EQ(skl_mount_file(context, "app.bin", &file, nullptr, nullptr, &failure), SKL_INVALID);
    EXPECT_THAT(failure.message, HasSubstr("bytes in all"));
    file.descriptor = 987;
    EXPECT_EQ(skl_mount_file(context, "app.bin", &file, nullptr, nullptr, &failure), SKL_INVALID);
    EXPECT_THAT(failure.message, HasSubstr("expected that of an open file"));
  }
  std::fclose(opened);
}
#endif

}  // namespace
}  // namespace seekless
