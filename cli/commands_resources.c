/* SPDX-License-Identifier: MIT */
/* info resources and view: what a dispatch can reach, at a stop and without one. */
#include <errno.h>
#include <math.h>
#include <png.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* ---- info resources ---- */

#define WIDTH 110 /* of contents */

/* The variables of a scope of the stopped wave, by the beginning of its name. NULL: there is none. */
static json_t *
find_variables(struct session *session, json_t *scopes, const char *name)
{
   size_t index;
   json_t *scope, *body = NULL;
   json_array_foreach (json_object_get(scopes, "scopes"), index, scope) {
      if (!body && strncmp(json_text(scope, "name"), name, strlen(name)) == 0)
         body = session_request(
            session, "variables",
            json_pack("{s:I}", "variablesReference", (json_int_t)json_number(scope, "variablesReference")));
   }
   json_t *variables = json_incref(json_object_get(body, "variables"));
   json_decref(body);
   return variables;
}

static void
print_line(const char *name, const char *value)
{
   size_t length = strlen(value);
   if (length <= WIDTH)
      printf("   %s%s%s\n", name, *name ? " = " : "", value);
   else
      printf("   %s%s%.*s...\n", name, *name ? " = " : "", WIDTH - 3, value);
}

/* Whether a variable is bound to the resource, which names those that are. Its own name may have its id behind it:
 * `a (%17)`. */
static bool
is_bound_to(json_t *variable, json_t *resource)
{
   json_t *place = json_object_get(variable, "binding"), *names = json_object_get(resource, "names"), *name;
   const char *label = json_text(variable, "name");
   size_t index;
   if (json_array_size(place) != 2 || json_integer_value(json_array_get(place, 0)) != json_number(resource, "set") ||
       json_integer_value(json_array_get(place, 1)) != json_number(resource, "binding"))
      return false;
   json_array_foreach (names, index, name) {
      size_t length = json_string_length(name);
      if (strncmp(label, json_string_value(name), length) == 0 &&
          (!label[length] || strncmp(label + length, " (%", 3) == 0))
         return true;
   }
   return false;
}

/* NULL: it can't be had; to be freed. */
static char *
fetch_value(struct session *session, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   json_t *expression = json_vsprintf(format, arguments);
   va_end(arguments);
   json_t *body = session_request(session, "evaluate",
                                  json_pack("{s:o, s:I, s:s}", "expression", expression, "threadId",
                                            (json_int_t)session->thread, "context", "watch"));
   char *value = body ? strdup(json_text(body, "result")) : NULL;
   json_decref(body);
   return value;
}

/* As many texels as a line has room for at most. */
static char *
fetch_texels(struct session *session, const char *name, const char *element)
{
   char *count = fetch_value(session, "textureSize(%s%s)", name, element);
   unsigned long texels = count ? strtoul(count, NULL, 10) : 0, shown = texels < WIDTH / 3 ? texels : WIDTH / 3;
   char *value = shown ? fetch_value(session, "%s%s[0:%lu]", name, element, shown - 1) : NULL, *more = NULL;
   free(count);
   if (!value || shown == texels)
      return value;
   if (asprintf(&more, "%.*s, ...}", (int)strlen(value) - 1, value) < 0)
      more = NULL;
   free(value);
   return more;
}

/* Of an array of resources, of one element. NULL: it can't be had; to be freed. */
static char *
fetch_contents(struct session *session, json_t *variable, json_t *resource)
{
   char element[24] = "";
   const char *name = json_text(variable, "evaluateName");
   bool array = strchr(json_text(variable, "type"), '['), texels = strstr(json_text(resource, "kind"), "texel");
   if (!array && !texels)
      return strdup(json_text(variable, "value"));
   if (array)
      snprintf(element, sizeof(element), "[%lld]", (long long)json_number(resource, "element"));
   return texels ? fetch_texels(session, name, element) : fetch_value(session, "%s%s", name, element);
}

static void
print_contents(struct session *session, json_t *resource, json_t *variables)
{
   size_t index;
   json_t *variable;
   bool several = json_array_size(json_object_get(resource, "names")) > 1;
   json_array_foreach (variables, index, variable) {
      char *value = is_bound_to(variable, resource) ? fetch_contents(session, variable, resource) : NULL;
      if (value)
         print_line(several ? json_text(variable, "name") : "", value);
      free(value);
   }
}

static void
print_names(json_t *resource)
{
   size_t index;
   json_t *names = json_object_get(resource, "names"), *name;
   const char *only = json_text(resource, "name");
   if (!json_array_size(names))
      printf("%s", *only ? only : "(not in the shader)");
   json_array_foreach (names, index, name)
      printf("%s%s", index ? ", " : "", json_string_value(name));
}

