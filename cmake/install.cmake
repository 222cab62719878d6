# What `cmake --install` puts where: libraries, headers, files for pkg-config and find_package, program, man page and completion.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
include(CMakePackageConfigHelpers)

set_target_properties(libcardhouse libcardhouse_shared PROPERTIES EXPORT_NAME engine)
set_target_properties(libcardhouse_io libcardhouse_io_shared PROPERTIES EXPORT_NAME cardhouse)
install(TARGETS libcardhouse libcardhouse_io EXPORT cardhouse-static)
install(TARGETS libcardhouse_shared libcardhouse_io_shared EXPORT cardhouse-shared)
if(CH_LEVELS)
  install(TARGETS libcardhouse_level LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/${CH_LEVEL_FOLDER} NAMELINK_SKIP)
endif()
install(DIRECTORY include/cardhouse TYPE INCLUDE)
if(CH_PROGRAM)
  install(TARGETS cardhouse)
  install(FILES docs/cardhouse.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  if(TARGET completion)
    install(FILES ${CH_COMPLETION}/cardhouse DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${CH_COMPLETION}/_cardhouse DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${CH_COMPLETION}/cardhouse.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  endif()
endif()

# --- find_package(cardhouse CONFIG) -----------------------------------------------------------------------------------
set(CH_CONFIG_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/cardhouse)
foreach(kind static shared)
  install(EXPORT cardhouse-${kind} NAMESPACE cardhouse:: DESTINATION ${CH_CONFIG_FOLDER})
endforeach()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cardhouse-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/cardhouse-config.cmake ${PROJECT_BINARY_DIR}/cardhouse-config-version.cmake
        DESTINATION ${CH_CONFIG_FOLDER})

# --- pkg-config -------------------------------------------------------------------------------------------------------
list(TRANSFORM CH_ENGINE_NAMES REPLACE "^([^/].*)$" "-l\\1" OUTPUT_VARIABLE CH_ENGINE_LINKS)  # a path stays one
list(JOIN CH_ENGINE_LINKS " " CH_ENGINE_LINKS)
list(TRANSFORM CH_IO_NAMES PREPEND -l OUTPUT_VARIABLE CH_IO_LINKS)
list(JOIN CH_IO_LINKS " " CH_IO_LINKS)
file(RELATIVE_PATH CH_PREFIX_FROM_PC /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
foreach(name cardhouse cardhouse-engine)
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
