/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What `heatscope run` tells the runtime of a sample's cost is something that it takes (else each process would complain of it), and has its range in order. */
#include "../../cli/sample_cost.h"

#undef NDEBUG
#include <assert.h>

#define N(a) (sizeof(a) / sizeof *(a))

static void is(hsc_cli_gaps g, unsigned long least, unsigned long warm, unsigned long cold, unsigned long most) {
    assert(g.least_ns == least && g.warm_ns == warm && g.cold_ns == cold && g.most_ns == most);
}

int main(void) {
    uint64_t warm[] = {31000, 29000, 900000, 28000, 30000}, cold[] = {40000, 36000, 3000000, 38000, 50000};
    is(hsc_cli_gaps_of(warm, N(warm), cold, N(cold)), 28000, 30000, 40000, 50000);
    is(hsc_cli_gaps_of(warm, N(warm), NULL, 0), 28000, 30000, 30000, 31000); /* nobody napped */
    uint64_t less[] = {20000, 22000, 24000, 21000}; /* a nap on a processor that runs faster then */
    is(hsc_cli_gaps_of(warm, N(warm), less, N(less)), 28000, 30000, 30000, 31000);
    uint64_t busy[] = {1971699, 2100000, 30000, 1800000, 5000000};
    is(hsc_cli_gaps_of(busy, N(busy), cold, N(cold)), 0, 0, 0, 0);
    is(hsc_cli_gaps_of(warm, N(warm), busy, N(busy)), 28000, 30000, 30000, 31000); /* others had the processor after each nap */
    uint64_t crowded[] = {896245, 30000, 910000, 20019, 896000, 900000, 31000, 950000}; /* others had it in most of them, none so long that nobody would believe it */
    is(hsc_cli_gaps_of(crowded, N(crowded), NULL, 0), 20019, 30000, 30000, 31000);
    uint64_t most[] = {HSC_CLI_SAMPLE_COST_MAX}, more[] = {HSC_CLI_SAMPLE_COST_MAX + 1};
    is(hsc_cli_gaps_of(most, 1, NULL, 0), HSC_CLI_SAMPLE_COST_MAX, HSC_CLI_SAMPLE_COST_MAX, HSC_CLI_SAMPLE_COST_MAX, HSC_CLI_SAMPLE_COST_MAX);
    is(hsc_cli_gaps_of(more, 1, NULL, 0), 0, 0, 0, 0);
    is(hsc_cli_gaps_of(NULL, 0, cold, N(cold)), 0, 0, 0, 0);
    return 0;
}
