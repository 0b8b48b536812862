// Tests files on Windows: names, shared use, reads past the cache.
#include "runtime/file_io_windows.h"

#include <array>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/file_io.h"
#include "runtime/io_engine.h"
#include "runtime/names_windows.h"
#include "tests/content/test_folder.h"

namespace seekless::runtime {
namespace {

using testing::HasSubstr;

constexpr size_t kPage = kUnbufferedBytes;

std::string pages(size_t count) {
  std::string bytes(count * kPage, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i / 512 * 7 + i % 13);
  return bytes;
}

std::unique_ptr<File> opened(const std::string& path) {
  auto file = make_system_file_io()->open(path);
  EXPECT_TRUE(file) << file.error().message;
  return file ? std::move(*file) : nullptr;
}

std::string read_all(const File& file) {
  std::string bytes(file.size_bytes(), '?');
  EXPECT_TRUE(file.read_at(0, std::as_writable_bytes(std::span(bytes))));
  return bytes;
}

// Memory with the alignment of blocks.
class Pages {
 public:
  explicit Pages(size_t count)
      : size_(count * kPage), bytes_(static_cast<std::byte*>(allocate_aligned(size_, kPage))) {}
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { free_aligned(bytes_); }
  std::span<std::byte> all() const { return {bytes_, size_}; }
  std::string text() const { return {reinterpret_cast<const char*>(bytes_), size_}; }

