/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Processes: MODE fork, vfork, spawn, system, exec, execfail, execl, quick, underscore, signal NUMBER, abort, code N,
 * forever, storm N, crowd N. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
volatile double sink;

__attribute__((noinline)) void work(long n) {
    double x = 1;
    for (long i = 0; i < n; i++)
        x = x * 1.0000001 + i;
    sink = x;
}

__attribute__((noinline)) void in_child(void) {
    work(60000000);
    sink += 1;
}

__attribute__((noinline)) void in_parent(void) {
    work(60000000);
    sink += 1;
}

static int wait_for(pid_t p) {
    int status;
    return waitpid(p, &status, 0) == p && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Forks as the others do at the same time; its signal mask stays what it was. */
static void *forks(void *n) {
    sigset_t before, after;
    memset(&before, 0, sizeof before);
    memset(&after, 0, sizeof after);
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    for (int i = 0; i < *(const int *)n; i++) {
        pid_t p = fork();
        if (!p)
            _exit(5);
        if (wait_for(p) != 5)
            return NULL;
        pthread_sigmask(SIG_SETMASK, NULL, &after);
        if (memcmp(&before, &after, sizeof before))
            return NULL;
    }
    return n;
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    char *args[] = {argv[0], (char *)"code", (char *)"3", NULL};
    pid_t p;
    setvbuf(stdout, NULL, _IONBF, 0);
    if (!strcmp(mode, "code")) {
        in_child();
        return atoi(argv[2]);
    }
    if (!strcmp(mode, "fork")) {
        if (!(p = fork())) {
            in_child();
            exit(4);
        }
        in_parent();
        return wait_for(p) == 4 ? 0 : 1;
    }
    if (!strcmp(mode, "storm")) {
        for (int i = 0; i < atoi(argv[2]); i++) {
            if (!(p = fork()))
                _exit(5);
            if (wait_for(p) != 5)
                return 1;
        }
        in_parent();
        return 0;
    }
    if (!strcmp(mode, "crowd")) {
        pthread_t t[4];
        int n = atoi(argv[2]), right = 0;
        for (int i = 0; i < 4; i++)
            pthread_create(&t[i], NULL, forks, &n);
        for (int i = 0; i < 4; i++) {
            void *result = NULL;
            pthread_join(t[i], &result);
            right += result == &n;
        }
        in_parent();
        return right == 4 ? 0 : 1;
    }
    if (!strcmp(mode, "vfork")) {
        if (!(p = vfork())) {
            execv(argv[0], args);
            _exit(127);
        }
        in_parent();
        return wait_for(p) == 3 ? 0 : 1;
    }
    if (!strcmp(mode, "spawn")) {
        if (posix_spawn(&p, argv[0], NULL, NULL, args, environ))
            return 2;
        in_parent();
        return wait_for(p) == 3 ? 0 : 1;
    }
    if (!strcmp(mode, "system")) {
        char command[4096];
        snprintf(command, sizeof command, "%s code 3", argv[0]);
        int status = system(command);
        return WIFEXITED(status) && WEXITSTATUS(status) == 3 ? 0 : 1;
    }
    if (!strcmp(mode, "exec")) {
        in_parent();
        execv(argv[0], args);
        return 1;
    }
    if (!strcmp(mode, "execl")) {
        in_parent();
        execl(argv[0], argv[0], "code", "3", (char *)NULL);
        return 1;
    }
    if (!strcmp(mode, "execfail")) {
        in_parent();
        if (execv("/nonexistent/program", args) != -1 || errno != ENOENT)
            return 1;
        in_child();
        return 6;
    }
    if (!strcmp(mode, "quick")) {
        in_parent();
        quick_exit(7);
    }
    if (!strcmp(mode, "underscore")) {
        in_parent();
        _exit(8);
    }
    if (!strcmp(mode, "signal")) {
        in_parent();
        raise(atoi(argv[2]));
        return 9;
    }
    if (!strcmp(mode, "abort")) {
        in_parent();
        abort();
    }
    if (!strcmp(mode, "forever")) {
        printf("started\n");
        for (;;)
            work(1000000);
    }
    return 99;
}
