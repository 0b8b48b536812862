// The extension module seekless._core. The functions that people call are in the package's Python
// files; this module holds only what they need of the tool and the reader.
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
