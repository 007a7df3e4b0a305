# Flags that all of benchhud's own code is built with, and the one way to declare a module.

add_library(benchhud_flags INTERFACE)
target_compile_options(benchhud_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns of overlapping copies inside std::string where there are none (GCC's bug 105651).
  target_compile_options(benchhud_flags INTERFACE -Wno-restrict)
endif()
if(BENCHHUD_WERROR)
  target_compile_options(benchhud_flags INTERFACE -Werror)
endif()
if(BENCHHUD_SANITIZE)
  # Files and lines are what a report names; the rest of -g takes a fifth of the time to compile, and they a tenth,
  # which is saved where nothing is wrong as a rule: functions are named without.
  target_compile_options(benchhud_flags INTERFACE
    -fsanitize=${BENCHHUD_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
    $<IF:$<BOOL:${BENCHHUD_BUILT_ONCE}>,-g0,-g1>)
  # Tests (BENCHHUD_IS_TEST) take a third less time to compile without looking for undefined behaviour in
  # them. It is then not looked for either in what of our headers is compiled into them as well; nearly all
  # of our code is in units.
  target_compile_options(benchhud_flags INTERFACE
    $<$<BOOL:$<TARGET_PROPERTY:BENCHHUD_IS_TEST>>:-fno-sanitize=undefined>)
  target_link_options(benchhud_flags INTERFACE -fsanitize=${BENCHHUD_SANITIZE})
endif()

# benchhud_precompile(TARGET [HEADERS…]): the headers that most of a target's units begin with, read once.
function(benchhud_precompile target)
  # What ccache needs to keep what g++ made with it.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  # Clang warns of what the standard library itself calls in a precompiled header.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
  target_precompile_headers(${target} PRIVATE <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <filesystem>
    <functional> <limits> <map> <memory> <optional> <set> <span> <string> <string_view> <unordered_map> <utility>
    <vector> <fmt/format.h> ${ARGN})
endfunction()

# benchhud_compile_rooms(TARGET SOURCES…): eight units of a room compile as one, in half the time. So names that are a
# unit's own must be its own within the room.
function(benchhud_compile_rooms target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS ARGN)
    cmake_path(GET source PARENT_PATH room)
    cmake_path(RELATIVE_PATH room BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
    string(MAKE_C_IDENTIFIER ${room} room)
    math(EXPR units_${room} "${units_${room}} + 1")
    math(EXPR group "(${units_${room}} - 1) / 8")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${room}_${group})
  endforeach()
  # A unit's unnamed namespace is then in what is included, which is where g++ expects none.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# benchhud_module(NAME USES targets… [PRIVATE_USES targets…] [PRECOMPILED headers…])
#
# A module is a static library of all units in the rooms of its folder. Headers are included by their path from
# the root, "module/room/unit.h". Which rooms may include which is said in ARCHITECTURE.md and kept by tests/house.
function(benchhud_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "USES;PRIVATE_USES;PRECOMPILED")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  add_library(benchhud_${name} STATIC ${sources})
  add_library(benchhud::${name} ALIAS benchhud_${name})
  target_include_directories(benchhud_${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(benchhud_${name}
    PUBLIC ${arg_USES}
    PRIVATE benchhud_flags ${arg_PRIVATE_USES})
  # Whoever checks builds everything once; without this, each unit is kept honest about what it includes. PRECOMPILED
  # are headers of our own that most units read.
  if(BENCHHUD_SANITIZE OR BENCHHUD_BUILT_ONCE)
    list(TRANSFORM arg_PRECOMPILED PREPEND ${CMAKE_SOURCE_DIR}/)
    benchhud_precompile(benchhud_${name} ${arg_PRECOMPILED})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      # With a precompiled <string> it warns within that of what it does not warn of without (see above).
      target_compile_options(benchhud_${name} PRIVATE -Wno-stringop-overflow -Wno-stringop-overread)
    endif()
  endif()
  # The loops that read and sum traces are compiled as ever: beside others the compiler inlines differently, and the
  # guard of speed counts their instructions.
  if(BENCHHUD_SANITIZE OR (BENCHHUD_BUILT_ONCE AND NOT name STREQUAL "trace"))
    if(NOT BENCHHUD_SANITIZE)
      set(alone ${sources})
      list(FILTER alone INCLUDE REGEX "/ingest/(text|trace)/")
      set_source_files_properties(${alone} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
    benchhud_compile_rooms(benchhud_${name} ${sources})
  endif()
  if(BENCHHUD_SANITIZE)
    # The sanitizer's link flags are wanted by whoever links the library.
    target_link_options(benchhud_${name} PUBLIC -fsanitize=${BENCHHUD_SANITIZE})
  endif()
endfunction()
