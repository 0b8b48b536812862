#include "packer/host/spool.h"

#include <cerrno>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace seekless {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using TemporaryFile = std::unique_ptr<std::FILE, Close>;

class SpooledSource final : public ByteSource {
 public:
  SpooledSource(std::string name, TemporaryFile file, uint64_t size_bytes)
      : name_(std::move(name)), file_(std::move(file)), size_bytes_(size_bytes) {}
  const std::string& name() const override { return name_; }
  uint64_t size_bytes() const override { return size_bytes_; }

  Result<void> read_at(uint64_t offset_bytes, std::span<std::byte> into) const override {
    if (offset_bytes > size_bytes_ || into.size() > size_bytes_ - offset_bytes)
      return damaged({.file = name_,
                      .place = fmt::format("byte {}", offset_bytes),
                      .expected = fmt::format("{} bytes", into.size()),
                      .found = fmt::format("the end, at byte {}", size_bytes_)});
    while (!into.empty()) {
      const ssize_t got = ::pread(::fileno(file_.get()), into.data(), into.size(),
                                  static_cast<off_t>(offset_bytes));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return failed_call(name_, "read the temporary copy of", got < 0 ? errno : EIO);
      into = into.subspan(static_cast<size_t>(got));
      offset_bytes += static_cast<uint64_t>(got);
    }
    return {};
  }

 private:
  std::string name_;
  TemporaryFile file_;
  uint64_t size_bytes_;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> spool(ByteStream& stream) {
  TemporaryFile file(std::tmpfile());
  if (!file) return failed_call(stream.name(), "make a temporary copy of", errno);
  std::vector<std::byte> piece(size_t{256} << 10);
  uint64_t size_bytes = 0;
  for (;;) {
    const auto got = stream.read(piece);
    if (!got) return std::unexpected(got.error());
    if (*got == 0) break;
    if (std::fwrite(piece.data(), 1, *got, file.get()) != *got)
      return failed_call(stream.name(), "make a temporary copy of", errno);
    size_bytes += *got;
  }
  if (std::fflush(file.get()) != 0)
    return failed_call(stream.name(), "make a temporary copy of", errno);
  return std::make_unique<SpooledSource>(stream.name(), std::move(file), size_bytes);
}

}  // namespace seekless
