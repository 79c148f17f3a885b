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
   {"break", command_break, false, "break FILE:LINE|LINE|*ADDRESS|NAME [if CONDITION]",
    "stop there; pending until such a shader comes"},
   {"continue", command_continue, true, "continue", "let all waves go on, wait for the next stop"},
   {"capture", command_capture, false, "capture FILE [N|NAME|label:GLOB|EXPRESSION] | end",
    "dispatches into a file, to be run again: this one or the next"},
   {"catch", command_catch, false, "catch N|NAME|label:GLOB|EXPRESSION [if EXPRESSION]",
    "attach to dispatches, stop at their entry: catch blur if grid.x > 64"},
   {"condition", command_condition, false, "condition NUMBER [EXPRESSION]", "a breakpoint stops only if it is true"},
   {"delete", command_delete, false, "delete [NUMBER...]", "remove breakpoints, or all"},
   {"disable", command_disable, false, "disable [NUMBER...]", "keep breakpoints, but don't stop there"},
   {"disassemble", command_disassemble, false, "disassemble [ADDRESS]", "machine code around the pc"},
   {"display", command_display, false, "display[/x|lanes] [EXPRESSION]", "print it at each stop"},
   {"dprintf", command_dprintf, false, "dprintf FILE:LINE,\"FORMAT\",ARGUMENT,...", "print there, and go on"},
   {"down", command_down, false, "down [COUNT]", "look at the function that was called"},
   {"enable", command_enable, false, "enable [NUMBER...]", "let disabled breakpoints stop again"},
   {"frame", command_frame, false, "frame [NUMBER]", "look at a frame of the backtrace"},
   {"finish", command_finish, false, "finish", "run to the end of the inlined call that is looked at"},
   {"help", command_help, false, "help [COMMAND]", "this list"},
   {"ignore", command_ignore, false, "ignore NUMBER COUNT", "let the next hits of a breakpoint go by"},
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
   {"tbreak", command_tbreak, false, "tbreak PLACE [if CONDITION]", "as break, for one stop"},
   {"trigger", command_trigger, false, "trigger [FRAME] | capture FILE [FRAME]",
    "stop in the next frame, or capture it to a file"},
   {"undisplay", command_undisplay, false, "undisplay [NUMBER]", "print that at stops no more"},
   {"up", command_up, false, "up [COUNT]", "look at the caller"},
   {"watch", command_watch, false, "watch [-l] EXPRESSION [if CONDITION]", "stop when it has been changed"},
   {"rwatch", command_rwatch, false, "rwatch [-l] EXPRESSION [if CONDITION]", "stop when it has been read"},
   {"awatch", command_awatch, false, "awatch [-l] EXPRESSION [if CONDITION]", "stop when it has been read or written"},
   {"wave", command_wave, false, "wave [N]", "look at another stopped wave"},
   {"whatis", command_whatis, false, "whatis EXPRESSION", "its type"},
   {"workgroup", command_workgroup, false, "workgroup X,Y,Z|all", "stop only there; decided on the GPU"},
   {"view", command_view, false, "view [OPTION...] IMAGE FILE.png",
    "an image into a file; -level, -layer, -range, -dispatch"},
   {"x", command_x, true, "x/COUNT[xduf][bhwg] EXPRESSION", "memory there"},
   {NULL},
};
