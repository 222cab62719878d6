# The program: the documents' experiments, the viewer's server and the command line, on top of the libraries.
pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng)

# What every folder of apps/ is compiled with: public headers and its own, nothing of src/.
add_library(ch_app INTERFACE)
target_include_directories(ch_app INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/apps)
target_link_libraries(ch_app INTERFACE ch_flags PkgConfig::CARDHOUSE_JANSSON OpenMP::OpenMP_C ${CH_OPENBLAS_LIBRARY} m)

# --- what the applications share --------------------------------------------------------------------------------------
file(GLOB CH_COMMON_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/common/*.c)
add_library(ch_common STATIC ${CH_COMMON_SOURCES})
target_link_libraries(ch_common PUBLIC ch_app)

# --- the documents' experiments, which `cardhouse reproduce` runs -----------------------------------------------------
file(GLOB CH_REPRODUCE_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/reproduce/*.c)
add_library(ch_reproduce STATIC ${CH_REPRODUCE_SOURCES})
target_link_libraries(ch_reproduce PUBLIC ch_common PkgConfig::PNG)

# --- recorded runs for other programs ---------------------------------------------------------------------------------
file(GLOB CH_EXPORT_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/export/*.c)
add_library(ch_export STATIC ${CH_EXPORT_SOURCES})
target_link_libraries(ch_export PUBLIC ch_common)

# --- the viewer: its page, and the server that has it inside ----------------------------------------------------------
pkg_check_modules(LIBWEBSOCKETS IMPORTED_TARGET libwebsockets)
pkg_check_modules(ZLIB IMPORTED_TARGET zlib)
add_subdirectory(web)
if(CH_VIEWER)
  file(GLOB CH_SERVE_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/serve/*.c)
  add_library(ch_serve STATIC ${CH_SERVE_SOURCES} ${CH_VIEWER_PAGE_SOURCE})
  set_source_files_properties(${CH_VIEWER_PAGE_SOURCE} PROPERTIES GENERATED ON OBJECT_DEPENDS ${CH_VIEWER_PAGE})
  add_dependencies(ch_serve viewer_page)
  target_compile_definitions(ch_serve PUBLIC CH_VIEWER)
  target_link_libraries(ch_serve PUBLIC ch_common PkgConfig::LIBWEBSOCKETS PkgConfig::ZLIB)
else()
  add_library(ch_serve INTERFACE)
endif()

# --- the command line -------------------------------------------------------------------------------------------------
file(GLOB CH_CLI_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/cli/*.c)
add_library(ch_cli OBJECT ${CH_CLI_SOURCES})
target_link_libraries(ch_cli PUBLIC ch_reproduce ch_export ch_serve ch_common)
add_executable(cardhouse $<TARGET_OBJECTS:ch_cli>)
set_target_properties(cardhouse PROPERTIES LINKER_LANGUAGE C)
target_link_libraries(cardhouse PRIVATE ch_reproduce ch_export ch_serve ch_common cardhouse::cardhouse)
add_library(ch_cli_dist INTERFACE)  # what every program of these objects links as well
if(CH_DIST)
  target_compile_definitions(ch_cli PRIVATE CH_DISTRIBUTED)
  target_link_libraries(ch_cli_dist INTERFACE $<TARGET_OBJECTS:ch_dist> ch_dist_needs)
endif()
target_link_libraries(cardhouse PRIVATE ch_cli_dist)
foreach(target ch_common ch_reproduce ch_export ch_cli)
  target_compile_options(${target} PRIVATE ${CH_CONVERSION})
endforeach()
if(CH_VIEWER)
  target_compile_options(ch_serve PRIVATE ${CH_CONVERSION})
endif()
if(BUILD_SHARED_LIBS)  # they lie beside the program where it is built, and in the library folder where it is installed
  file(RELATIVE_PATH libraries /p/${CMAKE_INSTALL_BINDIR} /p/${CMAKE_INSTALL_LIBDIR})
  set_target_properties(cardhouse PROPERTIES INSTALL_RPATH "$ORIGIN;$ORIGIN/${libraries}" BUILD_WITH_INSTALL_RPATH ON)
endif()

# --- what shells complete: the program writes it from its own tables -----------------------------------------------------
if(NOT CMAKE_CROSSCOMPILING)
  set(CH_COMPLETION ${PROJECT_BINARY_DIR}/completion)
  file(MAKE_DIRECTORY ${CH_COMPLETION})
  foreach(pair bash:cardhouse zsh:_cardhouse fish:cardhouse.fish)
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 shell)
    list(GET pair 1 name)
    set(script ${CH_COMPLETION}/${name})
    add_custom_command(OUTPUT ${script} DEPENDS cardhouse
      COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${PROJECT_BINARY_DIR} $<TARGET_FILE:cardhouse> completion ${shell} > ${script})
    list(APPEND CH_COMPLETIONS ${script})
  endforeach()
  add_custom_target(completion ALL DEPENDS ${CH_COMPLETIONS})
endif()
