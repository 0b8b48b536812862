// Gives Python access to pack sets: paths, bytes, sweeps. The C++ reader does all the reading. A
// view without a copy keeps its block in memory as long as the view exists.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "python/src/errors.h"
#include "python/src/module.h"
#include "python/src/text.h"
#include <seekless.hpp>

namespace nb = nanobind;

namespace seekless::python {
namespace {

constexpr auto kLookInterval = std::chrono::milliseconds(100);

// Memory owned by Python, which the reader writes into.
class WritableBuffer {
 public:
  explicit WritableBuffer(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS) != 0)
      throw nb::python_error();
  }
  ~WritableBuffer() { PyBuffer_Release(&view_); }
  WritableBuffer(const WritableBuffer&) = delete;
  WritableBuffer& operator=(const WritableBuffer&) = delete;
  std::span<std::byte> bytes() const {
    return {static_cast<std::byte*>(view_.buf), static_cast<size_t>(view_.len)};
  }

 private:
  Py_buffer view_ = {};
};

// The view owns the lease.
nb::object to_view(skl::Lease lease) {
  auto* kept = new skl::Lease(std::move(lease));
  const nb::capsule owner(kept, [](void* of) noexcept { delete static_cast<skl::Lease*>(of); });
  const auto bytes = kept->bytes();
  return nb::cast(nb::ndarray<nb::memview, const uint8_t, nb::ndim<1>>(
      reinterpret_cast<const uint8_t*>(bytes.data()), {bytes.size()}, owner));
}

using SharedContext = std::shared_ptr<skl::Context>;

class Sweep {
 public:
  Sweep(SharedContext context, skl::Sweep sweep)
      : context_(std::move(context)), sweep_(std::move(sweep)) {}

  // Returns (path, offset, bytes of the whole asset, view).
  nb::tuple next() {
    for (;;) {
      skl::Result<skl::Step> step = wait();
      if (!step) raise(step.error());
      if (step->answer == SKL_END) throw nb::stop_iteration();
      if (step->answer == SKL_OK) return hand_out(std::move(step->lease));
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
  }

 private:
  skl::Result<skl::Step> wait() {
    const nb::gil_scoped_release released;
    auto step = sweep_.wait(kLookInterval);
    // Python may keep the view for a long time, and that shouldn't stop reading ahead.
    if (step && step->answer == SKL_OK) SKL_TRY_DO(step->lease.claim());
    return step;
  }

  nb::tuple hand_out(skl::Lease lease) {
    const std::string path = value_or_raise(context_->path(lease.asset()));
    const uint64_t offset_bytes = lease.offset_bytes();
    const uint64_t asset_bytes = lease.asset_bytes();
    return nb::make_tuple(to_str(path), offset_bytes, asset_bytes, to_view(std::move(lease)));
  }

  SharedContext context_;
  skl::Sweep sweep_;
};

class PackSet {
 public:
  PackSet(const nb::bytes& file, uint64_t memory_bytes) {
    const std::string path = to_string(file);
    skl::ContextOptions options;
    options.memory_budget_bytes = memory_bytes;
    const auto open = [&]() -> skl::Result<SharedContext> {
      const nb::gil_scoped_release released;
      SKL_TRY(auto context, skl::Context::create(options));
      SKL_TRY_DROP(context.mount(path));
      return std::make_shared<skl::Context>(std::move(context));
    };
    context_ = value_or_raise(open());
  }

  void close() { context_.reset(); }

  bool contains(const nb::str& path) {
    const char* text = to_c(path);
    return text != nullptr && context()->find(text).has_value();
  }
  uint64_t size_bytes(const nb::str& path) { return find(*context(), path).size_bytes; }

  nb::bytes read(const nb::str& path, uint64_t offset_bytes, std::optional<uint64_t> length_bytes) {
    const SharedContext context = this->context();
    const skl::Found found = find(*context, path);
    const uint64_t left = found.size_bytes - std::min(offset_bytes, found.size_bytes);
    const uint64_t length = std::min(left, length_bytes.value_or(left));
    // No other code has these bytes yet, so they may be written without the GIL.
    nb::object bytes =
        nb::steal(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(length)));
    if (!bytes.is_valid()) throw nb::python_error();
    auto* data = reinterpret_cast<std::byte*>(PyBytes_AS_STRING(bytes.ptr()));
    fill(*context, found, offset_bytes, {data, static_cast<size_t>(length)});
    return nb::borrow<nb::bytes>(bytes);
  }

  size_t read_into(const nb::str& path, nb::handle into, uint64_t offset_bytes) {
    const SharedContext context = this->context();
    const skl::Found found = find(*context, path);
    const WritableBuffer buffer(into);
    return fill(*context, found, offset_bytes, buffer.bytes());
  }

