// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops in C++ for other compilers than ours; the comments as in foreign.c.
#include <stdexcept>
#include <vector>
volatile long sink;

[[gnu::noinline]] void risky(long i) {
    if (i > 1000)
        throw std::runtime_error("large");
}

[[gnu::noinline]] void loops(const std::vector<long> &v) {
    for (long x : v) { // loop range
        sink = x; // in range
    }
    for (auto it = v.begin(); it != v.end(); ++it) { // loop iterator
        for (long k = 0; k < *it; k++) // loop count
            sink = k; // in count iterator
        try {
            risky(*it);
            sink = 1; // in iterator
        } catch (const std::exception &) {
            sink = 2; // only unwinding leads here: that it is in the loop is not seen
        }
    }
    sink = 3; // in
}

int main(int argc, char **) {
    loops(std::vector<long>(argc, argc));
}
