// Tests the caller's allocator: all tables come from it, it gets them back, and it may fail
// anywhere.
#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <string>

#include <gtest/gtest.h>

#include "runtime/file_io.h"
#include "runtime/pack_format.h"
#include "tests/content/zip_builder.h"
#include "tests/pack/set_maker.h"
#include "tests/runtime/test_context.h"

namespace seekless {
namespace {

class Allocator {
 public:
  // Allocation number `fails_at`, counted from 1, fails; 0 means that none does.
  explicit Allocator(uint64_t fails_at) : fails_at_(fails_at) {}
  ~Allocator() { EXPECT_TRUE(sizes_.empty()) << sizes_.size() << " never released"; }
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  skl_allocator interface() { return {sizeof(skl_allocator), allocate, release, this}; }
  bool has_failed() const { return has_failed_; }
  uint64_t count() const { return count_; }

 private:
  static void* allocate(void* user, size_t size_bytes, size_t alignment_bytes) {
    auto& self = *static_cast<Allocator*>(user);
    const std::lock_guard lock(self.mutex_);
    if (++self.count_ == self.fails_at_) {
      self.has_failed_ = true;
      return nullptr;
    }
    const size_t rounded = format::round_up(std::max<size_t>(size_bytes, 1), alignment_bytes);
    void* const memory = runtime::allocate_aligned(rounded, alignment_bytes);
    if (memory == nullptr) return nullptr;
    self.sizes_[memory] = size_bytes;
    return memory;
  }
  static void release(void* user, void* memory, size_t size_bytes) {
    auto& self = *static_cast<Allocator*>(user);
    const std::lock_guard lock(self.mutex_);
    const auto found = self.sizes_.find(memory);
    ASSERT_NE(found, self.sizes_.end());
    EXPECT_EQ(found->second, size_bytes);
    self.sizes_.erase(found);
    runtime::free_aligned(memory);
  }

  const uint64_t fails_at_;
  std::mutex mutex_;
  std::map<void*, size_t> sizes_;
  uint64_t count_ = 0;
  bool has_failed_ = false;
};

struct Content {
  Content() {
    for (SetMaker* set : {&raw, &packed}) {
      const uint32_t menu = set->add_scenario("menu");
      set->add_pack("p");
      set->add("text", "some text", {menu});
      set->add("large", std::string(100'000, 'x'), {menu});
      set->write({.codec = set == &raw ? format::Codec::raw : format::Codec::lz4});
    }
    loose.write("text", "of a mod");
    loose.write(".skl-deleted", "large\n");
    zip = other.write("z", ZipBuilder{.items = {{.name = "in zip", .content = "zipped"},
                                                {.name = "packed", .content = "x", .method = 8}}}
                               .build());
  }
  SetMaker raw;
  SetMaker packed;
  TestFolder loose;
  TestFolder other;
  std::string zip;
};

// Does everything that a game does, whatever fails on the way.
class Play {
 public:
  Play(const Content& content, Allocator& allocator) : trace_(content.other.path("trace")) {
    const skl_allocator functions = allocator.interface();
    skl_context_options options = {};
    options.struct_bytes = sizeof(options);
    options.allocator = &functions;
    options.inflate = [](void*, const void*, size_t, void* to, size_t) {
      *static_cast<char*>(to) = 'x';
      return SKL_OK;
    };
    if (!fine(skl_context_create(&options, &context_, nullptr))) return;
    fine(skl_recorder_start(context_, trace_.c_str(), nullptr, nullptr));
    for (const std::string& path :
         {content.raw.folder(), content.packed.folder(), content.loose.path(), content.zip}) {
      skl_mount_id id = 0;
      if (fine(skl_mount(context_, path.c_str(), nullptr, &id, nullptr))) mounts_.push_back(id);
      read_all();
      sweep();
    }
    for (const skl_mount_id id : mounts_) {
      // A mount that can't be unmounted for lack of memory still works.
      if (!fine(skl_unmount(context_, id, nullptr))) {
        EXPECT_EQ(skl_unmount(context_, id, nullptr), SKL_OK);
      }
      read_all();
    }
    uint64_t lost = 0;
    skl_recorder_stop(context_, &lost, nullptr);
    skl_context_destroy(context_);
  }

  bool all_fine() const { return all_fine_; }

 private:
  bool fine(skl_result result) {
    EXPECT_TRUE(result >= 0 || result == SKL_OUT_OF_MEMORY) << result;
    all_fine_ &= result >= 0;
    return result >= 0;
  }

  void read_all() {
    const auto visit = [](void* user, const char*, skl_asset asset, uint64_t size) {
      auto& self = *static_cast<Play*>(user);
      std::string bytes(size, '?');
      char path[100];
      skl_hash hash;
      self.fine(skl_read(self.context_, asset, 0, bytes.data(), size, nullptr, nullptr));
      self.fine(skl_read(self.context_, asset, 0, bytes.data(), 1, nullptr, nullptr));
      self.fine(skl_asset_path(self.context_, asset, path, sizeof(path), nullptr, nullptr));
      self.fine(skl_asset_hash(self.context_, asset, &hash, nullptr));
      return 0;
    };
    fine(skl_list(context_, visit, this, nullptr));
  }

  void sweep() {
    skl_sweep* sweep = nullptr;
    const skl_result opened = skl_sweep_open(context_, "menu", &sweep, nullptr);
    if (opened == SKL_NOT_FOUND) return;
    if (!fine(opened)) return;
    skl_lease lease;
    for (int failures = 0; failures < 3;) {
      const skl_result result = skl_sweep_wait(sweep, UINT32_MAX, &lease, nullptr);
      if (result == SKL_END) break;
      if (fine(result)) {
        skl_lease_release(&lease);
      } else {
        ++failures;
      }
    }
    skl_sweep_close(sweep);
  }

  const std::string trace_;
  skl_context* context_ = nullptr;
  std::vector<skl_mount_id> mounts_;
  bool all_fine_ = true;
};

TEST(Allocator, gives_all_tables_and_gets_them_back) {
  const Content content;
  Allocator allocator(0);
  EXPECT_TRUE(Play(content, allocator).all_fine());
  EXPECT_GT(allocator.count(), 20U);
}

TEST(Allocator, may_fail_anywhere) {
  const Content content;
  for (uint64_t n = 1;; ++n) {
    SCOPED_TRACE(n);
    Allocator allocator(n);
    (void)Play(content, allocator);
    if (!allocator.has_failed()) break;
    ASSERT_LT(n, 5000U);
  }
}

TEST(Allocator, needs_both_functions_or_neither) {
  Allocator allocator(0);
  skl_context* context = nullptr;
  for (const bool without_release : {false, true}) {
    skl_allocator half = allocator.interface();
    if (without_release) {
      half.release = nullptr;
    } else {
      half.allocate = nullptr;
    }
    skl_context_options options = {};
    options.struct_bytes = sizeof(options);
    options.allocator = &half;
    EXPECT_EQ(skl_context_create(&options, &context, nullptr), SKL_INVALID);
  }
  const skl_allocator none = {sizeof(none), nullptr, nullptr, nullptr};
  skl_context_options options = {};
  options.struct_bytes = sizeof(options);
  options.allocator = &none;
  ASSERT_EQ(skl_context_create(&options, &context, nullptr), SKL_OK);
  skl_context_destroy(context);
}

}  // namespace
}  // namespace seekless
