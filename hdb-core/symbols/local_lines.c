/* SPDX-License-Identifier: MIT */
/* The lines on which local variables are in scope: their declarations in the source, where the module has its text. */
#include "symbols/source_scopes.h"
#include "symbols/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

/* Of a file, read when first wanted. */
struct file_declarations {
   bool read;
   struct source_declaration *list;
   size_t count;
};

/* Where the first instruction stands that has to do with a variable: its first use, or what glslang says of it. */
static bool
find_first_use(struct unit *unit, const struct unit_variable *variable, uint32_t *file, uint32_t *line)
{
   const struct spirv_module *module = &unit->symbols->module;
   if (variable->debug) {
      const struct hdb_position *declared = &variable->symbol.declared;
      *line = declared->line;
      for (*file = 0; declared->file && *file < module->file_count; (*file)++) {
         if (module->files[*file].name == declared->file || strcmp(module->files[*file].name, declared->file) == 0)
            return true;
      }
      return false;
   }
   const struct unit_function *function = &unit->functions[variable->function];
   uint32_t word = unit_find_use(unit, variable->symbol.id, function->first, function->end);
   const struct spirv_place *place =
      word == SPIRV_NONE ? NULL : spirv_find_place(module, (unit->reader.first_word + word) * 4);
   if (!place || place->file == SPIRV_NONE)
      return false;
   *file = place->file;
   *line = place->line;
   return true;
}

/* The declaration of a variable that is first used on a line, of those that no other variable has: the first of the
 * line or else (`near`) the innermost whose scope the line is in. */
static struct source_declaration *
find_declaration(const struct file_declarations *file, const struct unit_variable *variable, uint32_t line, bool near)
{
   const char *name = variable->symbol.name;
   struct source_declaration *found = NULL;
   for (size_t i = 0; i < file->count; i++) {
      struct source_declaration *declaration = &file->list[i];
      const struct unit_variable *owner = declaration->owner;
      bool free = !owner || (owner->debug && owner->debug == variable->debug); /* which is inlined more than once */
      if (!free || declaration->length != strlen(name) || memcmp(declaration->name, name, declaration->length) != 0)
         continue;
      if (declaration->line == line && !near)
         return declaration;
      if (near && declaration->line <= line && declaration->last_line >= line)
         found = declaration; /* a later one is deeper inside */
   }
   return found;
}

/* What the source does not declare and glslang gives to variables of its own. */
static bool
is_temporary(const char *name)
{
   static const char *const names[] = {
      "aggShadow",  "arg",           "byteAddrTemp", "coordTemp",    "flattenTemp",   "indexable", "intermVec",
      "scalarCopy", "sizeQueryTemp", "storeTemp",    "storeTempPre", "storeTempPost", "tempArg",   "tempReturn",
   };
   for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
      if (strcmp(name, names[i]) == 0)
         return true;
   }
   return name[0] == '@';
}

static int
find_lines(struct unit *unit, struct unit_variable *variable, struct file_declarations *files, bool near)
{
   const struct spirv_module *module = &unit->symbols->module;
   uint32_t file, line;
   if (!find_first_use(unit, variable, &file, &line) || !module->files[file].text)
      return 0;
   if (!files[file].read) {
      files[file].read = true;
      int result = source_find_declarations(module->files[file].text, module->files[file].text_size, &files[file].list,
                                            &files[file].count);
      if (result)
         return result;
   }
   struct source_declaration *declaration = find_declaration(&files[file], variable, line, near);
   if (!declaration) {
      variable->hidden = unit->by_glslang && is_temporary(variable->symbol.name);
      return 0;
   }
   declaration->owner = variable;
   variable->hidden = false;
   variable->file = file;
   variable->first_line = declaration->line;
   variable->last_line = declaration->last_line;
   variable->symbol.scope = 1 + declaration->depth;
   variable->symbol.declared = (struct hdb_position){module->files[file].name, declaration->line, 0};
   return 0;
}

/* First those that are used where they are declared, in the order of the source: their declarations are taken then. */
int
unit_find_lines(struct unit *unit)
{
   const struct spirv_module *module = &unit->symbols->module;
   struct file_declarations *files = calloc(module->file_count + 1, sizeof(*files));
   int result = files ? 0 : -ENOMEM;
   for (int near = 0; near <= 1; near++) {
      for (size_t v = 0; !result && v < unit->variable_count; v++) {
         struct unit_variable *variable = unit->variables[v];
         if (variable->function != SPIRV_NONE && variable->symbol.storage == HDB_STORAGE_LOCAL && !variable->first_line)
            result = find_lines(unit, variable, files, near);
      }
   }
   for (size_t f = 0; files && f < module->file_count; f++)
      free(files[f].list);
   free(files);
   return result;
}
