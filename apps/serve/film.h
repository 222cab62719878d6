// A film: pictures, one after the other, into ffmpeg.
#ifndef CH_SERVE_FILM_H
#define CH_SERVE_FILM_H

#include <stddef.h>

#include "cardhouse/status.h"

typedef struct ChFilm ChFilm;

// CH_ERR_UNSUPPORTED where there is no ffmpeg in the PATH. `path` ends with what the film is to be: .mp4.
ChStatus ch_film_start(ChContext* context, const char* path, double frames_per_second, ChFilm** out);
// A JPEG file.
ChStatus ch_film_add(ChContext* context, ChFilm* film, const unsigned char* picture, size_t size);
// Ends the film; `keep` false: it is removed. The film is gone in any case.
ChStatus ch_film_close(ChContext* context, ChFilm* film, int keep);

#endif
