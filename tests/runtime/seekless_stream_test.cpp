// Tests assets as std::istream: reading gives the packed bytes, at any place and in any steps.
#include "runtime/include/seekless_stream.hpp"

#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pack/set_maker.h"
#include "tests/runtime/test_context.h"

namespace seekless {
namespace {

using testing::HasSubstr;

struct StreamedGame : SetMaker {
  StreamedGame() : big(noise(700'001, 5)) {
    add_pack("common");
    add("lines", "first\nsecond\n\nlast");
    add("big", big);
    add("none", "");
    write();
  }
  std::string big;
};

TEST(AssetStreams, read_lines_and_words) {
  const StreamedGame game;
  const Context context;
  context.mount(game.folder());
  skl::AssetStream stream(context, "lines");
  std::string line;
  std::string all;
  while (std::getline(stream, line)) all += line + "|";
  EXPECT_EQ(all, "first|second||last|");
  EXPECT_TRUE(stream.eof());
  EXPECT_EQ(stream.error().result, SKL_OK);
}

TEST(AssetStreams, read_in_any_steps) {
  const StreamedGame game;
  const Context context;
  context.mount(game.folder());
  for (const size_t step : {1U, 7U, 4096U, 5000U, 262'144U, 300'000U, 2'000'000U}) {
    skl::AssetStream stream(context, "big");
    std::string all;
    std::string piece(step, '\0');
    while (stream.read(piece.data(), static_cast<std::streamsize>(step)) || stream.gcount() > 0)
      all.append(piece, 0, static_cast<size_t>(stream.gcount()));
    EXPECT_TRUE(all == game.big) << step;
  }
}

TEST(AssetStreams, seek_and_tell) {
  const StreamedGame game;
  const Context context;
  context.mount(game.folder());
  skl::AssetStream stream(context, "big");
  EXPECT_EQ(stream.seekg(0, std::ios::end).tellg(), std::streampos(700'001));
  for (const long at : {0L, 699'999L, 5L, 4'100L, 300'000L, 299'999L}) {
    stream.clear();
    stream.seekg(at);
    EXPECT_EQ(stream.tellg(), std::streampos(at));
    EXPECT_EQ(stream.get(), static_cast<unsigned char>(game.big[static_cast<size_t>(at)]));
    EXPECT_EQ(stream.tellg(), std::streampos(at + 1));
  }
  stream.clear();
  stream.seekg(100);
  stream.get();
  stream.seekg(9, std::ios::cur);
  EXPECT_EQ(stream.get(), static_cast<unsigned char>(game.big[110]));
  EXPECT_FALSE(stream.seekg(-1));
  stream.clear();
  EXPECT_FALSE(stream.seekg(700'002));
}

TEST(AssetStreams, fail_where_there_is_nothing) {
  const StreamedGame game;
  const Context context;
  context.mount(game.folder());
  EXPECT_FALSE(skl::AssetStream(context, "missing"));
  skl::AssetStream empty(context, "none");
  EXPECT_TRUE(empty);
  EXPECT_EQ(empty.get(), std::char_traits<char>::eof());
}

TEST(AssetStreams, say_what_is_damaged) {
  const StreamedGame game;
  const std::string path = game.folder() + "/common.skl";
  std::string bytes = bytes_of_file(path);
  const size_t at = bytes.find("second");
  ASSERT_NE(at, std::string::npos);
  bytes[at] = 'S';
  std::ofstream(path, std::ios::binary) << bytes;
  const Context context;
  context.mount(game.folder());
  skl::AssetStream stream(context, "lines");
  EXPECT_EQ(stream.get(), std::char_traits<char>::eof());
  EXPECT_EQ(stream.error().result, SKL_DAMAGED);
  EXPECT_THAT(stream.error().message, HasSubstr("common.skl"));
}

}  // namespace
}  // namespace seekless
