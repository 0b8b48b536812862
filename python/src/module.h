// Each function adds the part of the extension from one file.
#pragma once

#include <nanobind/nanobind.h>

namespace seekless::python {

void add_columns(nanobind::module_& module);   // profiles and layouts
void add_commands(nanobind::module_& module);  // the tool's commands
void add_costs(nanobind::module_& module);     // costs of runs on a drive
void add_fleet(nanobind::module_& module);     // uploads from players' machines
void add_packs(nanobind::module_& module);     // the reader
void add_traces(nanobind::module_& module);

}  // namespace seekless::python
