#include <algorithm>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/pack/file_edit.h"
#include "packer/pack/verify.h"
#include "packer/patch/apply.h"
#include "packer/patch/internal/patch_file.h"
#include "packer/patch/patch_writer.h"
#include "tests/pack/set_maker.h"

namespace seekless {
namespace {

using testing::HasSubstr;

// Two packs before and three afterwards: one edited, one removed, one unchanged, one new.
struct Patched : testing::Test {
  Patched() {
    old.add_pack("common");
    now.add_pack("common");
    for (uint64_t i = 0; i < 20; ++i) {
      old.add("a" + std::to_string(i), noise(30'000 + i, i));
      if (i != 4) now.add("a" + std::to_string(i), noise(30'000 + i, i == 7 ? 700 : i));
    }
    now.add("texts", std::string(50'000, 't'));
    old.add_pack("same");
    old.add("s", noise(90'000, 50));
    now.add_pack("same");
    now.add("s", noise(90'000, 50));
    old.add_pack("gone");
    old.add("g", noise(80'000, 51));
    now.add_pack("new");
    now.add("g", noise(80'000, 51));
    now.add("n", noise(10'000, 52));
    old.write();
    now.write();
    patch = folder.path("patch.skp");
    const auto written = make(old.folder(), now.folder(), patch);
    EXPECT_TRUE(written) << written.error().message;
    size = written.value_or(WrittenPatch());
  }

  static Result<WrittenPatch> make(const std::string& from, const std::string& to,
                                   const std::string& path) {
    const auto before = open_set_files(from);
    if (!before) return std::unexpected(before.error());
    const auto after = open_set_files(to);
    if (!after) return std::unexpected(after.error());
    return write_patch(*before, *after, path, nullptr);
  }

  std::string copy_of_old(const std::string& name) const {
    std::filesystem::copy(old.folder(), folder.path(name));
    return folder.path(name);
  }

  SetMaker old;
  SetMaker now;
  TestFolder folder;
  std::string patch;
  WrittenPatch size;
};

TEST_F(Patched, holds_little_more_than_what_is_new) {
  EXPECT_LT(size.patch_bytes, 30'007U + 10'000U + 60'000U);
  EXPECT_GT(size.copied_bytes, 500'000U);
  EXPECT_GT(size.same_bytes, 90'000U);
}

// Each copy lies between other assets, so that its first and last chunks differ.
TEST(PatchOfCopies, brings_an_edited_asset_once) {
  SetMaker old;
  SetMaker now;
  for (uint64_t pack = 0; pack < 10; ++pack)
    for (SetMaker* set : {&old, &now}) {
      set->add_pack("pack" + std::to_string(pack));
      set->add("front" + std::to_string(pack), noise(100'000, 100 + pack));
      set->add("edited", noise(200'000, set == &old ? 1 : 2));
      set->add("back" + std::to_string(pack), noise(100'000, 200 + pack));
    }
  old.write();
  now.write();
  const TestFolder folder;
  const std::string patch = folder.path("patch.skp");
  const auto written = Patched::make(old.folder(), now.folder(), patch);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_LT(written->patch_bytes, 500'000U);
  EXPECT_GT(written->repeated_bytes, 1'500'000U);
  const auto applied = apply_patch(old.folder(), patch, folder.path("out"), nullptr);
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_TRUE(files_in(folder.path("out")) == files_in(now.folder()));
}

TEST_F(Patched, is_the_same_each_time) {
  const std::string first = bytes_of_file(patch);
  ASSERT_TRUE(make(old.folder(), now.folder(), folder.path("again")));
  EXPECT_TRUE(bytes_of_file(folder.path("again")) == first);
}

TEST_F(Patched, makes_the_new_set_beside_the_old) {
  const auto applied = apply_patch(old.folder(), patch, folder.path("out"), nullptr);
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_TRUE(files_in(folder.path("out")) == files_in(now.folder()));
}

TEST_F(Patched, makes_the_new_set_in_place) {
  const std::string set = copy_of_old("set");
  const auto applied = apply_in_place(set, patch, {}, nullptr);
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_TRUE(files_in(set) == files_in(now.folder()));
  EXPECT_EQ(applied->files_kept, 1U);
  const auto again = apply_in_place(set, patch, {}, nullptr);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->files_made, 0U);
  EXPECT_TRUE(files_in(set) == files_in(now.folder()));
}

TEST_F(Patched, goes_on_in_place_from_wherever_it_was_left) {
  const std::vector<std::string> order = {"common.skl", "new.skl", "catalog.skl"};
  for (size_t done = 0; done <= order.size(); ++done) {
    const std::string set = copy_of_old("set" + std::to_string(done));
    for (size_t i = 0; i < done; ++i) {
      std::filesystem::remove(set + "/" +
                              order[i]);  // GCC's library for Windows overwrites nothing
      std::filesystem::copy_file(now.file(order[i]), set + "/" + order[i]);
    }
    std::filesystem::create_directory(set + "/.seekless-new");
    std::ofstream(set + "/.seekless-new/.seekless-1-0.tmp") << "half";
    std::ofstream(set + "/.seekless-new/new.skl") << "half";
    const auto applied = apply_in_place(set, patch, {}, nullptr);
    ASSERT_TRUE(applied) << done << ": " << applied.error().message;
    EXPECT_TRUE(files_in(set) == files_in(now.folder())) << done;
  }
}

// A pack of half a megabyte with an asset edited in its middle, and another that has grown by an
// asset.
struct Edited : testing::Test {
  Edited() {
    for (SetMaker* set : {&old, &now}) {
      for (const char* name : {"edited", "longer", "shorter"}) {
        set->add_pack(name);
        for (uint64_t i = 0; i < 10; ++i)
          set->add(
              std::string(name) + std::to_string(i),
              noise(50'000, i == 5 && set == &now && name[0] == 'e' ? 1000 : name[0] * 20 + i));
        const bool is_long = (name[0] == 'l') == (set == &now);
        if (name[0] != 'e' && is_long) set->add(std::string(name) + " end", noise(9000, 7));
      }
      set->write();
    }
    patch = folder.path("patch.skp");
    EXPECT_TRUE(Patched::make(old.folder(), now.folder(), patch));
  }

  std::string copy_of_old(const std::string& name) const {
    std::filesystem::copy(old.folder(), folder.path(name));
    return folder.path(name);
  }

  SetMaker old;
  SetMaker now;
  TestFolder folder;
  std::string patch;
};

TEST_F(Edited, file_by_file_a_pack_of_which_most_stays_is_edited_in_its_place) {
  const std::string set = copy_of_old("set");
  for (const char* name : {"edited", "longer", "shorter"})
    std::filesystem::create_hard_link(set + "/" + name + ".skl", folder.path(name));
  const auto applied = apply_in_place(set, patch, {.is_file_by_file = true}, nullptr);
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_TRUE(files_in(set) == files_in(now.folder()));
  EXPECT_EQ(applied->files_made, 4U);
  EXPECT_LT(applied->written_bytes, 600'000U) << "of 1.5 MB";
  for (const char* name : {"edited", "longer", "shorter"})
    EXPECT_TRUE(bytes_of_file(folder.path(name)) == bytes_of_file(set + "/" + name + ".skl"))
        << name << ": not the same file";
}

// A kill may leave a whole journal, with any part of its bytes written.
TEST_F(Edited, an_edit_that_was_begun_is_carried_through) {
  const std::string before = bytes_of_file(old.file("edited.skl"));
  const std::string after = bytes_of_file(now.file("edited.skl"));
  ASSERT_EQ(before.size(), after.size());
  const auto from = static_cast<size_t>(std::ranges::mismatch(before, after).in1 - before.begin());
  for (size_t written = 0; written < after.size(); written += 97'007) {
    const std::string set = copy_of_old("set" + std::to_string(written));
    std::filesystem::create_directory(set + "/.seekless-new");
    const std::string journal = set + "/.seekless-new/edited.skl.edit";
    auto edit = FileEdit::create(journal, set + "/edited.skl", after.size());
    ASSERT_TRUE(edit) << edit.error().message;
    for (size_t at = from; at < after.size(); at += 30'000)
      ASSERT_TRUE(edit->put(at, std::as_bytes(std::span(after))
                                    .subspan(at, std::min<size_t>(30'000, after.size() - at))));
    ASSERT_TRUE(edit->commit());
    std::ofstream(set + "/edited.skl", std::ios::binary)
        << after.substr(0, written) + before.substr(written);
    const auto applied = apply_in_place(set, patch, {}, nullptr);
    ASSERT_TRUE(applied) << written << ": " << applied.error().message;
    EXPECT_TRUE(files_in(set) == files_in(now.folder())) << written;
  }
}

TEST_F(Edited, a_damaged_journal_is_refused_and_changes_nothing) {
  const std::string set = copy_of_old("set");
  std::filesystem::create_directory(set + "/.seekless-new");
  const std::string journal = set + "/.seekless-new/edited.skl.edit";
  {
    auto edit = FileEdit::create(journal, set + "/edited.skl", 1'000'000);
    ASSERT_TRUE(edit);
    ASSERT_TRUE(edit->put(0, std::as_bytes(std::span(std::string_view("front")))));
    ASSERT_TRUE(edit->put(5, std::as_bytes(std::span(std::string_view("and on")))));
    ASSERT_TRUE(edit->put(700'000, std::as_bytes(std::span(std::string_view("behind")))));
    ASSERT_TRUE(edit->commit());
  }
  const std::string whole = bytes_of_file(journal);
  const std::string before = bytes_of_file(set + "/edited.skl");
  for (size_t at = 0; at < whole.size(); ++at)
    for (const bool cuts : {false, true}) {
      std::string wrong = cuts ? whole.substr(0, at) : whole;
      if (!cuts) wrong[at] = static_cast<char>(wrong[at] ^ 0x10);
      std::ofstream(journal, std::ios::binary) << wrong;
      const auto applied = apply_in_place(set, patch, {}, nullptr);
      ASSERT_FALSE(applied) << at;
      EXPECT_EQ(applied.error().kind, ErrorKind::damaged);
      EXPECT_TRUE(bytes_of_file(set + "/edited.skl") == before) << at;
    }
  std::ofstream(journal, std::ios::binary) << whole;
  ASSERT_TRUE(carry_out_edit(journal, set + "/edited.skl"));
  const std::string edited = bytes_of_file(set + "/edited.skl");
  EXPECT_EQ(edited.size(), 1'000'000U);
  EXPECT_EQ(edited.substr(0, 11), "frontand on");
  EXPECT_EQ(edited.substr(11, 1000), before.substr(11, 1000));
  EXPECT_EQ(edited.substr(700'000, 6), "behind");
  EXPECT_FALSE(std::filesystem::exists(journal));
}

// Each old file is read once: one that stays is hashed, and a replaced one is read while its
// successor is made.
TEST_F(Edited, damage_in_a_pack_that_is_replaced_is_found_before_any_is) {
  const std::string set = copy_of_old("set");
  {
    std::fstream file(set + "/shorter.skl", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(200'000);
    file.put('!');
  }
  const auto before = files_in(set);
  for (const bool by_file : {false, true}) {
    const auto applied = apply_in_place(set, patch, {.is_file_by_file = by_file}, nullptr);
    ASSERT_FALSE(applied);
    EXPECT_THAT(applied.error().message, HasSubstr("shorter.skl"));
    EXPECT_TRUE(files_in(set) == before);
  }
  const auto beside = apply_patch(set, patch, folder.path("out"), nullptr);
  ASSERT_FALSE(beside);
  EXPECT_THAT(beside.error().message, HasSubstr("shorter.skl"));
  EXPECT_FALSE(std::filesystem::exists(folder.path("out")));
}

TEST_F(Patched, refuses_another_base_and_names_both) {
  for (const bool in_place : {false, true}) {
    SetMaker other;
    other.add_pack("common");
    other.add("a", "b");
    other.write();
    const auto before = files_in(other.folder());
    const auto applied = in_place ? apply_in_place(other.folder(), patch, {}, nullptr)
                                  : apply_patch(other.folder(), patch, folder.path("x"), nullptr);
    ASSERT_FALSE(applied);
    EXPECT_THAT(applied.error().message, HasSubstr(id_text(open_set_files(old.folder())->id)));
    EXPECT_THAT(applied.error().message, HasSubstr(id_text(open_set_files(other.folder())->id)));
    EXPECT_TRUE(files_in(other.folder()) == before);
  }
}

TEST_F(Patched, refuses_a_base_with_a_flipped_bit) {
  const std::string set = copy_of_old("set");
  {
    std::fstream file(set + "/same.skl", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(50'000);
    file.put('!');
  }
  const auto before = files_in(set);
  EXPECT_FALSE(apply_patch(set, patch, folder.path("out"), nullptr));
  EXPECT_FALSE(std::filesystem::exists(folder.path("out")));
  EXPECT_FALSE(apply_in_place(set, patch, {}, nullptr));
  EXPECT_TRUE(files_in(set) == before);
}

TEST_F(Patched, of_single_packs_works_whatever_they_are_called) {
  const std::string single = folder.path("single.skp");
  ASSERT_TRUE(make(old.file("common.skl"), now.file("common.skl"), single));
  std::filesystem::copy_file(old.file("common.skl"), folder.path("mine.skl"));
  ASSERT_TRUE(apply_patch(folder.path("mine.skl"), single, folder.path("made.skl"), nullptr));
  EXPECT_TRUE(bytes_of_file(folder.path("made.skl")) == bytes_of_file(now.file("common.skl")));
  ASSERT_TRUE(apply_in_place(folder.path("mine.skl"), single, {}, nullptr));
  EXPECT_TRUE(bytes_of_file(folder.path("mine.skl")) == bytes_of_file(now.file("common.skl")));
  EXPECT_FALSE(make(old.folder(), now.file("common.skl"), single)) << "a set and a pack";
}

TEST_F(Patched, every_truncation_is_refused) {
  const std::string bytes = bytes_of_file(patch);
  for (size_t length = 0; length < bytes.size(); length += length < 2000 ? 1 : 97) {
    const std::string part = folder.write("part", bytes.substr(0, length));
    const auto source = open_source(part);
    ASSERT_TRUE(source);
    const auto read = read_patch(**source);
    ASSERT_FALSE(read) << length;
    EXPECT_EQ(read.error().kind, ErrorKind::damaged);
  }
}

TEST_F(Patched, every_flipped_byte_is_found_and_the_old_set_stays) {
  const std::string bytes = bytes_of_file(patch);
  const std::string set = copy_of_old("set");
  const auto before = files_in(set);
  for (size_t at = 0; at < bytes.size(); at += at < sizeof(PatchHeader) ? 1 : 331) {
    std::string damaged_bytes = bytes;
    damaged_bytes[at] = static_cast<char>(damaged_bytes[at] ^ 0x40);
    const auto applied =
        apply_patch(set, folder.write("bad", damaged_bytes), folder.path("out"), nullptr);
    ASSERT_FALSE(applied) << at;
    EXPECT_FALSE(std::filesystem::exists(folder.path("out")));
  }
  EXPECT_TRUE(files_in(set) == before);
}

// Makes a patch of one pack that is right except for a new file's name.
std::string forged(const std::string& patch, Patch tables_of, const std::string& name) {
  tables_of.new_files.back().name = name;
  PatchHeader header;
  std::memcpy(&header, patch.data(), sizeof(header));
  const PatchTables tables = build_patch_tables(tables_of, header.table_offset_bytes);
  std::string bytes(reinterpret_cast<const char*>(&tables.header), sizeof(tables.header));
  bytes += patch.substr(bytes.size(), header.table_offset_bytes - bytes.size());
  bytes.append(reinterpret_cast<const char*>(tables.bytes.data()), tables.bytes.size());
  return bytes;
}

double seconds_of_this_thread() {
  timespec now = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// Checks a patch of this many files, all replaced, with the names in the opposite order.
double seconds_to_check(size_t files) {
  Patch patch;
  for (size_t i = 0; i < files; ++i) {
    PatchedFile old;
    old.name = "p" + std::to_string(i) + ".skl";
    patch.old_files.push_back(old);
  }
  patch.new_files.assign(patch.old_files.rbegin(), patch.old_files.rend());
  const PatchTables tables = build_patch_tables(patch, sizeof(PatchHeader));
  std::vector<std::byte> bytes(sizeof(PatchHeader));
  std::memcpy(bytes.data(), &tables.header, sizeof(PatchHeader));
  bytes.insert(bytes.end(), tables.bytes.begin(), tables.bytes.end());
  const MemorySource source("forged", std::move(bytes));
  const double begin = seconds_of_this_thread();
  const auto read = read_patch(source);
  EXPECT_TRUE(read) << read.error().message;
  return seconds_of_this_thread() - begin;
}

TEST(PatchFile, is_checked_in_time_that_grows_with_its_files) {
  seconds_to_check(20'000);  // warms up
  const double few = seconds_to_check(20'000);
  const double many = seconds_to_check(320'000);
  // It would be 256 times if the check were quadratic.
  EXPECT_LT(many, 16 * 5 * few) << few << " s for 20,000";
}

TEST_F(Patched, can_name_no_file_elsewhere) {
  const auto source = open_source(patch);
  ASSERT_TRUE(source);
  const auto read = read_patch(**source);
  ASSERT_TRUE(read);
  const auto is_read = [&](const std::string& name) {
    const auto with_name =
        open_source(folder.write("forged", forged(bytes_of_file(patch), *read, name)));
    return with_name && read_patch(**with_name).has_value();
  };
  EXPECT_TRUE(is_read("catalog.skl"));
  EXPECT_TRUE(is_read("other.skl"));
  for (const char* name : {"../out.skl", "a/b.skl", "/out.skl", "out.txt", "", "..", "common.skl"})
    EXPECT_FALSE(is_read(name)) << name;
}

}  // namespace
}  // namespace seekless
