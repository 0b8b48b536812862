#include "packer/command/internal/command.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packer/command/internal/declared_tool.h"
#include "packer/command/internal/man_page.h"

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Asked {
  uint32_t threads = 8;
  std::string codec = "auto";
  std::string output;
  std::vector<std::string> globs;
  bool is_quick = false;
};

// A tool with one command.
class CommandTest : public testing::Test {
 protected:
  CommandTest() : root_(tool_), command_(root_.add("pack", "Write packs")) {
    command_.option({.name = "-j,--threads", .help = "Threads", .range = OptionRange{1, 64}},
                    asked_.threads);
    command_.option({.name = "--codec", .help = "How", .values = {"auto", "raw", "lz4"}},
                    asked_.codec);
    command_.option({.name = "-o,--output", .takes = "DIR", .help = "Where", .usual = "here"},
                    asked_.output);
    command_.option({.name = "--only", .takes = "GLOB", .help = "Which"}, asked_.globs);
    command_.option({.name = "--quick", .help = "Fast", .not_with = {"--only"}}, asked_.is_quick);
    command_.runs([] { return Result<void>(); });
  }

  // Returns the error that these words cause, or "".
  std::string parse(std::vector<std::string> words) {
    std::ranges::reverse(words);
    words.emplace_back("pack");
    try {
      tool_.app.parse(words);
    } catch (const CLI::ParseError& error) {
      return error.what();
    }
    return "";
  }

  DescribedCommand described() const { return describe_commands(tool_).at(1); }
  const DescribedOption& option(const std::string& name) {
    described_ = described();
    return *std::ranges::find_if(described_.options, [&](const DescribedOption& option) {
      return std::ranges::find(option.names, name) != option.names.end();
    });
  }

  Asked asked_;
  DeclaredTool tool_;
  Command root_;
  Command command_;
  DescribedCommand described_;
};

TEST_F(CommandTest, a_range_is_told_alike_everywhere) {
  EXPECT_EQ(option("-j").placeholder, "1-64");
  EXPECT_EQ(option("-j").default_text, "8");
  EXPECT_THAT(tool_.app.get_subcommand("pack")->help(), HasSubstr("--threads 1-64"));
  EXPECT_THAT(man_page(describe_commands(tool_), described(), "today", "1"), HasSubstr("1\\-64"));
  EXPECT_THAT(parse({"--threads", "65"}), HasSubstr("expected 1 to 64, found '65'"));
  EXPECT_EQ(parse({"--threads", "64"}), "");
  EXPECT_EQ(asked_.threads, 64U);
}

TEST_F(CommandTest, values_are_told_alike_everywhere) {
  EXPECT_EQ(option("--codec").placeholder, "auto|raw|lz4");
  EXPECT_EQ(option("--codec").takes, Takes::one_of);
  EXPECT_THAT(option("--codec").values, ElementsAre("auto", "raw", "lz4"));
  EXPECT_THAT(parse({"--codec", "zip"}), HasSubstr("expected auto, raw, lz4, found 'zip'"));
}

TEST_F(CommandTest, an_option_of_a_list_takes_one_value_each_time) {
  EXPECT_EQ(parse({"--only", "a", "--only", "b"}), "");
  EXPECT_THAT(asked_.globs, ElementsAre("a", "b"));
  EXPECT_TRUE(command_.has("--only"));
  EXPECT_THAT(command_.options_in_order(), ElementsAre("--only", "--only"));
  EXPECT_NE(parse({"--only", "a", "b"}), "");
}

TEST_F(CommandTest, what_contradicts_itself_is_refused) {
  EXPECT_THAT(parse({"--quick", "--only", "a"}), HasSubstr(" excludes "));
}

TEST_F(CommandTest, hidden_commands_are_described_nowhere) {
  root_.group("").add("manual", "Write man pages");
  EXPECT_THAT(describe_commands(tool_).front().subcommands, ElementsAre("pack"));
  EXPECT_EQ(describe_commands(tool_).size(), 2U);
}

}  // namespace
}  // namespace seekless
