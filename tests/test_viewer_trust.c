// The parts of the viewer's server that keep strangers out and the simulation free, looked at without a network.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "serve/exchange.h"
#include "serve/peer.h"
#include "serve/secret.h"
#include "serve/server_state.h"
#include "support/near.h"

// --- secrets ---------------------------------------------------------------------------------------------------------

static void a_secret_equals_itself_only(void** state) {
  (void)state;
  ChSecret secret, other, none = {0};
  assert_true(ch_secret_make(&secret) && ch_secret_make(&other));
  assert_int_equal(strlen(secret.text), 32);
  assert_int_equal(strspn(secret.text, "0123456789abcdef"), 32);
  assert_true(ch_secret_equals(&secret, secret.text));
  assert_false(ch_secret_equals(&secret, other.text));
  for (int k = 0; k < 32; ++k) {
    ChSecret near = secret;
    near.text[k] = (char)(near.text[k] ^ 1);
    assert_false(ch_secret_equals(&secret, near.text));
    near.text[k] = '\0';
    assert_false(ch_secret_equals(&secret, near.text));
  }
  char longer[40];
  snprintf(longer, sizeof longer, "%s0", secret.text);
  assert_false(ch_secret_equals(&secret, longer));
  assert_false(ch_secret_equals(&none, ""));
  assert_false(ch_secret_equals(&none, secret.text));
}

static void a_socket_that_is_no_connection_has_no_owner(void** state) {
  (void)state;
  int pair[2];
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  assert_false(ch_peer_is_same_user(pair[0]));
  assert_false(ch_peer_is_same_user(-1));
  close(pair[0]);
  close(pair[1]);
}

// --- problems --------------------------------------------------------------------------------------------------------

static ChExchange* exchange(void) {
  ChContext context = {0};
  ChExchange* e;
  CHECK_OK(context, ch_exchange_create(&context, &e));
  return e;
}

static void deliver(ChExchange* e, unsigned ticket, const char* text) {
  ch_exchange_deliver_problem(e, ticket, false, text ? (unsigned char*)strdup(text) : NULL, text ? strlen(text) : 0);
}

static void wishes_for_a_problem_share_it_until_it_is_begun(void** state) {
  (void)state;
  ChExchange* e = exchange();
  unsigned first = ch_exchange_ask_problem(e, 0), ticket;
  int pane;
  assert_int_equal(ch_exchange_ask_problem(e, 0), first);
  unsigned other = ch_exchange_ask_problem(e, 1);
  assert_int_not_equal(other, first);
  assert_true(ch_exchange_problem_wanted(e, &ticket, &pane));
  assert_int_equal(ticket, first);
  assert_int_equal(pane, 0);
  unsigned later = ch_exchange_ask_problem(e, 0);
  assert_int_not_equal(later, first);                           // that one may be of an earlier step
  assert_false(ch_exchange_problem_wanted(e, &ticket, &pane));  // one at a time
  deliver(e, first, "a file");
  assert_false(ch_exchange_problem_wanted(e, &ticket, &pane));  // and the next when it was received
  ChMadeProblem made;
  assert_true(ch_exchange_receive_problem(e, &made));
  assert_int_equal(made.ticket, first);
  assert_false(made.failed);
  assert_memory_equal(made.parcel->bytes, "a file", 6);
  ch_parcel_drop(made.parcel);
  assert_false(ch_exchange_receive_problem(e, &made));
  assert_true(ch_exchange_problem_wanted(e, &ticket, &pane));
  assert_int_equal(ticket, other);  // whoever waits longest
  deliver(e, ticket, NULL);         // out of memory
  assert_true(ch_exchange_receive_problem(e, &made));
  assert_true(made.failed && !made.parcel);
  ch_exchange_destroy(e);
}

static void a_wish_that_nobody_has_any_more_is_not_begun(void** state) {
  (void)state;
  ChExchange* e = exchange();
  unsigned ticket = ch_exchange_ask_problem(e, 1), taken;
  int pane;
  ch_exchange_forget_problem(e, ticket + 1);
  ch_exchange_forget_problem(e, ticket);
  assert_false(ch_exchange_problem_wanted(e, &taken, &pane));
  ticket = ch_exchange_ask_problem(e, 1);
  assert_true(ch_exchange_problem_wanted(e, &taken, &pane));
  ch_exchange_forget_problem(e, ticket);  // too late: it is made, and thrown away with the rest
  deliver(e, taken, "a file");
  ch_exchange_destroy(e);
}

// --- ports -----------------------------------------------------------------------------------------------------------

static void a_port_is_refused_for_the_true_reason(void** state) {
  (void)state;
  static const struct {
    int error;
    const char* words;
  } reasons[] = {{EADDRINUSE, "another program has it"}, {EACCES, "privileged"}, {EMFILE, "Too many open files"}};
  for (size_t k = 0; k < sizeof reasons / sizeof *reasons; ++k) {
    ChContext context = {0};
    assert_int_equal(ch_server_port_refused(&context, 80, reasons[k].error), CH_ERR_FILE);
    assert_non_null(strstr(context.message, reasons[k].words));
    assert_non_null(strstr(context.message, "port 80 "));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_secret_equals_itself_only),
      cmocka_unit_test(a_socket_that_is_no_connection_has_no_owner),
      cmocka_unit_test(wishes_for_a_problem_share_it_until_it_is_begun),
      cmocka_unit_test(a_wish_that_nobody_has_any_more_is_not_begun),
      cmocka_unit_test(a_port_is_refused_for_the_true_reason),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
