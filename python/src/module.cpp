// Defines the extension module seekless._core. The functions for users are in the package's Python
// files; this module holds only the parts of the tool and the reader that they need.
#include "python/src/module.h"

NB_MODULE(_core, module) {
  module.doc() = "seekless' own code, for the package around it";
  seekless::python::add_commands(module);
  seekless::python::add_packs(module);
  seekless::python::add_traces(module);
  seekless::python::add_columns(module);
  seekless::python::add_costs(module);
  seekless::python::add_fleet(module);
}
