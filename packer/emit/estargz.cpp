// eStargz: the record file that `ctr-remote image optimize --record-out` writes and the converters
// read: a JSON object a line. What it names goes to the front of a layer, then the landmark
// `.prefetch.landmark`, up to which the layer is fetched when it is mounted.
#include <nlohmann/json.hpp>

#include "packer/emit/formats.h"

namespace seekless {
namespace {

EmittedList write(const FileOrder& order, std::string_view prefix) {
  EmittedList list;
  for (const std::string& path : order.read)
    list.text += nlohmann::json({{"path", std::string(prefix) + path}}).dump() + "\n";
  return list;
}

}  // namespace

EmitFormat estargz_format() {
  return {.name = "estargz",
          .taken_by = "nerdctl image convert --estargz --estargz-record-in=LIST --oci IMAGE NEW",
          .unlisted = Unlisted::not_fetched,
          .takes_prefix = true,
          .fault_of = utf8_fault,
          .write = write};
}

}  // namespace seekless
