// Converts strings to and from Python. File names are bytes, which Python decodes to strings like
// os.fsdecode; the package passes them as bytes.
#pragma once

#include <string>
#include <string_view>

#include <nanobind/nanobind.h>

namespace seekless::python {

inline nanobind::str to_str(std::string_view text) {
  PyObject* made =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
  if (made == nullptr) throw nanobind::python_error();
  return nanobind::steal<nanobind::str>(made);
}

inline std::string to_string(const nanobind::bytes& text) {
  return {text.c_str(), text.size()};
}

}  // namespace seekless::python
