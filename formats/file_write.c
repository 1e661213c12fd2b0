/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes a whole file so that nobody ever sees half of it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <heatscope/formats/stream.h>

static int write_all(int fd, const char *p, size_t n) {
    while (n) {
        ssize_t k = write(fd, p, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0) {
            errno = k ? errno : EIO;
            return -1;
        }
        p += k;
        n -= (size_t)k;
    }
    return 0;
}

/* A pipe, a terminal, /dev/null: nothing to rename there. */
static hsc_status write_in_place(const char *path, const void *bytes, size_t size, hsc_err *err) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return hsc_err_set_errno(err, errno, "%s: cannot open for writing", path);
    hsc_status status = HSC_OK;
    if (write_all(fd, bytes, size))
        status = hsc_err_set_errno(err, errno, "%s: cannot write %zu bytes", path, size);
    close(fd);
    return status;
}

static void sync_folder(const char *path) {
    char *copy = strdup(path);
    if (!copy)
        return;
    char *slash = strrchr(copy, '/');
    if (slash)
        slash[slash == copy] = 0;
    int fd = open(slash ? copy : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(copy);
}

hsc_status hsc_file_write_atomic(const char *path, const void *bytes, size_t size, hsc_err *err) {
    struct stat st;
    hsc_status status = HSC_OK;
    char *target = NULL, *beside = NULL;
    int fd = -1;
    bool exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode))
        return hsc_err_set_errno(err, EISDIR, "%s: cannot write", path);
    if (exists && !S_ISREG(st.st_mode))
        return write_in_place(path, bytes, size, err);
    target = exists ? realpath(path, NULL) : strdup(path); /* a symbolic link stays one */
    size_t room = strlen(target ? target : "") + 48;
    beside = malloc(room);
    if (!target || !beside) {
        status = hsc_err_set(err, HSC_E_MEMORY, "%s: out of memory", path);
        goto done;
    }
    for (unsigned i = 0; fd < 0 && i < 100; i++) {
        snprintf(beside, room, "%s.tmp-%ld-%u", target, (long)getpid(), i);
        fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd < 0) {
        status = hsc_err_set_errno(err, errno, "%s: cannot create", beside);
        goto done;
    }
    if ((exists && fchmod(fd, st.st_mode & 07777)) || write_all(fd, bytes, size) || fsync(fd)) {
        status = hsc_err_set_errno(err, errno, "%s: cannot write %zu bytes", path, size);
        close(fd);
        unlink(beside);
        goto done;
    }
    if (close(fd) || rename(beside, target)) {
        status = hsc_err_set_errno(err, errno, "%s: cannot put in place", path);
        unlink(beside);
        goto done;
    }
    sync_folder(target);
done:
    free(beside);
    free(target);
    return status;
}