  // Returns (paths, sizes), in the order of the packs' tables.
  nb::tuple list() {
    const SharedContext context = this->context();
    std::vector<std::pair<std::string, uint64_t>> found;
    const auto listed = [&] {
      const nb::gil_scoped_release released;
      return context->list([&](const char* path, const skl::Found& asset) {
        found.emplace_back(path, asset.size_bytes);
        return true;
      });
    }();
    value_or_raise(listed);
    nb::list paths;
    nb::list sizes;
    for (const auto& [path, size_bytes] : found) {
      paths.append(to_str(path));
      sizes.append(size_bytes);
    }
    return nb::make_tuple(paths, sizes);
  }

  // Returns the XXH3-128 as xxh128sum prints it.
  std::string hash(const nb::str& path) {
    const SharedContext context = this->context();
    const skl::Found found = find(*context, path);
    const auto hashed = [&] {
      const nb::gil_scoped_release released;
      return context->hash(found.asset);
    }();
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (const uint8_t byte : value_or_raise(hashed).bytes) {
      text += kDigits[byte >> 4];
      text += kDigits[byte & 15];
    }
    return text;
  }

  Sweep sweep(const std::optional<std::string>& scenario) {
    const SharedContext context = this->context();
    const auto open = [&] {
      const nb::gil_scoped_release released;
      return scenario ? context->sweep(*scenario) : context->sweep_all();
    };
    return {context, value_or_raise(open())};
  }

  nb::dict stats() {
    const skl::Stats stats = context()->stats();
    nb::dict figures;
    figures["reads"] = stats.reads;
    figures["read_bytes"] = stats.read_bytes;
    figures["seeks"] = stats.seeks;
    figures["cache_hits"] = stats.cache_hits;
    figures["damaged_blocks"] = stats.damaged_blocks;
    figures["wait_us"] = stats.wait_us;
    return figures;
  }

 private:
  SharedContext context() const {
    if (!context_) raise(Error{ErrorKind::usage, "expected an open pack set, found a closed one"});
    return context_;
  }

  // Returns null if no asset can have this name: it contains a zero byte, or half a character. The
  // string must outlive the result.
  static const char* to_c(const nb::str& path) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(path.ptr(), &size);
    if (text == nullptr) PyErr_Clear();
    return text != nullptr && std::strlen(text) == static_cast<size_t>(size) ? text : nullptr;
  }

  static skl::Found find(const skl::Context& context, const nb::str& path) {
    const char* text = to_c(path);
    if (text != nullptr)
      if (const auto found = context.find(text)) return *found;
    raise(skl::Error{.result = SKL_NOT_FOUND,
                     .message = "expected an asset of the pack set, found no '" +
                                std::string(text != nullptr ? text : "?") +
                                "'; list() tells what there is"});
  }

  static size_t fill(const skl::Context& context, const skl::Found& found, uint64_t offset_bytes,
                     std::span<std::byte> into) {
    const auto got = [&] {
      const nb::gil_scoped_release released;
      return context.read(found.asset, offset_bytes, into);
    }();
    return value_or_raise(got);
  }

  SharedContext context_;
};

}  // namespace

void add_packs(nb::module_& module) {
  nb::class_<Sweep>(module, "Sweep", "Assets in the order they lie, read ahead.")
      .def(
          "__iter__", [](nb::handle self) { return self; }, nb::sig("def __iter__(self) -> Sweep"))
      .def("__next__", &Sweep::next,
           nb::sig("def __next__(self) -> tuple[str, int, int, memoryview]"));
  nb::class_<PackSet>(module, "PackSet", "An open pack set, pack, zip or folder.")
      .def(nb::init<const nb::bytes&, uint64_t>(), nb::arg("path"), nb::arg("memory_bytes") = 0)
      .def("close", &PackSet::close)
      .def("__contains__", &PackSet::contains, nb::arg("path"))
      .def("size_bytes", &PackSet::size_bytes, nb::arg("path"))
      .def("read", &PackSet::read, nb::arg("path"), nb::arg("offset_bytes") = 0,
           nb::arg("length_bytes").none() = nb::none())
      .def("read_into", &PackSet::read_into, nb::arg("path"), nb::arg("into"),
           nb::arg("offset_bytes") = 0)
      .def("list", &PackSet::list, nb::sig("def list(self) -> tuple[list[str], list[int]]"))
      .def("hash", &PackSet::hash, nb::arg("path"))
      .def("sweep", &PackSet::sweep, nb::arg("scenario").none() = nb::none())
      .def("stats", &PackSet::stats, nb::sig("def stats(self) -> dict[str, int]"));
  module.def("version", [] { return std::string(skl_version()); });
}

}  // namespace seekless::python
