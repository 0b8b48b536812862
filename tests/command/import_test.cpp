#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "packer/command/internal/declared_tool.h"
#include "packer/trace/dialect.h"
#include "tests/content/test_folder.h"

namespace seekless {

void add_import(const Command& tool);

namespace {

using testing::HasSubstr;

constexpr const char* kTrace =
    "7 1795226612.469080 read(3</g/a.pak>, \"x\"..., 65536) = 65536 <0.000050>\n"
    "7 1795226612.470080 read(3</g/a.pak>, \"x\"..., 65536) = 10 <0.000050>\n";

class ImportCommand : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path(name); }
  std::string file(const std::string& name, const std::string& content) const {
    return folder_.write(name, content);
  }
  static Result<void> run(std::vector<std::string> arguments) {
    DeclaredTool tool;
    add_import(Command(tool));
    arguments.insert(arguments.begin(), "import");
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    tool.app.parse(reversed);
    return tool.chosen();
  }
  Json answer() const {
    std::ifstream in(path("answer.json"));
    return Json::parse(in);
  }
  size_t files() const {
    return static_cast<size_t>(
        std::distance(std::filesystem::directory_iterator(folder_.path()), {}));
  }

  TestFolder folder_;
};

TEST_F(ImportCommand, writes_a_trace_that_can_be_read_and_tells_what_it_holds) {
  const std::string input = file("map.2.strace", kTrace);
  ASSERT_TRUE(run({input, "-o", path("out.jsonl"), "--json", path("answer.json")}));
  Trace trace;
  const auto report = read_trace(path("out.jsonl"), {}, trace);
  ASSERT_TRUE(report);
  EXPECT_EQ(trace.events.size(), 2U);
  EXPECT_EQ(trace.header.scenario, "map");
  EXPECT_EQ(trace.header.dialect, "strace");
  EXPECT_EQ(answer()["command"], "import");
  const Json one = answer()["inputs"][0];
  EXPECT_EQ(one["scenario"], "map");
  EXPECT_EQ(one["reads"], 2);
  EXPECT_EQ(one["bytes"], 65546);
  EXPECT_EQ(one["paths"], 1);
  EXPECT_EQ(one["unparsed_lines"], 0);
  EXPECT_NEAR(one["seconds"].get<double>(), 0.00105, 1e-9);
}

TEST_F(ImportCommand, several_inputs_go_into_a_folder_under_their_own_names) {
  ASSERT_TRUE(run({file("a.1.strace", kTrace), file("a.2.strace", kTrace), "-o", path("new/")}));
  for (const char* name : {"new/a.1.jsonl.lz4", "new/a.2.jsonl.lz4"}) {
    Trace trace;
    ASSERT_TRUE(read_trace(path(name), {}, trace)) << name;
    EXPECT_EQ(trace.header.scenario, "a");
  }
}

TEST_F(ImportCommand, several_inputs_and_one_file_are_wrong_usage) {
  const auto done =
      run({file("a.strace", kTrace), file("b.strace", kTrace), "-o", path("out.jsonl")});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::usage);
  EXPECT_THAT(done.error().message, HasSubstr("a folder for 2 inputs"));
}

TEST_F(ImportCommand, inputs_that_would_become_one_file_are_wrong_usage) {
  const auto done = run({file("x/a.strace", kTrace), file("y/a.strace", kTrace), "-o", path("o/")});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::usage);
}

TEST_F(ImportCommand, a_trace_without_an_event_left_is_damaged_and_says_why) {
  const auto left_out = run({file("a.strace", kTrace), "-o", path("o/"), "--only", "*.zip"});
  ASSERT_FALSE(left_out);
  EXPECT_EQ(left_out.error().kind, ErrorKind::damaged);
  EXPECT_THAT(left_out.error().message, HasSubstr("2 reads, all of paths that --only"));
  const auto none = run({file("a.strace", "7 brk(NULL) = 0x1\n"), "-o", path("o/")});
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("1 line of strace without one"));
  EXPECT_EQ(files(), 1U) << "nothing is left behind but the input";
}

TEST_F(ImportCommand, bad_rules_and_formats_are_wrong_usage) {
  const std::string input = file("a.strace", kTrace);
  EXPECT_EQ(run({input, "-o", path("o"), "--map", "x"}).error().kind, ErrorKind::usage);
  EXPECT_THROW(run({input, "-o", path("o"), "--format", "x"}), CLI::ValidationError);
  EXPECT_EQ(run({input, "-o", "-"}).error().kind, ErrorKind::usage);
  EXPECT_EQ(files(), 1U);
}

TEST_F(ImportCommand, options_do_not_swallow_inputs) {
  ASSERT_TRUE(run({"--map", "/g=/c", "--only", "/c/*", file("a.strace", kTrace), "-o",
                   path("out.jsonl"), "--scenario", "boot"}));
  Trace trace;
  ASSERT_TRUE(read_trace(path("out.jsonl"), {}, trace));
  EXPECT_EQ(trace.paths, std::vector<std::string>{"/c/a.pak"});
  EXPECT_EQ(trace.header.scenario, "boot");
}

TEST_F(ImportCommand, missing_input_leaves_nothing) {
  const auto done = run({path("missing.strace"), "-o", path("o/")});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::failed);
  EXPECT_EQ(files(), 0U);
}

}  // namespace
}  // namespace seekless
