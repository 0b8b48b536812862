#include "runtime/recorded_trace.h"

#include <chrono>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <lz4frame.h>

#include "runtime/trace_text.h"

namespace seekless::runtime {
namespace {

// An LZ4 frame. Its blocks are linked, because lines repeat text from up to 64 KiB before, and it
// has a checksum of the whole. It allocates all of its memory at the start.
class TraceFrame {
 public:
  TraceFrame() {
    LZ4F_preferences_t preferences = {};
    preferences.frameInfo.blockMode = LZ4F_blockLinked;
    preferences.frameInfo.blockSizeID = LZ4F_max64KB;
    preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
    packed_.resize(LZ4F_HEADER_SIZE_MAX +
                   LZ4F_compressBound(RecordedForm::kWriteBytes, &preferences) +
                   LZ4F_compressBound(0, &preferences));
    if (LZ4F_isError(LZ4F_createCompressionContext(&context_, LZ4F_VERSION)) == 0) {
      size_bytes_ = LZ4F_compressBegin(context_, packed_.data(), packed_.size(), &preferences);
      if (LZ4F_isError(size_bytes_) == 0) return;
    }
    LZ4F_freeCompressionContext(context_);
    throw std::bad_alloc();
  }
  TraceFrame(const TraceFrame&) = delete;
  TraceFrame& operator=(const TraceFrame&) = delete;
  ~TraceFrame() { LZ4F_freeCompressionContext(context_); }

  // Adds the text to the file. Afterwards, everything added so far can be decompressed from the
  // file.
  Result<void> add(std::string_view text, bool is_last, OutputFile& file) {
    do {
      const std::string_view piece = text.substr(0, RecordedForm::kWriteBytes);
      text.remove_prefix(piece.size());
      bool sound = put([&](char* to, size_t room) {
        return LZ4F_compressUpdate(context_, to, room, piece.data(), piece.size(), nullptr);
      });
      sound = sound && put([&](char* to, size_t room) {
                return is_last && text.empty() ? LZ4F_compressEnd(context_, to, room, nullptr)
                                               : LZ4F_flush(context_, to, room, nullptr);
              });
      if (!sound) return make_error(SKL_IO, {"recording: LZ4 can't pack the trace"});
      const auto packed = std::span(packed_).first(std::exchange(size_bytes_, 0));
      if (auto written = file.append(std::as_bytes(packed)); !written) return written;
    } while (!text.empty());
    return {};
  }

 private:
  template <typename Pack>
  bool put(Pack pack) {
    const size_t put = pack(packed_.data() + size_bytes_, packed_.size() - size_bytes_);
    if (LZ4F_isError(put) != 0) return false;
    size_bytes_ += put;
    return true;
  }

  LZ4F_cctx* context_ = nullptr;
  std::vector<char> packed_;
  size_t size_bytes_ = 0;  // bytes not written yet
};

class RecordedTrace final : public RecordedForm {
 public:
  RecordedTrace(std::unique_ptr<OutputFile>&& file, const NameSpace& names,
                std::string_view scenario)
      : names_(names), file_(std::move(file)) {
    const auto wall = std::chrono::system_clock::now().time_since_epoch();
    const auto began = std::chrono::duration_cast<std::chrono::microseconds>(wall).count();
    lines_.begin(scenario, static_cast<uint64_t>(began));
    lines_.text().reserve(2 * kWriteBytes);
  }

  Result<void> add(const RecordedEvent& event) override {
    auto path = path_number(event.asset);
    if (!path) return std::unexpected(std::move(path.error()));
    lines_.add(event, *path, zero_ns_);
    return {};
  }

  Result<void> mark(const std::string& scenario, int64_t at_ns) override {
    const int64_t time_us = (at_ns - zero_ns_) / 1000;
    if (!scenario.empty()) {
      lines_.add_mark(scenario, true, time_us);
    } else if (!scenario_.empty()) {
      lines_.add_mark(scenario_, false, time_us);
    }
    scenario_ = scenario;
    return {};
  }

  size_t unwritten_bytes() const override { return lines_.text().size(); }

  // After a failure nothing more is written, because a frame can't be read past a gap.
  Result<void> write(bool is_last) override {
    if (has_failed_) return lines_.text().clear(), Result<void>();
    has_failed_ = true;
    auto written = frame_.add(lines_.text(), is_last, *file_);
    has_failed_ = !written;
    lines_.text().clear();
    return written;
  }

 private:
  // Returns the number of the asset's path, and writes the path on first use.
  Result<uint32_t> path_number(skl_asset asset) {
    if (const auto known = path_numbers_.find(asset); known != path_numbers_.end())
      return known->second;
    auto path = names_.with(
        asset, [](const Mounted& mounted, uint32_t number) { return mounted.mount->path(number); });
    if (!path) return std::unexpected(std::move(path.error()));
    // If there is no memory to store the number, the path will be written again.
    const uint32_t number = lines_.add_path(*path);
    path_numbers_.emplace(asset, number);
    return number;
  }

  const NameSpace& names_;
  const std::unique_ptr<OutputFile> file_;
  const int64_t zero_ns_ = now_ns();
  TraceText lines_;
  TraceFrame frame_;
  std::unordered_map<skl_asset, uint32_t> path_numbers_;
  std::string scenario_;  // scenario of the latest mark
  bool has_failed_ = false;
};

}  // namespace

std::unique_ptr<RecordedForm> make_recorded_trace(std::unique_ptr<OutputFile> file,
                                                  const NameSpace& names,
                                                  std::string_view scenario) {
  return std::make_unique<RecordedTrace>(std::move(file), names, scenario);
}

}  // namespace seekless::runtime
