// A recording: a trajectory file with the world of its scene, as the message and the frames that a page shows.
#ifndef CH_SERVE_RECORDING_H
#define CH_SERVE_RECORDING_H

#include <jansson.h>

#include "cardhouse/trajectory.h"
#include "serve/frame.h"

typedef struct ChRecording ChRecording;

ChStatus ch_recording_open(ChContext* context, const char* path, ChRecording** out);
void ch_recording_close(ChRecording* recording);

const ChWorld* ch_recording_world(const ChRecording* recording);
long ch_recording_rows(const ChRecording* recording);  // at least one
double ch_recording_time(const ChRecording* recording, long row);
long ch_recording_row_at(const ChRecording* recording, double time);  // the last that is not later
double ch_recording_tolerance(const ChRecording* recording);

// The whole message `scene`. NULL when out of memory.
json_t* ch_recording_scene(const ChRecording* recording, unsigned generation);
// The camera of the scene's look, key by key, is this one; the caller keeps it. Fails where it follows no body.
ChStatus ch_recording_point_camera(ChContext* context, ChRecording* recording, const json_t* camera);
// Whether the scene's look needs contacts: it draws them, chains of force, or colours by them.
bool ch_recording_shows_contacts(const ChRecording* recording);
// A row for the charts; iterations and seconds are the mean of its steps.
ChFrameStat ch_recording_stat(const ChRecording* recording, long row);

// A row as the part of a frame between its head and its stats. `head` gets time, step and counts; `bytes` belong to the
// recording and are valid until the next row.
ChStatus ch_recording_frame(ChContext* context, ChRecording* recording, long row, ChFrameHead* head,
                            const unsigned char** bytes, size_t* size);

#endif