static void
print_resource(struct session *session, json_t *resource, json_t *variables)
{
   char element[24] = "";
   if (json_number(resource, "element"))
      snprintf(element, sizeof(element), "[%lld]", (long long)json_number(resource, "element"));
   const char *object = json_text(resource, "object");
   printf("set %lld binding %lld%s  ", (long long)json_number(resource, "set"),
          (long long)json_number(resource, "binding"), element);
   print_names(resource);
   printf("%s%s\n   %s\n", *object ? ", " : "", object, json_text(resource, "description"));
   if (strstr(json_text(resource, "kind"), "buffer"))
      print_contents(session, resource, variables);
}

static void
print_push_constants(const char *text, json_t *variables)
{
   uint8_t data[256];
   uint32_t words[64];
   size_t size = decode_base64(text, data, sizeof(data)), index;
   json_t *variable;
   if (!size)
      return;
   memcpy(words, data, size);
   printf("push constants, %zu bytes\n", size);
   for (size_t i = 0; !variables && i < size / 4; i++)
      printf("%s0x%08x%s", i % 8 ? " " : "   ", words[i], i % 8 == 7 || i + 1 == size / 4 ? "\n" : "");
   json_array_foreach (variables, index, variable)
      printf("   %s = %s\n", json_text(variable, "name"), json_text(variable, "value"));
}

/* At a stop with their values, also of those that the pipeline was not given any for. */
static void
print_specializations(json_t *given, json_t *variables)
{
   size_t index;
   json_t *item;
   json_array_foreach (variables, index, item) {
      if (json_object_get(item, "constantId"))
         printf("specialization constant %lld  %s = %s\n", (long long)json_number(item, "constantId"),
                json_text(item, "name"), json_text(item, "value"));
   }
   if (variables)
      return;
   json_array_foreach (given, index, item)
      printf("specialization constant %lld%s%s = %s\n", (long long)json_number(item, "id"),
             *json_text(item, "name") ? "  " : "", json_text(item, "name"), json_text(item, "value"));
}

int
info_resources(struct session *session, char *arguments)
{
   uint64_t dispatch;
   size_t index;
   json_t *item, *variables = NULL, *push_constants = NULL, *constants = NULL;
   bool by_number = *arguments;
   if (by_number && !parse_unsigned(arguments, &dispatch))
      return error("\"%s\" is no dispatch; info resources, or info resources NUMBER of `info dispatches`", arguments);
   if (!by_number && need_stop(session) < 0)
      return -1;
   json_t *body = session_request(session, "hdb/resources",
                                  by_number ? json_pack("{s:I}", "dispatch", (json_int_t)dispatch)
                                            : json_pack("{s:I}", "threadId", (json_int_t)session->thread));
   if (!body)
      return -1;
   if (!by_number) {
      json_t *scopes = request_scopes(session);
      variables = find_variables(session, scopes, "Resources");
      push_constants = find_variables(session, scopes, "Push constants");
      constants = find_variables(session, scopes, "Constants");
      json_decref(scopes);
   }
   printf("dispatch %lld, %s (%s)\n", (long long)json_number(body, "dispatch"), json_text(body, "name"),
          json_text(body, "program"));
   json_array_foreach (json_object_get(body, "resources"), index, item)
      print_resource(session, item, variables);
   print_push_constants(json_text(body, "pushConstants"), push_constants);
   print_specializations(json_object_get(body, "specializations"), constants);
   json_decref(variables);
   json_decref(push_constants);
   json_decref(constants);
   json_decref(body);
   return 0;
}

int
find_named_object(struct session *session, const char *quoted, uint64_t *address)
{
   size_t index;
   json_t *resource;
   *address = 0;
   json_t *body =
      session_request(session, "hdb/resources", json_pack("{s:I}", "threadId", (json_int_t)session->thread));
   if (!body)
      return -1;
   json_array_foreach (json_object_get(body, "resources"), index, resource) {
      if (!*address && strstr(json_text(resource, "object"), quoted))
         *address = strtoull(json_text(resource, "address"), NULL, 16);
   }
   json_decref(body);
   return *address ? 0 : error("the dispatch reaches nothing that is called %s", quoted);
}

/* ---- view ---- */

struct view {
   const char *image, *file;
   uint64_t level, layer, dispatch;
   bool has_dispatch, has_range;
   double range[2];
};

static int
parse_number(const char *text, double *number)
{
   char *end;
   *number = strtod(text, &end);
   return end != text && !*end && isfinite(*number) ? 0 : -1;
}

