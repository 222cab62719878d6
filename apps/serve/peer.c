// Peers: see peer.h. Linux lists every socket with its owner in /proc/net; the peer's is the one whose own address is
// our peer's and whose peer is our own address.
#include "serve/peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// As the tables print it: the address's words as they lie in memory, the port as a number. A socket of the newer
// protocol that speaks the older one has the address behind ::ffff.
static void put_address(const struct sockaddr_in* a, bool mapped, char text[64]) {
  snprintf(text, 64, "%s%08X:%04X", mapped ? "0000000000000000FFFF0000" : "", (unsigned)a->sin_addr.s_addr,
           (unsigned)ntohs(a->sin_port));
}

static bool find_owner(const char* table, const char* own, const char* peer, unsigned* owner) {
  FILE* file = fopen(table, "r");
  if (!file) return false;
  char line[512], local[64], remote[64];
  bool found = false;
  while (!found && fgets(line, sizeof line, file))
    found = sscanf(line, " %*d: %63s %63s %*x %*s %*s %*s %u", local, remote, owner) == 3 && strcmp(local, peer) == 0 &&
            strcmp(remote, own) == 0;
  fclose(file);
  return found;
}

bool ch_peer_is_same_user(int socket) {
  struct sockaddr_in here, there;
  socklen_t size = sizeof here, other = sizeof there;
  if (getsockname(socket, (struct sockaddr*)&here, &size) != 0 || here.sin_family != AF_INET) return false;
  if (getpeername(socket, (struct sockaddr*)&there, &other) != 0 || there.sin_family != AF_INET) return false;
  for (int mapped = 0; mapped < 2; ++mapped) {
    char own[64], peer[64];
    unsigned owner;
    put_address(&here, mapped, own);
    put_address(&there, mapped, peer);
    if (find_owner(mapped ? "/proc/net/tcp6" : "/proc/net/tcp", own, peer, &owner))
      return owner == (unsigned)geteuid() || owner == 0;
  }
  return false;
}