 private:
  size_t size_;
  std::byte* bytes_;
};

TEST(WindowsNames, go_to_utf_16_and_back) {
  const std::string text = "a \xC3\xA4 \xE2\x82\xAC \xF0\x9F\x8E\xAE";
  EXPECT_EQ(to_wide(text), std::wstring(L"a \u00E4 \u20AC \U0001F3AE"));
  EXPECT_EQ(to_utf8(*to_wide(text)), text);
  EXPECT_EQ(to_wide(""), std::wstring());
  EXPECT_EQ(to_wide("\xFF"), std::nullopt);
  EXPECT_EQ(to_wide_path(std::string("a\0b", 3)), std::nullopt);
}

TEST(WindowsNames, long_paths_get_the_prefix_that_allows_them) {
  const std::string tail = std::string(200, 'x') + "/" + std::string(200, 'y');
  EXPECT_EQ(*to_wide_path("c:/short"), L"c:/short");
  EXPECT_TRUE(to_wide_path("c:/" + tail)->starts_with(LR"(\\?\c:\xxx)"));
  EXPECT_TRUE(to_wide_path("c:/a/../" + tail)->starts_with(LR"(\\?\c:\xxx)"));
  EXPECT_TRUE(to_wide_path("//server/share/" + tail)->starts_with(LR"(\\?\UNC\server\share\xxx)"));
  EXPECT_TRUE(to_wide_path(tail)->starts_with(LR"(\\?\)")) << "relative to the working folder";
}

TEST(WindowsFile, has_any_name_and_any_length_of_path) {
  const TestFolder folder;
  const std::string name = "\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x8E\xAE.skl";
  EXPECT_EQ(read_all(*opened(folder.write(name, "1"))), "1");
  const auto io = make_system_file_io();
  std::string deep = folder.path();
  for (int i = 0; i < 4; ++i) {
    deep += "/" + std::string(100, static_cast<char>('a' + i));
    ASSERT_NE(::CreateDirectoryW(to_wide_path(deep)->c_str(), nullptr), 0) << deep;
  }
  ASSERT_GT(deep.size(), size_t{MAX_PATH});
  auto made = io->create(deep + "/f");
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_TRUE((*made)->append(std::as_bytes(std::span("deep", 4))));
  made->reset();
  EXPECT_EQ(read_all(*opened(deep + "/f")), "deep");
  EXPECT_TRUE(io->is_folder(deep));
  const auto entries = io->list(deep);
  ASSERT_TRUE(entries) << entries.error().message;
  ASSERT_EQ(entries->size(), 1U);
  EXPECT_EQ(entries->front().name, "f");
  for (size_t end = deep.size(); end > folder.path().size(); end = deep.rfind('/')) {
    ::DeleteFileW(to_wide_path(deep + "/f")->c_str());
    ::RemoveDirectoryW(to_wide_path(deep)->c_str());
    deep.resize(deep.rfind('/'));
  }
}

TEST(WindowsFile, stamps_are_the_same_by_a_listing_and_by_opening) {
  const TestFolder folder;
  folder.write("a", "12345");
  folder.write("sub/b", "1");
  const auto entries = make_system_file_io()->list(folder.path());
  ASSERT_TRUE(entries) << entries.error().message;
  ASSERT_EQ(entries->size(), 2U);
  for (const FolderEntry& entry : *entries) {
    if (entry.kind == FolderEntry::Kind::folder) {
      EXPECT_EQ(entry.name, "sub");
      continue;
    }
    EXPECT_EQ(entry.name, "a");
    EXPECT_EQ(entry.stamp.size_bytes, 5U);
    EXPECT_EQ(entry.stamp, opened(folder.path("a"))->stamp());
    EXPECT_GT(entry.stamp.changed_ns, int64_t{1'600'000'000} * 1'000'000'000) << "since 1970";
  }
}

TEST(WindowsFile, errors_are_in_words_with_the_systems_number) {
  const TestFolder folder;
  const auto io = make_system_file_io();
  const auto missing = io->open(folder.path("missing"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().result, SKL_NOT_FOUND);
  EXPECT_EQ(missing.error().os_error, ERROR_FILE_NOT_FOUND);
  EXPECT_THAT(missing.error().message, HasSubstr("missing: cannot open: "));
  EXPECT_FALSE(missing.error().message.ends_with('.'));
  const auto nowhere = io->open(folder.path("no/such"));
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().result, SKL_NOT_FOUND);
  const auto opened_folder = io->open(folder.path());
  ASSERT_FALSE(opened_folder);
  EXPECT_EQ(opened_folder.error().result, SKL_IO);
  EXPECT_THAT(opened_folder.error().message, HasSubstr("expected a file, found a folder"));
  const auto device = io->open("NUL");
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().result, SKL_IO) << device.error().message;
  EXPECT_EQ(text_of_error(0xE0000001), "error 3758096385");
}

TEST(WindowsFile, may_be_renamed_and_deleted_while_it_is_read) {
  const TestFolder folder;
  const std::string bytes = pages(3);
  const auto file = opened(folder.write("f", bytes));
  EXPECT_EQ(read_all(*opened(folder.path("f"))), bytes) << "opened a second time";
  ASSERT_NE(::MoveFileExW(to_wide_path(folder.path("f"))->c_str(),
                          to_wide_path(folder.path("g"))->c_str(), 0),
            0);
  EXPECT_EQ(read_all(*file), bytes);
  ASSERT_NE(::DeleteFileW(to_wide_path(folder.path("g"))->c_str()), 0);
  EXPECT_EQ(read_all(*file), bytes);
}

TEST(WindowsFile, many_threads_read_at_places_of_their_own) {
  const TestFolder folder;
  const std::string bytes = pages(64);
  const auto file = opened(folder.write("f", bytes));
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (size_t thread = 0; thread < 12; ++thread)
      threads.emplace_back([&, thread] {
        std::string got(1000, '?');
        for (size_t i = 0; i < 500; ++i) {
          const size_t at = (i * 7919 + thread * 104729) % (bytes.size() - got.size());
          if (!file->read_at(at, std::as_writable_bytes(std::span(got))) ||
              bytes.compare(at, got.size(), got) != 0)
            ++wrong;
        }
      });
  }
  EXPECT_EQ(wrong, 0);
}

TEST(WindowsFile, the_end_is_damage_and_named) {
  const TestFolder folder;
  const auto file = opened(folder.write("f", "short"));
  std::array<std::byte, 10> into;
  const auto read = file->read_at(2, into);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().result, SKL_DAMAGED);
  EXPECT_EQ(read.error().offset_bytes, 5U);
  EXPECT_THAT(read.error().message, HasSubstr("expected 7 more bytes, found the end"));
}

