#include "packer/trace/internal/unpack.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include "packer/trace/dialect.h"

namespace seekless {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string kLog = "7 1.0 read(3</a>, \"x\", 1) = 1 <0.1>\n";

std::string deflate_text(const std::string& text, int window) {
  z_stream state = {};
  EXPECT_EQ(deflateInit2(&state, 9, Z_DEFLATED, window, 9, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&state, text.size()), '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  state.avail_in = static_cast<uInt>(text.size());
  state.next_out = reinterpret_cast<Bytef*>(packed.data());
  state.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&state, Z_FINISH), Z_STREAM_END);
  packed.resize(packed.size() - state.avail_out);
  deflateEnd(&state);
  return packed;
}

std::string gzip(const std::string& text) {
  return deflate_text(text, 15 + 16);
}

std::string zstd(const std::string& text, int window_log = 0) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  EXPECT_EQ(ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)), 0U);
  if (window_log > 0) {
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  }
  std::string packed(ZSTD_compressBound(text.size()) + 100, '\0');
  ZSTD_outBuffer to = {packed.data(), packed.size(), 0};
  ZSTD_inBuffer from = {text.data(), text.size(), 0};
  if (window_log > 0) ZSTD_compressStream2(context, &to, &from, ZSTD_e_flush);
  EXPECT_EQ(ZSTD_compressStream2(context, &to, &from, ZSTD_e_end), 0U);
  ZSTD_freeCCtx(context);
  packed.resize(to.pos);
  return packed;
}

std::string number(uint32_t value, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

// Makes a local header and its data; bit 8 of `flags` puts the sizes after the data.
std::string member(const std::string& name, const std::string& data, uint16_t method,
                   uint16_t flags = 0, bool has_signature = true) {
  const std::string packed = method == 8 ? deflate_text(data, -15) : data;
  const uint32_t known = flags == 8 ? 0 : static_cast<uint32_t>(packed.size());
  std::string bytes = "PK\x03\x04" + number(20, 2) + number(flags, 2) + number(method, 2) +
                      number(0, 4) + number(0, 4) + number(known, 4) + number(0, 4) +
                      number(static_cast<uint32_t>(name.size()), 2) + number(0, 2) + name + packed;
  if (flags == 8)
    bytes += (has_signature ? "PK\x07\x08" : "") + number(0, 4) +
             number(static_cast<uint32_t>(packed.size()), 4) + number(0, 4);
  return bytes;
}
const std::string kDirectory = std::string("PK\x01\x02") + std::string(42, '\0');

std::string read_all(ByteStream& stream) {
  std::string text;
  std::string part(1000, '\0');
  for (;;) {
    const auto got = stream.read(std::as_writable_bytes(std::span(part)));
    EXPECT_TRUE(got) << got.error().message;
    if (!got || *got == 0) return text;
    text.append(part, 0, *got);
  }
}

Result<std::string> unpacked(const std::string& packed) {
  MemoryStream stream("t", packed);
  std::vector<std::string> warnings;
  const auto plain = unpack(stream, warnings);
  if (!plain) return std::unexpected(plain.error());
  std::string text;
  std::string part(1000, '\0');
  for (;;) {
    const auto got = (*plain)->read(std::as_writable_bytes(std::span(part)));
    if (!got) return std::unexpected(got.error());
    if (*got == 0) return text;
    text.append(part, 0, *got);
  }
}

TEST(Unpack, gzip_of_one_and_of_several_members) {
  EXPECT_EQ(unpacked(gzip(kLog)), kLog);
  EXPECT_EQ(unpacked(gzip("a\n") + gzip("b\n") + gzip("")), "a\nb\n");
  EXPECT_EQ(unpacked(gzip(std::string(1 << 20, 'x')))->size(), size_t{1} << 20);
}

TEST(Unpack, zstd_of_one_and_of_several_frames) {
  EXPECT_EQ(unpacked(zstd(kLog)), kLog);
  EXPECT_EQ(unpacked(zstd("a\n") + zstd("b\n") + zstd("")), "a\nb\n");
  EXPECT_EQ(unpacked(gzip(zstd(kLog))), kLog);
  EXPECT_EQ(unpacked(zstd(std::string(1 << 20, 'x')))->size(), size_t{1} << 20);
}

TEST(Unpack, a_zstd_frame_that_wants_more_than_128_mib_is_refused) {
  EXPECT_EQ(unpacked(zstd(kLog, 27)), kLog);
  EXPECT_THAT(unpacked(zstd(kLog, 28)).error().message, HasSubstr("--long"));
}

TEST(Unpack, packings_that_are_not_undone_are_named_with_what_does) {
  EXPECT_THAT(unpacked(std::string("\xfd\x37zXZ\0...", 9)).error().message, HasSubstr("xz -dc"));
  EXPECT_THAT(unpacked("BZh91AY").error().message, HasSubstr("bzip2 -dc"));
  EXPECT_THAT(unpacked("7z\xbc\xaf\x27\x1c").error().message, HasSubstr("7z x"));
}

TEST(Unpack, what_is_cut_short_gives_its_front_and_one_warning) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i * 7919 % 100'003) + "\n";
  for (const std::string& packed : {gzip(text), zstd(text)})
    for (const size_t length : {packed.size() / 2, packed.size() - 1}) {
      MemoryStream stream("t", packed.substr(0, length));
      std::vector<std::string> warnings;
      const auto plain = unpack(stream, warnings);
      ASSERT_TRUE(plain);
      const std::string front = read_all(**plain);
      EXPECT_GT(front.size(), text.size() / 5) << length;
      EXPECT_TRUE(text.starts_with(front));
      ASSERT_EQ(warnings.size(), 1U);
      EXPECT_THAT(warnings[0], HasSubstr("what was cut off"));
    }
}

