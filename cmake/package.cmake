# A Debian package of the program with its units, settings and manual: `./dev package`, or
# `cmake -B BUILD -DBENCHHUD_PACKAGE=ON && cmake --build BUILD --target deb`, which leaves BUILD/benchhud_….deb.
set(BENCHHUD_MAINTAINER "The benchhud developers <benchhud@example.org>" CACHE STRING
  "Who answers for the package: name <address>")
set(package_dir ${CMAKE_BINARY_DIR}/package)

# The units of deploy/ with the place where a package has its program.
file(GLOB units CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/deploy/*.service ${CMAKE_SOURCE_DIR}/deploy/*.timer)
foreach(unit IN LISTS units)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${unit})
  get_filename_component(name ${unit} NAME)
  file(READ ${unit} text)
  string(REPLACE /usr/local/bin/benchhud /usr/bin/benchhud text "${text}")
  file(CONFIGURE OUTPUT ${package_dir}/units/${name} CONTENT "${text}" @ONLY)
endforeach()

# The time of the newest commit, so that the same sources give the same package.
execute_process(COMMAND git -C ${CMAKE_SOURCE_DIR} log -1 --format=%cD OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE
  ERROR_QUIET)
if(NOT date)
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
endif()
execute_process(COMMAND date -u -d "${date}" +%Y-%m-%d OUTPUT_VARIABLE day OUTPUT_STRIP_TRAILING_WHITESPACE)

find_program(NODE node nodejs REQUIRED)
add_custom_command(OUTPUT ${package_dir}/man/benchhud.1.gz
  COMMAND ${NODE} ${CMAKE_SOURCE_DIR}/deploy/man.mjs $<TARGET_FILE:benchhud> ${package_dir}/man ${day}
  DEPENDS benchhud ${CMAKE_SOURCE_DIR}/deploy/man.mjs
  COMMENT "Writing the manual" VERBATIM)

file(CONFIGURE OUTPUT ${package_dir}/changelog CONTENT
"benchhud (${PROJECT_VERSION}-1) unstable; urgency=medium

  * Version ${PROJECT_VERSION}.

 -- ${BENCHHUD_MAINTAINER}  ${date}
")
file(CONFIGURE OUTPUT ${package_dir}/copyright CONTENT
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: benchhud

Files: *
Copyright: The benchhud developers
License: Apache-2.0
 On Debian systems the text of the Apache License, Version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
")
add_custom_command(OUTPUT ${package_dir}/changelog.Debian.gz
  COMMAND gzip -9nc ${package_dir}/changelog >${package_dir}/changelog.Debian.gz
  DEPENDS ${package_dir}/changelog)
add_custom_target(package_files
  DEPENDS ${package_dir}/man/benchhud.1.gz ${package_dir}/changelog.Debian.gz)

install(DIRECTORY ${package_dir}/units/ DESTINATION /lib/systemd/system)
install(DIRECTORY ${package_dir}/man/ DESTINATION share/man/man1)
install(FILES deploy/ingest.env deploy/watch.env deploy/serve.env DESTINATION /etc/benchhud)
file(GLOB docs ${CMAKE_SOURCE_DIR}/docs/*.md)
install(FILES ${docs} README.md ${package_dir}/copyright ${package_dir}/changelog.Debian.gz deploy/benchhud.cron
  DESTINATION share/doc/benchhud)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME benchhud)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "nightly benchmark results of PyTorch compiler backends")
set(CPACK_PACKAGE_DESCRIPTION
"Takes in what PyTorch's benchmark runners leave every night (results, traces,
operator tables, IR), judges it, finds what changed and since when, and serves
pages and a REST API. The store is one SQLite file.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_SET_DESTDIR ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_OUTPUT_FILE_PREFIX ${CMAKE_BINARY_DIR})
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${BENCHHUD_MAINTAINER})
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "systemd, ca-certificates, libcurl4")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
file(WRITE ${package_dir}/conffiles "/etc/benchhud/ingest.env\n/etc/benchhud/watch.env\n/etc/benchhud/serve.env\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${package_dir}/conffiles ${CMAKE_SOURCE_DIR}/deploy/debian/postinst
  ${CMAKE_SOURCE_DIR}/deploy/debian/prerm ${CMAKE_SOURCE_DIR}/deploy/debian/postrm)
# What is packed was built by the target below, and tests are none of it.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
include(CPack)

add_custom_target(deb COMMAND ${CMAKE_CPACK_COMMAND} -G DEB --config ${CMAKE_BINARY_DIR}/CPackConfig.cmake
  DEPENDS benchhud package_files WORKING_DIRECTORY ${CMAKE_BINARY_DIR} USES_TERMINAL VERBATIM)
