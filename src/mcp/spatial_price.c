// Competition in space, after Harker (1986): three regions make, ship, use and sell one good.
//
// Unknowns are supplies s, demands d, flows f along the links, and the price pi at every node, which balances it:
//
//   s_r >= 0   ||  marginal cost of making (s_r)    - pi_r >= 0
//   f_a >= 0   ||  pi_tail + cost of shipping (f_a) - pi_head >= 0
//   d_r >= 0   ||  pi_r - worth of one more unit (d_r) >= 0
//   pi_n free  :   s_n - d_n + inflow - outflow = 0
//
// Making costs a + b s, the market pays c - e D, shipping costs alpha + beta f a unit. The four models differ in what
// one more unit is worth to its seller and what one more shipment costs; in the oligopoly every region is a firm with
// unknowns of its own. All are affine and monotone. Costs and networks are our own instance, of the sizes of 003.
#include "mcp/entries.h"
#include "mcp/mcp_kind.h"

enum { REGIONS = 3, LINKS_MAX = 14 };
enum { COMPETITIVE = 1, MONOPOLY_MARGINAL, MONOPOLY_AVERAGE, OLIGOPOLY };

typedef struct Link {
  int tail, head;
  double alpha, beta;
} Link;

typedef struct Network {
  int nodes, links;
  Link link[LINKS_MAX];
} Network;

static const Network networks[2] = {
    {.nodes = 3,
     .links = 6,
     .link =
         {{0, 1, 1.0, 0.5}, {1, 0, 1.5, 0.4}, {0, 2, 4.0, 0.2}, {2, 0, 3.0, 0.3}, {1, 2, 2.0, 0.3}, {2, 1, 2.5, 0.2}}},
    // Every region has a yard (3, 4, 5); the outer yards share a port (6).
    {.nodes = 7,
     .links = 14,
     .link = {{0, 3, 0.2, 0.05},
              {3, 0, 0.2, 0.05},
              {1, 4, 0.3, 0.04},
              {4, 1, 0.3, 0.04},
              {2, 5, 0.2, 0.06},
              {5, 2, 0.2, 0.06},
              {3, 4, 0.8, 0.30},
              {4, 3, 1.0, 0.30},
              {4, 5, 1.5, 0.20},
              {5, 4, 1.8, 0.20},
              {3, 6, 1.2, 0.10},
              {6, 3, 1.0, 0.15},
              {5, 6, 1.0, 0.15},
              {6, 5, 1.1, 0.10}}}};

static const double cost_a[REGIONS] = {1.0, 2.0, 5.0}, cost_b[REGIONS] = {0.5, 0.4, 0.3};        // making
static const double worth_c[REGIONS] = {19.0, 27.0, 30.0}, worth_e[REGIONS] = {0.2, 0.01, 0.3};  // the market

typedef struct Layout {
  const Network* net;
  int model, firms, supplies;  // supplies of one firm
} Layout;

// Unknowns of firm k: supplies, demands, flows, prices. A firm of the oligopoly makes in region k only.
static int firm_size(const Layout* l) { return l->supplies + REGIONS + l->net->links + l->net->nodes; }
static int supply(const Layout* l, int k, int r) { return k * firm_size(l) + r; }
static int demand(const Layout* l, int k, int r) { return k * firm_size(l) + l->supplies + r; }
static int flow(const Layout* l, int k, int a) { return demand(l, k, REGIONS) + a; }
static int price(const Layout* l, int k, int n) { return flow(l, k, l->net->links) + n; }

static void add_supply(ChEntries* e, const Layout* l, int k, int j) {
  int r = l->model == OLIGOPOLY ? k : j, s = supply(l, k, j), pi = price(l, k, r);
  e->b[s] = cost_a[r];
  ch_entries_add(e, s, s, cost_b[r]);
  ch_entries_add(e, s, pi, -1.0);
  ch_entries_add(e, pi, s, 1.0);
}

// Worth of one more unit: the price when nobody thinks it moves, price - e d_k when the seller knows it does.
static void add_demand(ChEntries* e, const Layout* l, int k, int r) {
  int d = demand(l, k, r), pi = price(l, k, r);
  e->b[d] = -worth_c[r];
  for (int j = 0; j < l->firms; ++j) ch_entries_add(e, d, demand(l, j, r), worth_e[r]);
  if (l->model != COMPETITIVE) ch_entries_add(e, d, d, worth_e[r]);
  ch_entries_add(e, d, pi, 1.0);
  ch_entries_add(e, pi, d, -1.0);
}

// Shipping is paid at average cost, alpha + beta f; who owns the network reckons with alpha + 2 beta f.
static void add_flow(ChEntries* e, const Layout* l, int k, int a) {
  const Link* link = &l->net->link[a];
  int f = flow(l, k, a), tail = price(l, k, link->tail), head = price(l, k, link->head);
  e->b[f] = link->alpha;
  for (int j = 0; j < l->firms; ++j) ch_entries_add(e, f, flow(l, j, a), link->beta);
  if (l->model == MONOPOLY_MARGINAL) ch_entries_add(e, f, f, link->beta);
  ch_entries_add(e, f, tail, 1.0);
  ch_entries_add(e, f, head, -1.0);
  ch_entries_add(e, tail, f, -1.0);
  ch_entries_add(e, head, f, 1.0);
}

static void build(ChArena* arena, const int* values, ChMcp* out) {
  bool many = values[0] == OLIGOPOLY;
  Layout l = {&networks[values[1] - 1], values[0], many ? REGIONS : 1, many ? 1 : REGIONS};
  ChEntries e = ch_entries_take(arena, l.firms * firm_size(&l), 2000);
  for (int k = 0; k < l.firms; ++k) {
    for (int r = 0; r < l.supplies; ++r) add_supply(&e, &l, k, r);
    for (int r = 0; r < REGIONS; ++r) add_demand(&e, &l, k, r);
    for (int a = 0; a < l.net->links; ++a) add_flow(&e, &l, k, a);
    for (int n = 0; n < l.net->nodes; ++n) ch_entries_free_variable(&e, price(&l, k, n));
  }
  *out = ch_entries_mcp(arena, &e);
  for (int i = 0; i < out->n; ++i) out->start[i] = 1.0;
}

const ChMcpKind ch_model_spatial_price = {
    .model = {.name = "spatial-price",
              .summary = "competition in space, after Harker, own data",
              .keys = {{"model", 1, 1, 4,
                        "1 competitive, 2 monopoly owning its network, 3 monopoly paying for it, 4 oligopoly"},
                       {"network", 1, 1, 2, "1 regions only, 2 with yards and a port between"}}},
    .build = build};
