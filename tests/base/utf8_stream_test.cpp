#include "packer/base/utf8_stream.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace seekless {
namespace {

// Delivers as few bytes per read as a stream may.
class SlowStream final : public ByteStream {
 public:
  explicit SlowStream(std::string bytes) : stream_("slow", std::move(bytes)) {}
  const std::string& name() const override { return stream_.name(); }
  Result<size_t> read(std::span<std::byte> into) override {
    return stream_.read(into.first(std::min<size_t>(into.size(), 1)));
  }

 private:
  MemoryStream stream_;
};

std::string all_of(const std::string& bytes) {
  Utf8Stream text(std::make_unique<SlowStream>(bytes));
  std::string all;
  std::byte piece[7];
  for (;;) {
    const auto got = text.read(piece);
    if (!got || *got == 0) return all;
    for (size_t i = 0; i < *got; ++i) all += static_cast<char>(piece[i]);
  }
}

std::string utf16(const std::u16string& text, bool is_big) {
  std::string bytes;
  for (const char16_t unit : text) {
    const char high = static_cast<char>(unit >> 8);
    const char low = static_cast<char>(unit & 0xff);
    bytes += is_big ? high : low;
    bytes += is_big ? low : high;
  }
  return bytes;
}

TEST(Utf8Stream, decodes_utf16_of_either_order_with_a_mark_and_without) {
  const std::u16string text = u"C:\\Spiele\\Über\\游戏 😀.pak\r\n";
  const std::string expected = "C:\\Spiele\\Über\\游戏 😀.pak\r\n";
  for (const bool is_big : {false, true}) {
    EXPECT_EQ(all_of(utf16(u"\ufeff" + text, is_big)), expected);
    EXPECT_EQ(all_of(utf16(text, is_big)), expected);
    EXPECT_EQ(utf8_text(utf16(u"\ufeff" + text, is_big)), expected);
    EXPECT_EQ(utf8_text(utf16(text, is_big)), expected);
  }
  EXPECT_EQ(all_of("\xef\xbb\xbf"
                   "a"),
            "a");
  EXPECT_EQ(all_of("\xef\xbb\xbf"), "");
  EXPECT_EQ(all_of("\xff\xfe"), "");
}

TEST(Utf8Stream, passes_on_what_is_neither) {
  using namespace std::string_literals;
  for (const std::string& bytes :
       {""s, "a"s, "ab"s, "{}"s, "\xef\xbb"s, "a\xff\xfe"s, "PML_\x09\0\0\0\x01\0\0\0"s,
        "a\0b\0\0\0"s, "\0\0a\0"s, "a\0\x01\0"s, "\x04\x22\x4d\x18"s,
        "\xdc"
        "ber"s,
        std::string(600, '\0'), "\x80\x02\0\0\x80\x02\0\0"s}) {
    EXPECT_EQ(all_of(bytes), bytes);
    EXPECT_EQ(utf8_text(bytes), bytes);
  }
}

TEST(Utf8Stream, a_cut_unit_becomes_a_replacement) {
  EXPECT_EQ(all_of(std::string("\xff\xfe"
                               "a\0b",
                               5)),
            "a\xef\xbf\xbd");
}

}  // namespace
}  // namespace seekless
