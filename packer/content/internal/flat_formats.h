// The table of the formats that flat_archive.h reads. A new format is a source file that defines
// its row, and a line here.
#pragma once

#include "packer/content/flat_archive.h"

namespace seekless {

extern const FlatFormat kBethesdaBa2;
extern const FlatFormat kBethesdaBsa;
extern const FlatFormat kDolphinRvz;
extern const FlatFormat kGodotPck;
extern const FlatFormat kQuakePak;
extern const FlatFormat kRenpyRpa;
extern const FlatFormat kUnrealPak;
extern const FlatFormat kValveVpk;

// The formats that are recognised by a file's end come last, since the last entry of an archive of
// another format may end like that.
inline constexpr const FlatFormat* kFlatFormats[] = {
    &kQuakePak,    &kBethesdaBa2, &kRenpyRpa, &kValveVpk,
    &kBethesdaBsa, &kDolphinRvz,  &kGodotPck, &kUnrealPak,
};

}  // namespace seekless
