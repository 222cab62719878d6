// The threads of the dense kernels. OpenBLAS adds in an order that depends on how many it has, and its number is one
// for the whole program: what must come out the same to the bit is computed while it is held at one.
#ifndef CH_LINALG_BLAS_THREADS_H
#define CH_LINALG_BLAS_THREADS_H

// Between these two, which may be nested and called from several threads, dense kernels run on the calling thread
// alone; after the last release there are as many threads as before. Other threads of the program feel it meanwhile.
void ch_blas_threads_hold(void);
void ch_blas_threads_release(void);

#endif
