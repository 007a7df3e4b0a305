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
  # Files and lines are what a report names; the rest of -g takes a fifth of the time to compile.
  target_compile_options(benchhud_flags INTERFACE
    -fsanitize=${BENCHHUD_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all -g1)
  # Tests (BENCHHUD_IS_TEST) take a third less time to compile without looking for undefined behaviour in
  # them. It is then not looked for either in what of our headers is compiled into them as well; nearly all
  # of our code is in units.
  target_compile_options(benchhud_flags INTERFACE
    $<$<BOOL:$<TARGET_PROPERTY:BENCHHUD_IS_TEST>>:-fno-sanitize=undefined>)
  target_link_options(benchhud_flags INTERFACE -fsanitize=${BENCHHUD_SANITIZE})
endif()

# benchhud_module(NAME SOURCES… USES targets… [PRIVATE_USES targets…])
#
# A module is a static library whose headers stand in an include folder that holds only them. A module
# sees the headers of the modules it USES and of no other, so an #include against the direction of
# the arrows (CONTRIBUTING.md) does not compile.
function(benchhud_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;USES;PRIVATE_USES")
  add_library(benchhud_${name} STATIC ${arg_SOURCES})
  add_library(benchhud::${name} ALIAS benchhud_${name})
  target_include_directories(benchhud_${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/include)
  target_link_libraries(benchhud_${name}
    PUBLIC ${arg_USES}
    PRIVATE benchhud_flags ${arg_PRIVATE_USES})
  if(BENCHHUD_SANITIZE)
    # The sanitizer's link flags are wanted by whoever links the library.
    target_link_options(benchhud_${name} PUBLIC -fsanitize=${BENCHHUD_SANITIZE})
  endif()
endfunction()
