#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# odd.sh PREFIX WORK_FOLDER: what is rarely written compiles as it does without the pass, and has its map.
set -eu
h=$1/bin/heatscope
rm -rf "$2"
mkdir -p "$2"
cd "$2"
n=0
fail() {
    echo "odd: $*" >&2
    exit 1
}
# both WRAPPER COMPILER FILE [OPTION...]: the object is loadable code equal to that without the pass
both() {
    wrapper=$1 compiler=$2 file=$3
    shift 3
    for level in -O0 -O2; do
        "$compiler" -g $level "$@" -c "$file" -o without.o || fail "$file $*: does not compile without the pass"
        "$h" "$wrapper" -g $level "$@" -c "$file" -o with.o || fail "$file $level $*: the pass breaks it"
        for o in with without; do
            objcopy -g -R .heatscope.map -R .comment $o.o $o.bare
            objdump -d -r -s $o.bare | tail -n +3 > $o.txt
        done
        cmp -s with.txt without.txt || fail "$file $level $*: other code"
        "$h" map --summary with.o > map.txt || fail "$file $level $*: no map"
        n=$((n + 1))
    done
}
cat > odd.c << 'X'
#include <setjmp.h>
#include <stdarg.h>
jmp_buf env;
int asm_goto(int x) {
    __asm__ goto("" : : : : out);
    return x;
out:
    return x + 1;
}
int computed(const unsigned char *code) {
    static void *const table[] = {&&stop, &&add, &&sub};
    int s = 0;
    goto *table[*code++];
add:
    s++;
    goto *table[*code++];
sub:
    s--;
    goto *table[*code++];
stop:
    return s;
}
int jump(int n) {
    volatile int tries = 0;
    if (setjmp(env) < n) {
        tries++;
        longjmp(env, tries);
    }
    return tries;
}
double vla(int n, double a[n][n]) {
    double b[n], s = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[i] = a[i][j], s += b[i];
    return s;
}
int variadic(int n, ...) {
    va_list l;
    va_start(l, n);
    int s = 0;
    while (n--)
        s += va_arg(l, int);
    va_end(l);
    return s;
}
int irreducible(int a, int n) {
    if (a)
        goto middle;
top:
    a += n;
middle:
    if (--n > 0)
        goto top;
    return a;
}
__attribute__((weak)) int weak_one(int n) { return n ? weak_one(n - 1) + n : 0; }
extern int other(int) __attribute__((alias("weak_one")));
X
: > empty.c
cat > odd.cpp << 'X'
#include <coroutine>
#include <exception>
#include <stdexcept>
#include <vector>
struct task {
    struct promise_type {
        int value = 0;
        task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int v) { value = v; return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
    std::coroutine_handle<promise_type> handle;
};
task numbers(int n) {
    for (int i = 0; i < n; i++)
        co_yield i;
}
int total(int n) {
    task t = numbers(n);
    int s = 0;
    for (t.handle.resume(); !t.handle.done(); t.handle.resume())
        s += t.handle.promise().value;
    t.handle.destroy();
    return s;
}
int caught(const std::vector<int> &v, unsigned n) {
    int s = 0;
    for (unsigned i = 0; i < n; i++)
        try {
            s += v.at(i);
        } catch (const std::out_of_range &) {
            s--;
        }
    return s;
}
template <class... T> auto fold(T... t) { return (t + ...); }
int folded(int a) { return fold(a, a + 1, [a] { int s = 0; for (int i = 0; i < a; i++) s += i; return s; }()); }
X
cat > odd.f90 << 'X'
module shapes
  interface
    module subroutine scale(n, a)
      integer, intent(in) :: n
      real, intent(inout) :: a(n)
    end subroutine
  end interface
end module
submodule (shapes) body
contains
  module procedure scale
    integer :: i
    do i = 1, n
      a(i) = 2 * a(i)
    end do
  end procedure
end submodule
block data
  common /numbers/ x(10)
  data x /10*1.0/
end block data
subroutine first(n)
  common /numbers/ x(10)
  integer :: n, i
  do 10 i = 1, n
10  x(i) = x(i) + 1
  return
  entry second(n)
  do 20 i = 1, n
    if (x(i)) 20, 15, 20
15  x(i) = 0
20 continue
end subroutine
X
both cc clang-19 odd.c
both cc clang-19 empty.c
both cc clang-19 odd.c -fsanitize=address,undefined
both cc clang-19 odd.c -fsanitize=thread
both cc clang-19 odd.c -gsplit-dwarf
both cc clang-19 odd.c -g0
both cc clang-19 odd.c -gline-tables-only
both cc clang-19 odd.c -fprofile-instr-generate -fcoverage-mapping
both cc clang-19 odd.c -fdebug-info-for-profiling
both cc clang-19 odd.c -gdwarf-4 -fopenmp -ffunction-sections
both c++ clang++-19 odd.cpp -std=c++20
both c++ clang++-19 odd.cpp -std=c++20 -fsanitize=address
both fc flang-new-19 odd.f90
clang-19 -O1 -g -emit-llvm -c odd.c -o odd.bc
both cc clang-19 odd.bc
echo "odd: $n pairs of objects are the same"
