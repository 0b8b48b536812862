#include "python/src/errors.h"

#include <nanobind/nanobind.h>

#include "python/src/text.h"

namespace nb = nanobind;

namespace seekless::python {
namespace {

[[noreturn]] void raise_class(const char* name, const std::string& message) {
  const nb::object type = nb::module_::import_("seekless.errors").attr(name);
  PyErr_SetObject(type.ptr(), to_str(message).ptr());
  throw nb::python_error();
}

}  // namespace

const char* name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return "usage";
    case ErrorKind::damaged:
      return "damaged";
    case ErrorKind::failed:
      break;
  }
  return "failed";
}

void raise(const Error& error) {
  switch (error.kind) {
    case ErrorKind::usage:
      raise_class("UsageError", error.message);
    case ErrorKind::damaged:
      raise_class("DamagedError", error.message);
    case ErrorKind::failed:
      break;
  }
  raise_class("Error", error.message);
}

void raise(const skl::Error& error) {
  const std::string message = error.message.empty() ? error.name() : error.message;
  switch (error.result) {
    case SKL_NOT_FOUND:
      raise_class("NotFoundError", message);
    case SKL_DAMAGED:
    case SKL_UNSUPPORTED:
      raise_class("DamagedError", message);
    case SKL_INVALID:
      raise_class("UsageError", message);
    default:
      raise_class("Error", message);
  }
}

}  // namespace seekless::python
