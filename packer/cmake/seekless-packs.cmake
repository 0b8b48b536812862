# seekless_add_packs(): packs as targets of a CMake project, made again exactly when something that
# they are made from has changed, as the tool's depfiles tell. For Ninja and Makefiles, CMake 3.21 and
# newer; docs/build-systems.md has examples.
if(CMAKE_VERSION VERSION_LESS 3.21)
  message(FATAL_ERROR "seekless_add_packs: expected CMake 3.21 or newer, found ${CMAKE_VERSION}")
endif()
cmake_policy(PUSH)
cmake_policy(VERSION 3.21) # depfiles may be given to Makefiles, too, and their paths are understood

# seekless_add_packs(TARGET CONFIG seekless.json [OUTPUT dir] [RELAYOUT] [ALL] [DEPENDS what...])
# seekless_add_packs(TARGET LAYOUT layout.json [OUTPUT dir] [CODEC raw|lz4] [PER_PACK] [ALL] [DEPENDS what...])
#
# TARGET    makes the packs.
# CONFIG    is a build file, of which 'seekless build' makes what it says, and no more than has changed.
# LAYOUT    is a layout, made by 'seekless plan': 'seekless pack' makes all its packs whenever one of
#           them has changed, or with PER_PACK each by a command of its own. Then the layout must be
#           there when CMake runs; it runs again when the layout has changed.
# OUTPUT    is the folder of the packs, which belongs to them; relative to the binary folder. Without
#           it, it is the one that CONFIG names, or one called as TARGET.
# RELAYOUT  lets 'seekless build' plan anew, whatever the layout's lock says.
# CODEC     is how a layout's blocks are stored [raw]; a build file says so itself.
# ALL       makes them with the target 'all', too.
# DEPENDS   names files and targets to be made before: content that other commands make. What the
#           packs are made from needn't be named.
function(seekless_add_packs target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "ALL;PER_PACK;RELAYOUT" "CONFIG;LAYOUT;OUTPUT;CODEC" "DEPENDS")
  _seekless_check_arguments()
  set(state ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/seekless-${target})
  file(MAKE_DIRECTORY ${state})
  if(ARG_OUTPUT)
    cmake_path(ABSOLUTE_PATH ARG_OUTPUT BASE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR} NORMALIZE)
  endif()
  set(outputs ${state}/stamp)
  if(ARG_CONFIG)
    cmake_path(ABSOLUTE_PATH ARG_CONFIG BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    _seekless_add_build()
  else()
    cmake_path(ABSOLUTE_PATH ARG_LAYOUT BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    if(NOT ARG_OUTPUT)
      set(ARG_OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${target})
    endif()
    if(NOT ARG_CODEC)
      set(ARG_CODEC raw)
    endif()
    if(ARG_PER_PACK)
      _seekless_add_each_pack()
    else()
      _seekless_add_all_packs()
    endif()
  endif()
  set(all)
  if(ARG_ALL)
    set(all ALL)
  endif()
  add_custom_target(${target} ${all} DEPENDS ${outputs})
endfunction()

# The macros below work on the arguments of seekless_add_packs.

macro(_seekless_refuse expected found)
  message(FATAL_ERROR "seekless_add_packs(${target}): expected ${expected}, found ${found}")
endmacro()

macro(_seekless_check_arguments)
  if(ARG_UNPARSED_ARGUMENTS)
    _seekless_refuse("CONFIG, LAYOUT, OUTPUT, CODEC, RELAYOUT, PER_PACK, ALL or DEPENDS"
                     "'${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  if(ARG_KEYWORDS_MISSING_VALUES)
    _seekless_refuse("a value after each keyword" "none after ${ARG_KEYWORDS_MISSING_VALUES}")
  endif()
  if(ARG_CONFIG AND ARG_LAYOUT)
    _seekless_refuse("either CONFIG or LAYOUT" "both")
  elseif(ARG_CONFIG)
    if(ARG_PER_PACK OR ARG_CODEC)
      _seekless_refuse("PER_PACK and CODEC with LAYOUT" "one of them with CONFIG")
    endif()
  elseif(NOT ARG_LAYOUT)
    _seekless_refuse("CONFIG or LAYOUT and a file" "neither")
  elseif(ARG_RELAYOUT)
    _seekless_refuse("RELAYOUT with CONFIG" "it with LAYOUT")
  endif()
endmacro()

macro(_seekless_add_build)
  set(options)
  if(ARG_RELAYOUT)
    list(APPEND options --relayout)
  endif()
  set(byproducts)
  if(ARG_OUTPUT)
    list(APPEND options --output ${ARG_OUTPUT})
    set(byproducts BYPRODUCTS ${ARG_OUTPUT}/catalog.skl) # Ninja makes it again if it is gone
  endif()
  add_custom_command(
    OUTPUT ${state}/stamp ${byproducts}
    COMMAND seekless::tool build ${ARG_CONFIG} ${options} --stamp ${state}/stamp --depfile ${state}/stamp.d
    DEPENDS ${ARG_CONFIG} $<TARGET_FILE:seekless::tool> ${ARG_DEPENDS}
    DEPFILE ${state}/stamp.d
    COMMENT "Building packs: ${target}" VERBATIM)
endmacro()

macro(_seekless_add_all_packs)
  add_custom_command(
    OUTPUT ${state}/stamp
    COMMAND seekless::tool pack ${ARG_LAYOUT} -o ${ARG_OUTPUT} --codec ${ARG_CODEC}
            --stamp ${state}/stamp --depfile ${state}/stamp.d
    DEPENDS ${ARG_LAYOUT} $<TARGET_FILE:seekless::tool> ${ARG_DEPENDS}
    DEPFILE ${state}/stamp.d
    COMMENT "Packing ${target}" VERBATIM)
endmacro()

# The packs' names are known to the layout alone.
macro(_seekless_list_packs)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARG_LAYOUT})
  get_target_property(tool seekless::tool LOCATION)
  execute_process(COMMAND ${tool} pack ${ARG_LAYOUT} --list-packs --json -
    OUTPUT_VARIABLE answer ERROR_VARIABLE error RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    _seekless_refuse("a layout that is there when CMake runs" "${error}")
  endif()
  string(JSON count LENGTH "${answer}" packs)
  if(count EQUAL 0)
    _seekless_refuse("a layout with packs" "${ARG_LAYOUT} without any")
  endif()
endmacro()

macro(_seekless_add_each_pack)
  _seekless_list_packs()
  file(MAKE_DIRECTORY ${ARG_OUTPUT})
  set(files)
  math(EXPR last "${count} - 1")
  foreach(index RANGE 0 ${last})
    string(JSON name GET "${answer}" packs ${index} name)
    string(JSON file GET "${answer}" packs ${index} file)
    add_custom_command(
      OUTPUT "${ARG_OUTPUT}/${file}"
      COMMAND seekless::tool pack ${ARG_LAYOUT} --only "${name}" -o "${ARG_OUTPUT}/${file}"
              --codec ${ARG_CODEC} --depfile "${state}/${file}.d"
      DEPENDS ${ARG_LAYOUT} $<TARGET_FILE:seekless::tool> ${ARG_DEPENDS}
      DEPFILE "${state}/${file}.d"
      COMMENT "Packing ${target}: ${name}" VERBATIM)
    list(APPEND files "${ARG_OUTPUT}/${file}")
  endforeach()
  set(outputs "${ARG_OUTPUT}/catalog.skl")
  add_custom_command(
    OUTPUT "${ARG_OUTPUT}/catalog.skl"
    COMMAND seekless::tool pack ${ARG_LAYOUT} --only catalog -o "${ARG_OUTPUT}/catalog.skl"
    DEPENDS ${files} ${ARG_LAYOUT} $<TARGET_FILE:seekless::tool>
    COMMENT "Packing ${target}: catalog" VERBATIM)
endmacro()

cmake_policy(POP)
