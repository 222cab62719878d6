// The card house of 004, stepped by one method, with what chapters 5 and 6 measure at every step.
#ifndef CH_REPRODUCE_CARD_HOUSE_H
#define CH_REPRODUCE_CARD_HOUSE_H

#include "cardhouse/simulation.h"
#include "reproduce/item.h"

// Pivots of a step by Lemke's method, at most: it takes about a thousand, or wanders without end.
enum { CH_HOUSE_PIVOTS = 10000 };

typedef struct ChHouse {
  int levels;
  double shake;                 // random velocities of the cards at the start, m/s and rad/s; 0: at rest
  int steps;                    // of 1 ms
  ChSimulationOptions options;  // as ch_house_options leaves them, or changed
  const char* record;           // file of the trajectory in the item's folder, or NULL
  int every;                    // steps from row to row
  double progress[2];           // part of the item's progress; {0, 0}: none is told
  double seconds;               // stops after so many processor seconds; 0: never
} ChHouse;

// One step. Energies in joule: reactions are impulses, so that the objective is a work.
typedef struct ChHouseStep {
  double objective;     // (5.32), with the least lambda that the answer admits
  double residual;      // (5.22)
  double natural;       // of the certificate
  double seconds;       // processor time of the whole step
  double displacement;  // largest of a card from its start, m
  double speed;         // largest of a card, m/s
  int contacts;
  long iterations;
  bool missed;
} ChHouseStep;

typedef struct ChHouseSum {
  int steps, missed;
  double seconds;                       // mean of a step
  double objective[2], residual;        // lowest and highest; highest
  double natural, displacement, speed;  // highest
  double iterations, contacts;          // mean
  int fallen;                           // cards whose centre sank by more than a tenth of their length
  int cards;
} ChHouseSum;

// The document's setting with this method: no stabilisation (004 s7.2), h = 1 ms. Rest is off, and there is no limit by
// the clock, so that a result does not depend on how busy the machine is.
ChStatus ch_house_options(ChItemRun* run, const char* method, ChSimulationOptions* out);

// The house before its first step, for who wants to step it himself; the caller destroys it.
ChStatus ch_house_simulation(ChItemRun* run, const ChHouse* house, ChSimulation** out);

// The sizes that were chosen, as a choice of the report.
void ch_house_tell_cards(ChReport* report);

// `steps` has house->steps entries, or is NULL.
ChStatus ch_house_run(ChItemRun* run, const ChHouse* house, ChHouseStep* steps, ChHouseSum* sum);

#endif
