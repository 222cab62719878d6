// CH_API marks every public function; a shared library hides all other functions.
#ifndef CARDHOUSE_API_H
#define CARDHOUSE_API_H

#if defined __GNUC__
#define CH_API __attribute__((visibility("default")))
#else
#define CH_API
#endif

#endif
