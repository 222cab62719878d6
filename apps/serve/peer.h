// Who is at the other end of a connection within this machine.
#ifndef CH_SERVE_PEER_H
#define CH_SERVE_PEER_H

#include <stdbool.h>

// Whether the other end of this TCP socket belongs to the user who runs this program, or to root, as the system's table
// of sockets tells; false also where that is not known.
bool ch_peer_is_same_user(int socket);

#endif
