// What must outlast a loss of power.
#ifndef CH_BASE_DURABLE_H
#define CH_BASE_DURABLE_H

// Returns when the file's data are on the disk: 0, or errno. Pipes, devices and file systems that cannot are no
// failure.
int ch_durable_file(int fd);
// The same of the names in the folder that holds the path.
int ch_durable_name(const char* path);

#endif