TEST(Unbuffered, only_what_windows_takes_is_read_past_the_cache) {
  const Pages memory(2);
  const std::span<std::byte> all = memory.all();
  const auto fits = [](uint64_t offset, std::span<std::byte> piece) {
    return fits_unbuffered(offset, std::span(&piece, 1));
  };
  EXPECT_TRUE(fits(0, all));
  EXPECT_TRUE(fits(3 * kPage, all.first(kPage)));
  EXPECT_FALSE(fits(512, all)) << "a sector may have 4 KiB";
  EXPECT_FALSE(fits(0, all.first(kPage - 1)));
  EXPECT_FALSE(fits(0, all.subspan(1).first(kPage)));
}

class Ports : public testing::Test {
 protected:
  const IoRead* read(const File& of, uint64_t offset, std::span<const std::span<std::byte>> pieces,
                     bool is_passing = true) {
    latest_ = {.file = &of, .offset_bytes = offset, .pieces = pieces, .is_passing = is_passing};
    engine->submit(latest_);
    IoRead* done = nullptr;
    while (engine->reap(std::span(&done, 1), IoEngine::kForEver) == 0) {
    }
    EXPECT_EQ(done, &latest_);
    return done;
  }

  const TestFolder folder;
  const std::string bytes = pages(8);
  std::unique_ptr<File> file = opened(folder.write("f", bytes));
  std::unique_ptr<IoEngine> engine = make_system_engine(4);

 private:
  IoRead latest_;
};

// IoRead::has_waited tells which way was used: only reads past the cache have to wait.
TEST_F(Ports, a_sweep_reads_past_the_cache_into_pieces) {
  const Pages a(1), b(3);
  const std::array pieces = {a.all(), b.all()};
  const IoRead* done = read(*file, 2 * kPage, pieces);
  EXPECT_FALSE(done->failure);
  EXPECT_TRUE(done->has_waited);
  EXPECT_TRUE(a.text() + b.text() == bytes.substr(2 * kPage, 4 * kPage));
}

TEST_F(Ports, what_is_not_aligned_goes_through_the_cache) {
  const Pages memory(2);
  const std::array odd_length = {memory.all().first(100)};
  const IoRead* done = read(*file, 0, odd_length);
  EXPECT_FALSE(done->failure);
  EXPECT_FALSE(done->has_waited);
  EXPECT_TRUE(memory.text().substr(0, 100) == bytes.substr(0, 100));
  const std::array odd_place = {memory.all()};
  done = read(*file, 3, odd_place);
  EXPECT_FALSE(done->has_waited);
  EXPECT_TRUE(memory.text() == bytes.substr(3, 2 * kPage));
}

TEST_F(Ports, what_was_read_through_the_cache_is_read_through_it_again) {
  const Pages memory(1);
  const std::array pieces = {memory.all()};
  EXPECT_TRUE(read(*file, 0, pieces)->has_waited);
  EXPECT_FALSE(read(*file, 0, pieces, false)->has_waited) << "a request";
  EXPECT_FALSE(read(*file, 0, pieces)->has_waited) << "it is in the cache now";
  EXPECT_TRUE(memory.text() == bytes.substr(0, kPage));
}

TEST_F(Ports, another_engine_reads_the_same_file) {
  const Pages memory(1);
  const std::array pieces = {memory.all()};
  for (int i = 0; i < 3; ++i) {
    const IoRead* done = read(*file, kPage, pieces);
    EXPECT_FALSE(done->failure);
    EXPECT_TRUE(done->has_waited) << i;
    engine = make_system_engine(4);
  }
}

TEST_F(Ports, the_end_of_the_file_is_damage_and_named) {
  const auto cut = opened(folder.write("cut", bytes.substr(0, kPage + 100)));
  const Pages memory(2);
  const std::array pieces = {memory.all()};
  const IoRead* done = read(*cut, 0, pieces);
  ASSERT_TRUE(done->failure);
  EXPECT_EQ(done->failure->result, SKL_DAMAGED);
  EXPECT_EQ(done->failure->offset_bytes, kPage + 100);
}

}  // namespace
}  // namespace seekless::runtime
