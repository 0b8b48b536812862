// Contexts and errors for tests of the C functions.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/include/seekless.h"

namespace seekless {

struct Failure : skl_error {
  Failure() : skl_error{sizeof(skl_error), SKL_OK, 0, 0, {}} {}
};

// Requests a whole asset; without a destination, as a lease.
inline skl_request whole(skl_asset asset, void* destination) {
  skl_request request = {};
  request.struct_bytes = sizeof(request);
  request.asset = asset;
  request.length_bytes = SKL_TO_THE_END;
  request.destination = destination;
  return request;
}

class Context {
 public:
  explicit Context(uint64_t budget_bytes = 0) {
    skl_context_options options = {};
    options.memory_budget_bytes = budget_bytes;
    create(options);
  }
  explicit Context(const skl_context_options& options) { create(options); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { skl_context_destroy(context_); }
  operator skl_context*() const { return context_; }

  // Fails the test if the mount fails.
  skl_mount_id mount(const std::string& path, skl_mount_options options = {}) const {
    options.struct_bytes = sizeof(options);
    Failure failure;
    skl_mount_id id = 0;
    EXPECT_EQ(skl_mount(context_, path.c_str(), &options, &id, &failure), SKL_OK)
        << failure.message;
    return id;
  }

  // Returns 0 if there is none.
  skl_asset find(const std::string& path) const {
    skl_asset asset = 0;
    skl_find(context_, path.c_str(), &asset, nullptr);
    return asset;
  }

  // Returns the whole content, "-" if the path isn't found, or the error's message.
  std::string read(const std::string& path) const {
    skl_asset asset = 0;
    uint64_t size = 0;
    if (skl_find(context_, path.c_str(), &asset, &size) != SKL_OK) return "-";
    return read(asset, size);
  }
  std::string read(skl_asset asset, uint64_t size) const {
    std::string content(size, '?');
    size_t got = 0;
    Failure failure;
    if (skl_read(context_, asset, 0, content.data(), content.size(), &got, &failure) != SKL_OK)
      return failure.message;
    return content.substr(0, got);
  }

 private:
  void create(skl_context_options options) {
    options.struct_bytes = sizeof(options);
    EXPECT_EQ(skl_context_create(&options, &context_, nullptr), SKL_OK);
  }
  skl_context* context_ = nullptr;
};

// Returns all paths that are found.
inline std::vector<std::string> listed(skl_context* context) {
  std::vector<std::string> paths;
  const auto visit = [](void* user, const char* path, skl_asset, uint64_t) {
    static_cast<std::vector<std::string>*>(user)->emplace_back(path);
    return 0;
  };
  Failure failure;
  EXPECT_EQ(skl_list(context, visit, &paths, &failure), SKL_OK) << failure.message;
  return paths;
}

}  // namespace seekless
