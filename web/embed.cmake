# Makes the C file that puts the page into the program:   cmake -D PAGE=html -D SCRIPTS=hashes -D OUT=c -P embed.cmake
file(READ ${SCRIPTS} hashes)
string(STRIP "${hashes}" hashes)
configure_file(${CMAKE_CURRENT_LIST_DIR}/page.c.in ${OUT} @ONLY)
