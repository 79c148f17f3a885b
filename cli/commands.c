/* SPDX-License-Identifier: MIT */
/* The table of commands, help and quit. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

static int
command_quit(struct session *session, char *arguments)
{
   (void)arguments;
   bool alive = session->state == SESSION_RUNNING || session->state == SESSION_STOPPED;
   if (alive && session->pid && !prompt_confirm(session, "The program is being debugged; kill it?"))
      return 0;
   prompt_quit();
   return 0;
}

static int
command_help(struct session *session, char *arguments)
{
   (void)session;
   size_t length = strlen(arguments), shown = 0;
   for (const struct command *c = commands; c->name; c++) {
      if (strncmp(c->name, arguments, length) == 0) {
         printf("%-36s %s\n", c->usage, c->help);
         shown++;
      }
   }
   if (!shown)
      return error("no command \"%s\"; `help` lists them", arguments);
   if (!length)
      printf("A command may be cut short as long as it stays unique; an empty line repeats the last one.\n");
   return 0;
}

const struct command commands[] = {
   {"break", command_break, false, "break FILE:LINE|LINE|*ADDRESS|NAME",
    "stop there; pending until such a shader comes"},
   {"continue", command_continue, true, "continue", "let all waves go on, wait for the next stop"},
   {"catch", command_catch, false, "catch N|NAME|label:GLOB", "attach to dispatches, stop at their entry"},
   {"delete", command_delete, false, "delete [NUMBER]", "remove a breakpoint, or all"},
   {"disassemble", command_disassemble, false, "disassemble [ADDRESS]", "machine code around the pc"},
   {"display", command_display, false, "display[/x|lanes] [EXPRESSION]", "print it at each stop"},
   {"down", command_down, false, "down [COUNT]", "look at the function that was called"},
   {"frame", command_frame, false, "frame [NUMBER]", "look at a frame of the backtrace"},
   {"finish", command_finish, false, "finish", "run to the end of the inlined call that is looked at"},
   {"help", command_help, false, "help [COMMAND]", "this list"},
   {"info", command_info, false, "info SUBJECT", "what there is: locals, args, waves, ...; `info` names them"},
   {"list", command_list, true, "list [LINE|FILE:LINE]", "source text"},
   {"lane", command_lane, false, "lane [N]", "the lane that is shown and that line steps follow"},
   {"lanes", command_lanes, false, "lanes where|stats EXPRESSION", "in which lanes it is true; least, most, mean"},
   {"next", command_next, true, "next [COUNT]", "to the next line, over calls"},
   {"print", command_print, false, "print[/x|d|u|f|t|c|lanes] EXPRESSION",
    "as in the shader's language; also $v3[5], $pc"},
   {"ptype", command_ptype, false, "ptype EXPRESSION|TYPE", "the definition of a type"},
   {"pause", command_pause, false, "pause", "stop the waves; if none can be, the next dispatch at its entry"},
   {"quit", command_quit, false, "quit", "end hdb; a program it started ends too"},
   {"run", command_run, false, "run", "start the program"},
   {"step", command_step, true, "step [COUNT]", "to the next line, into calls"},
   {"set", command_set, false, "set var[/lanes] X = EXPRESSION", "change a variable, memory or a register"},
   {"stepi", command_stepi, true, "stepi [COUNT]", "one machine instruction"},
   {"si", command_stepi, true, "si [COUNT]", "stepi"},
   {"backtrace", command_backtrace, false, "backtrace", "the calls that the wave is in"},
   {"bt", command_backtrace, false, "bt", "backtrace"},
   {"undisplay", command_undisplay, false, "undisplay [NUMBER]", "print that at stops no more"},
   {"up", command_up, false, "up [COUNT]", "look at the caller"},
   {"wave", command_wave, false, "wave [N]", "look at another stopped wave"},
   {"whatis", command_whatis, false, "whatis EXPRESSION", "its type"},
   {"workgroup", command_workgroup, false, "workgroup X,Y,Z|all", "stop only there; decided on the GPU"},
   {"x", command_x, true, "x/COUNT[xduf][bhwg] EXPRESSION", "memory there"},
   {NULL},
};
