// What a shared library shows: CH_API stands before every public function; all else is hidden.
#ifndef CARDHOUSE_API_H
#define CARDHOUSE_API_H

#if defined __GNUC__
#define CH_API __attribute__((visibility("default")))
#else
#define CH_API
#endif

#endif
