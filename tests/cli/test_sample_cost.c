/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What `heatscope run` tells the runtime of a sample's cost is something that it takes: else each process would complain of it. */
#include "../../cli/sample_cost.h"

#undef NDEBUG
#include <assert.h>

int main(void) {
    uint64_t plain[] = {31000, 29000, 900000, 28000, 30000}, busy[] = {1971699, 2100000, 30000, 1800000, 5000000};
    uint64_t most[] = {HSC_CLI_SAMPLE_COST_MAX}, more[] = {HSC_CLI_SAMPLE_COST_MAX + 1};
    assert(hsc_cli_sample_cost_of(plain, 5) == 30000);
    assert(hsc_cli_sample_cost_of(busy, 5) == 0);
    assert(hsc_cli_sample_cost_of(most, 1) == HSC_CLI_SAMPLE_COST_MAX);
    assert(hsc_cli_sample_cost_of(more, 1) == 0);
    assert(hsc_cli_sample_cost_of(more, 0) == 0);
    return 0;
}
