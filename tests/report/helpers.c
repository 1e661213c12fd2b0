/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* With LIBRARY: one that makes threads for itself, as MPI_Init does. Without: two threads of OpenMP with the same work. */
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

#ifdef LIBRARY
static void *progress(void *nothing) {
    for (;;)
        usleep(2000);
    return nothing;
}

void begin_progress(void);
void begin_progress(void) {
    pthread_t t;
    for (int i = 0; i < 2; i++)
        pthread_create(&t, NULL, progress, NULL);
}
#else
volatile uint64_t result;
void begin_progress(void);

__attribute__((noinline)) void even_work(uint64_t steps) {
    uint64_t x = 1;
    for (uint64_t i = 0; i < steps; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    result = x;
}

int main(void) {
    begin_progress();
#pragma omp parallel num_threads(2)
    even_work(400000000);
    return 0;
}
#endif
