/* SPDX-License-Identifier: MIT */
/* `hdb doctor`: what of hdb works on this machine, and what to do about the rest. */
#include <getopt.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "doctor/doctor.h"
#include "paths.h"

enum { EXIT_NO_ROAD = 1, EXIT_WRONG_USAGE = 2 };

static const char usage[] = "usage: hdb doctor [--json] [--report FILE] [--root DIR]\n"
                            "  --json          for programs\n"
                            "  --report FILE   what to send after a first try on a card; look through it before\n"
                            "  --root DIR      look at the files below DIR instead of this machine's; try nothing\n";

/* ---- findings --------------------------------------------------------------------------------------------------- */

void
doctor_find(struct doctor *doctor, const char *name, enum finding_state state, const char *remedy, const char *format,
            ...)
{
   if (doctor->count == sizeof(doctor->findings) / sizeof(doctor->findings[0]))
      return;
   struct finding *finding = &doctor->findings[doctor->count++];
   finding->name = name;
   finding->state = state;
   snprintf(finding->remedy, sizeof(finding->remedy), "%s", remedy ? remedy : "");
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(finding->text, sizeof(finding->text), format, arguments);
   va_end(arguments);
}

static const struct finding *
doctor_get(const struct doctor *doctor, const char *name)
{
   for (size_t i = 0; i < doctor->count; i++) {
      if (strcmp(doctor->findings[i].name, name) == 0)
         return &doctor->findings[i];
   }
   return NULL;
}

/* ---- roads ------------------------------------------------------------------------------------------------------ */

enum road_state { ROAD_OPEN, ROAD_CLOSED, ROAD_UNKNOWN };

struct road {
   const char *name;
   bool untried;          /* nobody has taken it yet */
   const char *needs[14]; /* names of findings */
};

static const struct road roads[] = {
   {"virtual GPU", false, {"loader", "layer", "driver", "vgpu"}},
   {"card, through debugfs",
    true,
    {"kernel", "amdgpu", "card", "render node", "lockdown", "debugfs", "privileges", "helper", "lockup_timeout",
     "loader", "layer", "driver"}},
   {"card, by a second-level trap handler",
    true,
    {"kernel", "amdgpu", "card", "render node", "second-level traps", "lockup_timeout", "loader", "layer", "driver"}},
};

#define ROADS (sizeof(roads) / sizeof(roads[0]))

/* A road is as open as what it needs; what was not even looked at closes it only along with something else. `because`:
 * the first finding that decides it, or NULL. */
static enum road_state
road_state(const struct doctor *doctor, const struct road *road, const struct finding **because)
{
   enum road_state state = ROAD_OPEN;
   *because = NULL;
   for (size_t i = 0; road->needs[i]; i++) {
      const struct finding *finding = doctor_get(doctor, road->needs[i]);
      if (finding && finding->state == FINDING_NO) {
         *because = finding;
         return ROAD_CLOSED;
      }
      if (finding && finding->state == FINDING_UNKNOWN && state == ROAD_OPEN) {
         *because = finding;
         state = ROAD_UNKNOWN;
      }
   }
   return state;
}

/* ---- output ----------------------------------------------------------------------------------------------------- */

static const char *const state_marks[] = {[FINDING_OK] = "ok", [FINDING_NO] = "no", [FINDING_UNKNOWN] = "--"};
static const char *const road_marks[] = {[ROAD_OPEN] = "open", [ROAD_CLOSED] = "closed", [ROAD_UNKNOWN] = "not known"};

void
print_screen(const struct doctor *doctor, FILE *file)
{
   for (size_t i = 0; i < doctor->count; i++) {
      const struct finding *finding = &doctor->findings[i];
      fprintf(file, "%s  %-18s  %s\n", state_marks[finding->state], finding->name, finding->text);
      if (finding->remedy[0])
         fprintf(file, "                        -> %s\n", finding->remedy);
   }
   fputc('\n', file);
   for (size_t i = 0; i < ROADS; i++) {
      const struct finding *because;
      enum road_state state = road_state(doctor, &roads[i], &because);
      fprintf(file, "%s: %s", roads[i].name, road_marks[state]);
      if (because)
         fprintf(file, " (%s)", because->name);
      else if (roads[i].untried)
         fputs(", and nobody has taken it yet: docs/hardware.md", file);
      fputc('\n', file);
   }
}

static int
print_json(const struct doctor *doctor)
{
   json_t *findings = json_array(), *ways = json_array();
   for (size_t i = 0; i < doctor->count; i++) {
      const struct finding *finding = &doctor->findings[i];
      json_array_append_new(findings,
                            json_pack("{s:s, s:s, s:s, s:s}", "name", finding->name, "state",
                                      state_marks[finding->state], "text", finding->text, "remedy", finding->remedy));
   }
   for (size_t i = 0; i < ROADS; i++) {
      const struct finding *because;
      enum road_state state = road_state(doctor, &roads[i], &because);
      json_array_append_new(ways, json_pack("{s:s, s:s, s:s?}", "name", roads[i].name, "state", road_marks[state],
                                            "because", because ? because->name : NULL));
   }
   json_t *all = json_pack("{s:s, s:o, s:o}", "version", HDB_VERSION, "findings", findings, "roads", ways);
   int result = all ? json_dumpf(all, stdout, JSON_INDENT(2)) : -1;
   putchar('\n');
   json_decref(all);
   return result;
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

static void
examine(struct doctor *doctor)
{
   check_kernel(doctor);
   check_card(doctor);
   check_access(doctor);
   check_timeout(doctor);
   if (doctor->card[0])
      check_second_level(doctor);
   check_vulkan(doctor);
}

int
doctor_command(int argc, char **argv)
{
   enum { JSON = 256, REPORT, ROOT };
   static const struct option names[] = {
      {"json", no_argument, NULL, JSON},
      {"report", required_argument, NULL, REPORT},
      {"root", required_argument, NULL, ROOT},
      {"help", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0},
   };
   static struct doctor doctor = {.root = ""};
   bool json = false, wrong = false, help = false;
   const char *report = NULL;
   opterr = 0;
   for (int option; (option = getopt_long(argc, argv, "h", names, NULL)) != -1;) {
      if (option == JSON)
         json = true;
      else if (option == REPORT)
         report = optarg;
      else if (option == ROOT)
         doctor.root = strcmp(optarg, "/") == 0 ? "" : optarg;
      else if (option == 'h')
         help = true;
      else
         wrong = true;
   }
   if (help && !wrong) {
      fputs(usage, stdout);
      return EXIT_SUCCESS;
   }
   if (wrong || optind != argc) {
      fputs(usage, stderr);
      return EXIT_WRONG_USAGE;
   }

   examine(&doctor);
   int result = 0;
   if (json)
      result = print_json(&doctor);
   else
      print_screen(&doctor, stdout);
   if (report && write_report(&doctor, report) < 0)
      return EXIT_NO_ROAD;
   for (size_t i = 0; i < ROADS && result == 0; i++) {
      const struct finding *because;
      if (road_state(&doctor, &roads[i], &because) == ROAD_OPEN)
         return EXIT_SUCCESS;
   }
   return EXIT_NO_ROAD;
}
