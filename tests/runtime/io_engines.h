// Runs tests that make the same claims for both ways to read many ranges at once.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/io_engine.h"
#include "tests/content/test_folder.h"
#include "tests/pack/set_maker.h"

namespace seekless::runtime {

using Bytes = std::vector<std::byte>;

inline std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class IoEngineTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    engine = make(4);
    if (engine == nullptr) GTEST_SKIP() << "the system or the build has no way of its own";
  }
  static std::unique_ptr<IoEngine> make(uint32_t depth) {
    return std::string(GetParam()) == "threads" ? make_threads_engine(depth)
                                                : make_system_engine(depth);
  }

  std::unique_ptr<File> file_of(const std::string& content) {
    const std::string path = folder.write("f", content);
    return std::move(*make_system_file_io()->open(path));
  }

  IoRead* reap_one() {
    IoRead* done = nullptr;
    for (int i = 0; i < 1000; ++i)
      if (engine->reap(std::span(&done, 1), 10) == 1) return done;
    return nullptr;
  }

  TestFolder folder;
  std::unique_ptr<IoEngine> engine;
};

}  // namespace seekless::runtime
