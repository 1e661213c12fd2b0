/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For a display that is far away: answers what needs no question to the server. Loaded before Tk is, into the scope where it looks for Xlib first
 * (init_data.c); near displays never load it. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <X11/Xlib.h>

/* Tk waits for the server after each ten texts drawn or measured, to have seen all errors before it forgets who wants them. Who is not forgotten by
 * then is the next time, when an answer or an event has come; errors find them till then. Once in so many times it does wait. */
enum { PAUSES_SPARED = 100 };

#define FAR __attribute__((visibility("default")))

static void *real(const char *name) {
    static void *xlib;
    if (!xlib)
        xlib = dlopen("libX11.so.6", RTLD_LAZY | RTLD_LOCAL);
    void *f = xlib ? dlsym(xlib, name) : NULL;
    if (!f)
        abort(); /* it is what called us */
    return f;
}

FAR int XSync(Display *display, Bool discard) {
    static int spared;
    Dl_info from;
    if (!discard && dladdr(__builtin_return_address(0), &from) && from.dli_sname && !strcmp(from.dli_sname, "Tk_DeleteErrorHandler") &&
        ++spared % PAUSES_SPARED)
        return 1;
    int (*f)(Display *, Bool);
    *(void **)&f = real("XSync");
    return f(display, discard);
}

/* The visual of a screen's own colours, where their bits say what they are; NULL: it is another map. */
static const Visual *true_colours(Display *display, Colormap map) {
    for (int i = 0; i < ScreenCount(display); i++)
        if (map == DefaultColormap(display, i)) {
            const Visual *v = DefaultVisual(display, i);
            return v->class == TrueColor && v->red_mask && v->green_mask && v->blue_mask ? v : NULL;
        }
    return NULL;
}

static unsigned long pack(unsigned long mask, unsigned short *value) {
    unsigned long least = mask & -mask, most = mask / least, v = (unsigned long)*value * (most + 1) >> 16;
    *value = (unsigned short)(v * 65535 / most);
    return v * least;
}

static unsigned short unpack(unsigned long mask, unsigned long pixel) {
    unsigned long least = mask & -mask;
    return (unsigned short)((pixel & mask) / least * 65535 / (mask / least));
}

FAR Status XAllocColor(Display *display, Colormap map, XColor *c) {
    const Visual *v = true_colours(display, map);
    if (v) {
        c->pixel = pack(v->red_mask, &c->red) | pack(v->green_mask, &c->green) | pack(v->blue_mask, &c->blue);
        return 1;
    }
    Status (*f)(Display *, Colormap, XColor *);
    *(void **)&f = real("XAllocColor");
    return f(display, map, c);
}

FAR int XQueryColors(Display *display, Colormap map, XColor *c, int n) {
    const Visual *v = true_colours(display, map);
    if (v) {
        for (int i = 0; i < n; i++) {
            c[i].red = unpack(v->red_mask, c[i].pixel);
            c[i].green = unpack(v->green_mask, c[i].pixel);
            c[i].blue = unpack(v->blue_mask, c[i].pixel);
            c[i].flags = DoRed | DoGreen | DoBlue;
        }
        return 1;
    }
    int (*f)(Display *, Colormap, XColor *, int);
    *(void **)&f = real("XQueryColors");
    return f(display, map, c, n);
}

FAR int XQueryColor(Display *display, Colormap map, XColor *c) { return XQueryColors(display, map, c, 1); }

/* Names that Tk asks for one by one while it starts: all with one question. */
FAR Atom XInternAtom(Display *display, const char *name, Bool only_if_exists) {
    static char *names[] = {"WM_DELETE_WINDOW", "WM_PROTOCOLS", "_NET_WM_PING", "_NET_WM_NAME", "UTF8_STRING", "_NET_WM_WINDOW_TYPE",
                            "_NET_WM_WINDOW_TYPE_POPUP_MENU", "_NET_WM_STATE", "_NET_WM_STATE_ABOVE", "_NET_WM_STATE_MAXIMIZED_VERT",
                            "_NET_WM_STATE_MAXIMIZED_HORZ", "_NET_WM_STATE_FULLSCREEN", "TK_APPLICATION", "TK_WINDOW", "InterpRegistry",
                            "Comm", "CLIPBOARD", "MULTIPLE", "TARGETS", "TIMESTAMP", "TEXT", "COMPOUND_TEXT", "INCR", "ATOM_PAIR",
                            "cursor"};
    enum { N = sizeof names / sizeof *names };
    static Atom atoms[N];
    static Display *of;
    if (!of) {
        Status (*all)(Display *, char **, int, Bool, Atom *);
        *(void **)&all = real("XInternAtoms");
        of = display;
        (void)all(display, names, N, False, atoms);
    }
    for (int i = 0; i < N && of == display; i++)
        if (atoms[i] && !strcmp(names[i], name))
            return atoms[i];
    Atom (*f)(Display *, const char *, Bool);
    *(void **)&f = real("XInternAtom");
    return f(display, name, only_if_exists);
}
