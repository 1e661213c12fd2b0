/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pixel buffers shared with the X server. */
#include "surface.h"

#include <X11/Xutil.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>

static int note_error(ClientData data, XErrorEvent *event) {
    (void)event;
    *(bool *)data = true;
    return 0;
}

static void drop_image(hsc_surface *s, Tk_Window tkwin) {
    if (s->pending)
        XSync(Tk_Display(tkwin), False);
    s->pending = false;
    if (s->shared)
        XShmDetach(Tk_Display(tkwin), &s->segment);
    if (s->image) {
        if (s->direct)
            s->image->data = NULL; /* ours */
        XDestroyImage(s->image);
        s->image = NULL;
    }
    hsc_canvas_fini(&s->canvas);
    if (s->shared)
        shmdt(s->segment.shmaddr);
    else
        free(s->pixels);
    free(s->sent);
    s->sent = NULL;
    s->shared = false;
    s->pixels = NULL;
}

/* Attaching is refused by the server itself when the display is forwarded: ask and listen for the error. */
static _Thread_local const Display *refused; /* the last one that did: asking is a round trip for each widget and size */

static bool try_shared(hsc_surface *s, Tk_Window tkwin, int width, int height) {
    Display *display = Tk_Display(tkwin);
    bool failed = false;
    if (getenv("HEATSCOPE_NO_SHM") || display == refused || !XShmQueryExtension(display))
        return false;
    XImage *image = XShmCreateImage(display, Tk_Visual(tkwin), (unsigned)Tk_Depth(tkwin), ZPixmap, NULL, &s->segment,
                                    (unsigned)width, (unsigned)height);
    if (!image)
        return false;
    if (image->bits_per_pixel != 32)
        goto no_image;
    s->segment.shmid =
        shmget(IPC_PRIVATE, (size_t)image->bytes_per_line * (size_t)image->height, IPC_CREAT | 0600);
    if (s->segment.shmid < 0)
        goto no_image;
    s->segment.shmaddr = shmat(s->segment.shmid, NULL, 0);
    s->segment.readOnly = False;
    if (s->segment.shmaddr == (char *)-1) {
        shmctl(s->segment.shmid, IPC_RMID, NULL);
        goto no_image;
    }
    Tk_ErrorHandler trap = Tk_CreateErrorHandler(display, -1, -1, -1, note_error, &failed);
    Status attached = XShmAttach(display, &s->segment);
    XSync(display, False);
    Tk_DeleteErrorHandler(trap);
    shmctl(s->segment.shmid, IPC_RMID, NULL); /* goes away with the last of us, whatever happens */
    if (!attached || failed) {
        refused = display;
        shmdt(s->segment.shmaddr);
        goto no_image;
    }
    image->data = s->segment.shmaddr;
    s->image = image;
    s->pixels = (uint32_t *)(void *)image->data;
    s->stride = image->bytes_per_line / 4;
    s->shared = true;
    return true;
no_image:
    image->data = NULL;
    XDestroyImage(image);
    return false;
}

hsc_status hsc_surface_resize(hsc_surface *s, Tk_Window tkwin, int width, int height, double scale, hsc_err *err) {
    if (width < 1)
        width = 1;
    if (height < 1)
        height = 1;
    if (s->pixels && s->width == width && s->height == height) {
        s->canvas.scale = scale;
        return HSC_OK;
    }
    if (width > 20000 || height > 20000)
        return hsc_err_set(err, HSC_E_LIMIT, "a picture of %d x %d pixels, at most 20000 each way", width, height);
    drop_image(s, tkwin);
    Visual *v = Tk_Visual(tkwin);
    s->width = width;
    s->height = height;
    s->direct = v->class == TrueColor && v->red_mask == 0xff0000 && v->green_mask == 0xff00 && v->blue_mask == 0xff &&
                (Tk_Depth(tkwin) == 24 || Tk_Depth(tkwin) == 32);
    if (!s->direct || !try_shared(s, tkwin, width, height)) {
        s->stride = width;
        if (!(s->pixels = malloc((size_t)width * (size_t)height * 4)))
            return hsc_err_set(err, HSC_E_MEMORY, "no memory for a picture of %d x %d pixels", width, height);
        if (s->direct) {
            s->image = XCreateImage(Tk_Display(tkwin), v, (unsigned)Tk_Depth(tkwin), ZPixmap, 0, (char *)s->pixels,
                                    (unsigned)width, (unsigned)height, 32, width * 4);
            if (s->image) {
                uint16_t one = 1;
                s->image->byte_order = *(unsigned char *)&one ? LSBFirst : MSBFirst;
            }
        }
    }
    return hsc_canvas_init(&s->canvas, s->pixels, width, height, s->stride, scale, err);
}

void hsc_surface_begin(hsc_surface *s, Tk_Window tkwin) {
    if (s->pending)
        XSync(Tk_Display(tkwin), False);
    s->pending = false;
}

