// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fork inside a scope: parent and child go on counting, each in its own file.
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
volatile int sink;
__attribute__((noinline)) void before(int i) {
    sink = i;
}
__attribute__((noinline)) void in_parent(int i) {
    sink = i;
}
__attribute__((noinline)) void in_child(int i) {
    sink = i;
}
__attribute__((noinline)) int forks(void) {
    pid_t p = fork();
    for (int i = 0; i < 50; i++)
        p ? in_parent(i) : in_child(i);
    return p;
}
int main(void) {
    for (int i = 0; i < 20; i++)
        before(i);
    int status;
    if (!forks())
        return 0;
    wait(&status);
    puts("done");
    return status;
}
