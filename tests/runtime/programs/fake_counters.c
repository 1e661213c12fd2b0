/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* fake_counters PROG [ARGS...]: runs PROG on a machine that seems to have hardware counters. Its perf_event_open for hardware
 * and raw events is answered, by way of seccomp's user notification, with an event of the kernel's task clock that fires half
 * as many nanoseconds apart as the period says: a counter of 2 events for each ns. Exit code 77: this kernel can't do that. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static int install(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

static void send_fd(int socket, int fd) {
    char control[CMSG_SPACE(sizeof fd)] = {0}, byte = fd < 0;
    struct iovec v = {&byte, 1};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
    if (fd >= 0) {
        m.msg_control = control;
        m.msg_controllen = sizeof control;
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(c), &fd, sizeof fd);
    }
    sendmsg(socket, &m, 0);
}

static int receive_fd(int socket) {
    char control[CMSG_SPACE(sizeof(int))], byte;
    struct iovec v = {&byte, 1};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    int fd = -1;
    if (recvmsg(socket, &m, 0) == 1 && CMSG_FIRSTHDR(&m))
        memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fd);
    return fd;
}

static void answer(int listener) {
    struct seccomp_notif request;
    struct seccomp_notif_resp response;
    struct perf_event_attr a;
    memset(&request, 0, sizeof request);
    memset(&response, 0, sizeof response);
    memset(&a, 0, sizeof a);
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request))
        return;
    struct iovec here = {&a, PERF_ATTR_SIZE_VER5}, there = {(void *)request.data.args[0], PERF_ATTR_SIZE_VER5};
    response.id = request.id;
    response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    if (process_vm_readv((pid_t)request.pid, &here, 1, &there, 1, 0) == PERF_ATTR_SIZE_VER5 &&
        (a.type == PERF_TYPE_HARDWARE || a.type == PERF_TYPE_HW_CACHE || a.type == PERF_TYPE_RAW)) {
        a.size = PERF_ATTR_SIZE_VER5;
        a.type = PERF_TYPE_SOFTWARE;
        a.config = PERF_COUNT_SW_TASK_CLOCK;
        a.config1 = a.config2 = 0;
        a.sample_period /= 2;
        int fd = (int)syscall(SYS_perf_event_open, &a, (pid_t)request.pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
        response.flags = 0;
        response.error = fd < 0 ? -errno : 0;
        if (fd >= 0) {
            struct seccomp_notif_addfd add = {.id = request.id, .flags = SECCOMP_ADDFD_FLAG_SEND, .srcfd = (uint32_t)fd};
            add.newfd_flags = 02000000; /* O_CLOEXEC */
            int sent = ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
            close(fd);
            if (sent >= 0)
                return;
            response.error = -errno;
        }
    }
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

int main(int argc, char **argv) {
    int pair[2], status;
    if (argc < 2 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        return 2;
    pid_t child = fork();
    if (!child) {
        int listener = install();
        send_fd(pair[1], listener);
        if (listener < 0)
            _exit(77);
        close(listener);
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    close(pair[1]);
    int listener = receive_fd(pair[0]);
    while (listener >= 0 && waitpid(child, &status, WNOHANG) == 0) {
        struct pollfd p = {listener, POLLIN, 0};
        if (poll(&p, 1, 20) > 0 && p.revents & POLLIN)
            answer(listener);
    }
    if (listener < 0)
        waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