/* Visuals with other masks than ours: one pixel after the other. */
static void convert(hsc_surface *s, Tk_Window tkwin) {
    Visual *v = Tk_Visual(tkwin);
    if (!s->image) {
        s->image = XCreateImage(Tk_Display(tkwin), v, (unsigned)Tk_Depth(tkwin), ZPixmap, 0, NULL, (unsigned)s->width,
                                (unsigned)s->height, 32, 0);
        if (s->image && !(s->image->data = malloc((size_t)s->image->bytes_per_line * (size_t)s->height))) {
            XDestroyImage(s->image);
            s->image = NULL;
        }
        if (!s->image)
            return;
    }
    unsigned long masks[3] = {v->red_mask, v->green_mask, v->blue_mask};
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++) {
            uint32_t p = s->pixels[(size_t)y * (size_t)s->stride + (size_t)x];
            unsigned long out = 0;
            for (int k = 0; k < 3; k++) {
                unsigned long m = masks[k], low = m & (~m + 1), value = (p >> (16 - 8 * k)) & 255;
                if (m)
                    out |= (value * (m / low) / 255) * low;
            }
            XPutPixel(s->image, x, y, out);
        }
}

void hsc_surface_put(hsc_surface *s, Tk_Window tkwin, int x, int y, int w, int h) {
    if (!s->pixels || !Tk_WindowId(tkwin))
        return;
    if (x < 0)
        x = 0;
    if (y < 0)
        y = 0;
    if (w > s->width - x)
        w = s->width - x;
    if (h > s->height - y)
        h = s->height - y;
    if (w <= 0 || h <= 0)
        return;
    if (!s->gc) {
        XGCValues values = {.graphics_exposures = False};
        s->gc = Tk_GetGC(tkwin, GCGraphicsExposures, &values);
    }
    cairo_surface_flush(s->canvas.surface);
    if (!s->direct)
        convert(s, tkwin);
    if (!s->image)
        return;
    if (s->shared) {
        XShmPutImage(Tk_Display(tkwin), Tk_WindowId(tkwin), s->gc, s->image, x, y, x, y, (unsigned)w, (unsigned)h, False);
        s->pending = true;
    } else {
        XPutImage(Tk_Display(tkwin), Tk_WindowId(tkwin), s->gc, s->image, x, y, x, y, (unsigned)w, (unsigned)h);
    }
}

void hsc_surface_lose(hsc_surface *s) {
    s->lost = true;
}

/* Does row y differ from what was sent; if so widens [*x0, *x1) to where. */
static bool row_differs(const hsc_surface *s, int y, int *x0, int *x1) {
    const uint32_t *now = s->pixels + (size_t)y * (size_t)s->stride, *was = s->sent + (size_t)y * (size_t)s->stride;
    int a = 0, b = s->width;
    if (!memcmp(now, was, (size_t)s->width * 4))
        return false;
    while (now[a] == was[a])
        a++;
    while (now[b - 1] == was[b - 1])
        b--;
    *x0 = a < *x0 ? a : *x0;
    *x1 = b > *x1 ? b : *x1;
    return true;
}

void hsc_surface_show(hsc_surface *s, Tk_Window tkwin) {
    enum { APART = 12 }; /* rows that may lie between changed ones of a band: less than a request costs */
    size_t bytes = (size_t)s->stride * (size_t)s->height * 4;
    if (!s->pixels || s->shared || !s->direct || s->lost || !s->sent) {
        hsc_surface_put(s, tkwin, 0, 0, s->width, s->height);
        if (s->pixels && !s->shared && s->direct && (s->sent || (s->sent = malloc(bytes)))) {
            memcpy(s->sent, s->pixels, bytes);
            s->lost = !Tk_IsMapped(tkwin);
        }
        return;
    }
    int first = -1, last = -1, x0 = s->width, x1 = 0;
    cairo_surface_flush(s->canvas.surface);
    for (int y = 0; y <= s->height; y++) {
        bool end = y == s->height;
        if (first >= 0 && (end || y - last > APART)) {
            hsc_surface_put(s, tkwin, x0, first, x1 - x0, last - first + 1);
            first = -1;
            x0 = s->width;
            x1 = 0;
        }
        if (!end && row_differs(s, y, &x0, &x1)) {
            first = first < 0 ? y : first;
            last = y;
        }
    }
    memcpy(s->sent, s->pixels, bytes);
}

void hsc_surface_drop(hsc_surface *s, Tk_Window tkwin) {
    const hsc_canvas of = {.width = s->canvas.width, .height = s->canvas.height, .scale = s->canvas.scale};
    drop_image(s, tkwin);
    s->canvas = of;
}

void hsc_surface_fini(hsc_surface *s, Tk_Window tkwin) {
    drop_image(s, tkwin);
    if (s->gc)
        Tk_FreeGC(Tk_Display(tkwin), s->gc);
    s->gc = NULL;
}
