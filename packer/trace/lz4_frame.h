// Compresses the text of a trace into an LZ4 frame, piece by piece. The caller stores the
// compressed bytes. Equal pieces give equal bytes.
#pragma once

#include <string>
#include <string_view>

#include "packer/base/error.h"

struct LZ4F_cctx_s;

namespace seekless {

class Lz4Frame {
 public:
  static Result<Lz4Frame> create();
  Lz4Frame(Lz4Frame&& other) noexcept;
  Lz4Frame& operator=(Lz4Frame&&) = delete;
  Lz4Frame(const Lz4Frame&) = delete;
  Lz4Frame& operator=(const Lz4Frame&) = delete;
  ~Lz4Frame();

  // Each function appends to `packed`. Call begin() first and end() last, each once.
  Result<void> begin(std::string& packed);
  Result<void> add(std::string_view text, std::string& packed);
  // After this call, everything added so far can be unpacked from the bytes appended so far.
  Result<void> flush(std::string& packed);
  Result<void> end(std::string& packed);

 private:
  explicit Lz4Frame(LZ4F_cctx_s* context) : context_(context) {}

  LZ4F_cctx_s* context_;
};

}  // namespace seekless
