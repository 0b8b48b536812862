#include "packer/host/spool.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "packer/host/calls.h"
#include "packer/host/descriptor.h"
#include "packer/host/os_error.h"

namespace seekless {
namespace {

class SpooledSource final : public ByteSource {
 public:
  SpooledSource(std::string name, Descriptor file, uint64_t size_bytes)
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
      const int64_t got = calls::read_at(file_.get(), into.data(), into.size(), offset_bytes);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return failed_call(name_, "read the temporary copy of", got < 0 ? errno : EIO);
      into = into.subspan(static_cast<size_t>(got));
      offset_bytes += static_cast<uint64_t>(got);
    }
    return {};
  }

 private:
  std::string name_;
  Descriptor file_;
  uint64_t size_bytes_;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> spool(ByteStream& stream) {
  const auto failed_copy = [&] {
    return failed_call(stream.name(), "make a temporary copy of", errno);
  };
  Descriptor file(calls::open_nameless());
  if (file.get() < 0) return failed_copy();
  std::vector<std::byte> piece(size_t{256} << 10);
  uint64_t size_bytes = 0;
  for (;;) {
    const auto got = stream.read(piece);
    if (!got) return std::unexpected(got.error());
    if (*got == 0) break;
    for (size_t done = 0; done < *got;) {
      const int64_t put = calls::write(file.get(), piece.data() + done, *got - done);
      if (put < 0 && errno != EINTR) return failed_copy();
      done += static_cast<size_t>(std::max<int64_t>(put, 0));
    }
    size_bytes += *got;
  }
  return std::make_unique<SpooledSource>(stream.name(), std::move(file), size_bytes);
}

}  // namespace seekless
