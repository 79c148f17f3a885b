/* SPDX-License-Identifier: MIT */
/* `hdb doctor`: what of hdb works on this machine. Private to this folder. */
#ifndef DOCTOR_H
#define DOCTOR_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum finding_state {
   FINDING_OK,
   FINDING_NO,
   FINDING_UNKNOWN /* can't be told from here */
};

struct finding {
   const char *name;
   enum finding_state state;
   char text[200];
   char remedy[200]; /* what to do: one command or step; "": nothing */
};

struct doctor {
   const char *root; /* "" for this machine; else a folder that stands for it, where nothing is tried out */
   struct finding findings[24];
   size_t count;

   char card[16];      /* "card0", or "": no Radeon card that hdb knows */
   char address[16];   /* of the card on the PCI bus */
   char node[300];     /* its render node, or "" */
   char folder[300];   /* in debugfs, or "" */
   char layer_api[16]; /* the Vulkan version in the layer's manifest */
};

#define PRINTF(text, first) __attribute__((format(printf, text, first)))

/* `remedy`: what is not ok has a command for it; NULL: nothing is to be done. */
PRINTF(5, 6)
void doctor_find(struct doctor *doctor, const char *name, enum finding_state state, const char *remedy,
                 const char *format, ...);

/* ---- files of the machine: paths are absolute, and looked up below the root ---- */

void machine_path(const struct doctor *doctor, char path[PATH_MAX], const char *format, ...) PRINTF(3, 4);
bool machine_has(const struct doctor *doctor, const char *format, ...) PRINTF(2, 3);
/* The first line, without its newline and blanks around it; false: there is no such file. */
bool machine_read(const struct doctor *doctor, char *line, size_t size, const char *format, ...) PRINTF(4, 5);

/* Whether this hdb stands in its build tree. */
bool doctor_runs_in_build_tree(const struct doctor *doctor);

/* ---- what is looked at ---- */

void check_kernel(struct doctor *doctor);
void check_card(struct doctor *doctor);
void check_access(struct doctor *doctor);
void check_timeout(struct doctor *doctor);
void check_second_level(struct doctor *doctor);
void check_vulkan(struct doctor *doctor);

/* ---- try.c: things done in a child process, which may crash or hang: true, or false with the reason ---- */

bool try_virtual_gpu(const char *library, char *text, size_t size);
bool try_layer(const char *library, char *text, size_t size);
bool try_driver(const char *loader, const char *manifest, char *text, size_t size);

/* ---- what comes out ---- */

void print_screen(const struct doctor *doctor, FILE *file);
int write_report(const struct doctor *doctor, const char *path);

#endif