TEST(Unpack, a_zip_of_one_file_however_it_is_written) {
  EXPECT_EQ(unpacked(member("t.csv", kLog, 8) + kDirectory), kLog);
  EXPECT_EQ(unpacked(member("t.csv", kLog, 0) + kDirectory), kLog);
  EXPECT_EQ(unpacked(member("t.csv", kLog, 8, 8) + kDirectory), kLog);
  EXPECT_EQ(unpacked(member("d/", "", 0) + member("d/t.csv", kLog, 8) +
                     member("__MACOSX/d/._t.csv", "mac", 8) + kDirectory),
            kLog);
  EXPECT_EQ(unpacked(member("d/t", kLog, 8, 8) + member("e/", "", 0) + kDirectory), kLog);
}

TEST(Unpack, a_zip_of_several_files_names_the_second) {
  const auto text = unpacked(member("a", kLog, 8) + member("b.csv", kLog, 8) + kDirectory);
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message, AllOf(HasSubstr("'b.csv'"), HasSubstr("unpack it")));
}

TEST(Unpack, a_zip_without_a_file_or_with_an_encrypted_one_is_refused) {
  EXPECT_THAT(unpacked(member("d/", "", 0) + kDirectory).error().message, HasSubstr("none"));
  EXPECT_THAT(unpacked(member("a", kLog, 8, 1) + kDirectory).error().message,
              HasSubstr("encrypted"));
  EXPECT_THAT(unpacked(member("a", kLog, 0, 8) + kDirectory).error().message, HasSubstr("'a'"));
}

TEST(Unpack, packed_within_packed_to_a_depth) {
  EXPECT_EQ(unpacked(member("t.csv.gz", gzip(kLog), 0) + kDirectory), kLog);
  EXPECT_EQ(unpacked(gzip(gzip(gzip(kLog)))), kLog);
  EXPECT_THAT(unpacked(gzip(gzip(gzip(gzip(kLog))))).error().message,
              HasSubstr("within what was unpacked"));
}

TEST(Unpack, every_truncation_of_a_zip_is_an_error_but_of_its_directory) {
  for (const std::string& packed :
       {member("t", kLog, 8) + kDirectory, member("t", kLog, 0) + kDirectory})
    for (size_t length = 5; length < packed.size(); ++length) {
      const auto text = unpacked(packed.substr(0, length));
      if (text)
        EXPECT_EQ(*text, kLog) << length;
      else
        EXPECT_EQ(text.error().kind, ErrorKind::damaged);
    }
}

TEST(Unpack, damage_is_an_error) {
  std::string packed = gzip(kLog);
  packed[packed.size() - 6] ^= 1;  // in the CRC
  EXPECT_FALSE(unpacked(packed));
  packed = zstd(kLog);
  packed.back() ^= 1;  // in the checksum
  EXPECT_FALSE(unpacked(packed));
}

TEST(Unpack, a_bomb_ends) {
  const std::string bomb = gzip(gzip(std::string(size_t{300} << 20, '\n')));
  ASSERT_LT(bomb.size(), size_t{64} << 10);
  const auto text = unpacked(bomb);
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message, HasSubstr("at most"));
}

TEST(Unpack, a_packed_trace_is_recognised_and_read) {
  MemoryStream stream("t", member("x.gz", gzip(kLog), 0) + kDirectory);
  Trace trace;
  const auto report = import_trace(stream, {}, trace);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->dialect, "strace");
  EXPECT_EQ(report->reads, 1U);
}

}  // namespace
}  // namespace seekless