static int
parse_option(struct view *view, const char *name, char **arguments)
{
   const char *value = take_word(arguments);
   uint64_t *number = strcmp(name, "-level") == 0      ? &view->level
                      : strcmp(name, "-layer") == 0    ? &view->layer
                      : strcmp(name, "-dispatch") == 0 ? &view->dispatch
                                                       : NULL;
   view->has_dispatch |= number == &view->dispatch;
   if (number)
      return parse_unsigned(value, number) ? 0 : error("%s takes a number", name);
   if (strcmp(name, "-range") != 0)
      return error("\"%s\" is no option; -level N, -layer N, -range LOW HIGH, -dispatch N", name);
   view->has_range = true;
   if (parse_number(value, &view->range[0]) || parse_number(take_word(arguments), &view->range[1]) ||
       view->range[0] == view->range[1])
      return error("-range takes two different numbers: which values are black and white");
   return 0;
}

/* A word, or what is in quotes. */
static const char *
take_quoted(char **text)
{
   char *begin = *text + 1, *end = **text == '"' ? strchr(begin, '"') : NULL;
   if (!end)
      return take_word(text);
   *end = '\0';
   *text = end + 1 + strspn(end + 1, " \t");
   return begin;
}

static int
parse_view(struct view *view, char *arguments)
{
   *view = (struct view){0};
   while (*arguments == '-') {
      const char *name = take_word(&arguments);
      if (parse_option(view, name, &arguments) < 0)
         return -1;
   }
   view->image = take_quoted(&arguments);
   view->file = take_quoted(&arguments);
   if (!*view->image || !*view->file || *arguments)
      return error("view [-level N] [-layer N] [-range LOW HIGH] [-dispatch N] IMAGE FILE.png");
   const char *suffix = strrchr(view->file, '.');
   if (suffix && !strchr(suffix, '/') && strcasecmp(suffix, ".png") != 0)
      return error("%s: pictures are written as PNG; FILE.png", view->file);
   return 0;
}

#define ROWS 64 /* in one request */

static json_t *
request_rows(struct session *session, const struct view *view, uint32_t first, uint32_t rows)
{
   json_t *arguments =
      json_pack("{s:s, s:I, s:I, s:I, s:I}", "image", view->image, "level", (json_int_t)view->level, "layer",
                (json_int_t)view->layer, "firstRow", (json_int_t)first, "rows", (json_int_t)rows);
   if (view->has_range)
      json_object_set_new(arguments, "range", json_pack("[f,f]", view->range[0], view->range[1]));
   if (view->has_dispatch)
      json_object_set_new(arguments, "dispatch", json_integer((json_int_t)view->dispatch));
   else
      json_object_set_new(arguments, "threadId", json_integer((json_int_t)session->thread));
   return session_request(session, "hdb/image", arguments);
}

/* All of its pixels, to be freed; NULL: said why. */
static uint8_t *
fetch(struct session *session, const struct view *view, uint32_t *width, uint32_t *height, json_t **facts)
{
   uint8_t *pixels = NULL;
   uint32_t rows = 1;
   *facts = NULL;
   *height = 1; /* until the first answer: one row */
   for (uint32_t first = 0; first < *height; first += rows) {
      rows = first ? (*height - first < ROWS ? *height - first : ROWS) : 1;
      json_t *body = request_rows(session, view, first, rows);
      if (!body)
         goto error;
      if (!first) {
         *width = (uint32_t)json_number(body, "width");
         *height = (uint32_t)json_number(body, "height");
         pixels = malloc((size_t)*width * *height * 4 + 4);
         *facts = json_incref(body);
      }
      size_t size = (size_t)*width * rows * 4, got = 0;
      if (pixels)
         got = decode_base64(json_text(body, "data"), pixels + (size_t)first * *width * 4, size);
      json_decref(body);
      if (got != size) {
         error(pixels ? "the debugger's answer is cut short" : "out of memory");
         goto error;
      }
   }
   return pixels;

error:
   json_decref(*facts);
   free(pixels);
   return NULL;
}

int
command_view(struct session *session, char *arguments)
{
   struct view view;
   uint32_t width, height;
   json_t *facts;
   if (parse_view(&view, arguments) < 0 || (!view.has_dispatch && need_stop(session) < 0))
      return -1;
   uint8_t *pixels = fetch(session, &view, &width, &height, &facts);
   if (!pixels)
      return -1;
   png_image image = {.version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = PNG_FORMAT_RGBA};
   errno = 0;
   int result = png_image_write_to_file(&image, view.file, 0, pixels, 0, NULL) ? 0 : -1;
   if (result < 0) {
      error("%s: %s", view.file, errno ? strerror(errno) : image.message);
   } else {
      double white = view.has_range ? view.range[1] : json_is_true(json_object_get(facts, "integer")) ? 255 : 1;
      printf("%s: %ux%u, %s\n", view.file, width, height, json_text(facts, "description"));
      printf("%g is black, %g white, NaN magenta\n", view.range[0], white);
   }
   png_image_free(&image);
   json_decref(facts);
   free(pixels);
   return result;
}
