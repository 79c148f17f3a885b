/* SPDX-License-Identifier: MIT */
/* Vulkan's half: the loader, the layer's and the driver's manifests and what they name, the virtual GPU. */
#include "doctor/doctor.h"

#include <dirent.h>
#include <jansson.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "paths.h"

#define BOOTSTRAP "script/bootstrap"

static const char *const library_folders[] = {"/usr/local/lib/x86_64-linux-gnu", "/usr/local/lib64", "/usr/local/lib",
                                              "/usr/lib/x86_64-linux-gnu",       "/usr/lib64",       "/usr/lib"};
static const char *const data_folders[] = {"/etc", "/usr/local/share", "/usr/share"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Where the dynamic linker would find it; false: nowhere. */
static bool
find_library(const struct doctor *doctor, const char *name, char path[PATH_MAX])
{
   for (size_t i = 0; i < COUNT(library_folders); i++) {
      machine_path(doctor, path, "%s/%s", library_folders[i], name);
      if (access(path, R_OK) == 0)
         return true;
   }
   return false;
}

/* ---- the loader ------------------------------------------------------------------------------------------------- */

static bool
check_loader(struct doctor *doctor, char path[PATH_MAX])
{
   char target[PATH_MAX];
   if (!find_library(doctor, "libvulkan.so.1", path)) {
      doctor_find(doctor, "loader", FINDING_NO, "sudo apt install libvulkan1", "libvulkan.so.1 is not there");
      return false;
   }
   /* libvulkan.so.1 is a link to the file with the version in its name */
   ssize_t length = readlink(path, target, sizeof(target) - 1);
   target[length < 0 ? 0 : length] = '\0';
   const char *version = strstr(target, ".so.");
   doctor_find(doctor, "loader", FINDING_OK, NULL, "%s%s%s", path + strlen(doctor->root), version ? ", version " : "",
               version ? version + 4 : "");
   return true;
}

/* ---- manifests -------------------------------------------------------------------------------------------------- */

struct manifest {
   char path[PATH_MAX], library[PATH_MAX], api[16];
};

/* Whether the file is a manifest whose `section` names a library with `part` in its name. */
static bool
read_manifest(const char *path, const char *section, const char *part, struct manifest *manifest)
{
   json_t *json = json_load_file(path, 0, NULL);
   json_t *object = json_object_get(json, section);
   const char *library = json_string_value(json_object_get(object, "library_path"));
   const char *api = json_string_value(json_object_get(object, "api_version"));
   bool good = library && strstr(library, part);
   if (good) {
      snprintf(manifest->path, sizeof(manifest->path), "%s", path);
      snprintf(manifest->library, sizeof(manifest->library), "%s", library);
      snprintf(manifest->api, sizeof(manifest->api), "%.15s", api ? api : "?");
   }
   json_decref(json);
   return good;
}

static bool
search_folder(const char *folder, const char *section, const char *part, struct manifest *manifest)
{
   DIR *directory = opendir(folder);
   bool found = false;
   struct dirent *entry;
   while (directory && !found && (entry = readdir(directory))) {
      char path[PATH_MAX];
      int length = snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
      if (length < (int)sizeof(path) && strstr(entry->d_name, ".json"))
         found = read_manifest(path, section, part, manifest);
   }
   if (directory)
      closedir(directory);
   return found;
}

/* The loader's variables, which list folders (for layers) or files (for drivers). */
static bool
search_variable(const char *variable, const char *section, const char *part, struct manifest *manifest)
{
   const char *list = getenv(variable);
   char *copy = list ? strdup(list) : NULL, *save;
   bool found = false;
   for (char *path = copy ? strtok_r(copy, ":", &save) : NULL; path && !found; path = strtok_r(NULL, ":", &save))
      found = search_folder(path, section, part, manifest) || read_manifest(path, section, part, manifest);
   free(copy);
   return found;
}

/* What the environment names, the build tree where hdb runs from it, as in `hdb run`; the user's own folder, and the
 * system's. */
static bool
find_manifest(const struct doctor *doctor, const char *kind, const char *section, const char *part,
              struct manifest *manifest)
{
   static const char *const variables[] = {"VK_LAYER_PATH", "VK_ADD_LAYER_PATH", "VK_DRIVER_FILES", "VK_ICD_FILENAMES"};
   char folder[PATH_MAX];
   for (size_t i = 0; i < COUNT(variables) && !doctor->root[0]; i++) {
      if (search_variable(variables[i], section, part, manifest))
         return true;
   }
   if (doctor_runs_in_build_tree(doctor)) {
      snprintf(folder, sizeof(folder), "%s/manifest/%s", HDB_BUILD_ROOT, kind);
      if (search_folder(folder, section, part, manifest))
         return true;
   }
   const char *home = getenv("HOME");
   if (home && !doctor->root[0]) {
      snprintf(folder, sizeof(folder), "%s/.local/share/vulkan/%s", home, kind);
      if (search_folder(folder, section, part, manifest))
         return true;
   }
   for (size_t i = 0; i < COUNT(data_folders); i++) {
      machine_path(doctor, folder, "%s/vulkan/%s", data_folders[i], kind);
      if (search_folder(folder, section, part, manifest))
         return true;
   }
   return false;
}

/* The library that a manifest names: a path, or a name for the dynamic linker. */
static bool
find_named_library(const struct doctor *doctor, const struct manifest *manifest, char path[PATH_MAX])
{
   if (!strchr(manifest->library, '/'))
      return find_library(doctor, manifest->library, path);
   if (manifest->library[0] == '/') {
      machine_path(doctor, path, "%s", manifest->library);
   } else {
      char copy[PATH_MAX];
      strcpy(copy, manifest->path);
      if (snprintf(path, PATH_MAX, "%s/%s", dirname(copy), manifest->library) >= PATH_MAX)
         return false;
   }
   return access(path, R_OK) == 0;
}

static void
check_layer(struct doctor *doctor)
{
   struct manifest manifest;
   char library[PATH_MAX], text[160];
   if (!find_manifest(doctor, "explicit_layer.d", "layer", "VkLayer_hdb", &manifest)) {
      doctor_find(doctor, "layer", FINDING_NO, BOOTSTRAP, "no manifest of VK_LAYER_hdb in vulkan/explicit_layer.d");
   } else if (!find_named_library(doctor, &manifest, library)) {
      doctor_find(doctor, "layer", FINDING_NO, BOOTSTRAP, "%.80s is not there", manifest.library);
   } else if (!doctor->root[0] && !try_layer(library, text, sizeof(text))) {
      doctor_find(doctor, "layer", FINDING_NO, BOOTSTRAP, "%s", text);
   } else {
      snprintf(doctor->layer_api, sizeof(doctor->layer_api), "%s", manifest.api);
      doctor_find(doctor, "layer", FINDING_OK, NULL, "%.120s, Vulkan %s", manifest.path + strlen(doctor->root),
                  manifest.api);
   }
}

/* Whether it is there at all, and of the layer's version; then it is tried. */
static void
check_driver(struct doctor *doctor, const char *loader)
{
   struct manifest manifest;
   char library[PATH_MAX], text[160];
   if (!find_manifest(doctor, "icd.d", "ICD", "vulkan_radeon_hdb", &manifest))
      doctor_find(doctor, "driver", FINDING_NO, BOOTSTRAP, "no manifest of hdb's RADV in vulkan/icd.d");
   else if (!find_named_library(doctor, &manifest, library))
      doctor_find(doctor, "driver", FINDING_NO, BOOTSTRAP, "%.80s is not there", manifest.library);
   else if (doctor->layer_api[0] && strcmp(doctor->layer_api, manifest.api) != 0)
      doctor_find(doctor, "driver", FINDING_NO, BOOTSTRAP, "Vulkan %s; the layer is of another build, Vulkan %s",
                  manifest.api, doctor->layer_api);
   else if (doctor->root[0])
      doctor_find(doctor, "driver", FINDING_OK, NULL, "%.120s, Vulkan %s", manifest.path + strlen(doctor->root),
                  manifest.api);
   else if (!loader)
      doctor_find(doctor, "driver", FINDING_UNKNOWN, NULL, "not tried without the loader");
   else if (try_driver(loader, manifest.path, text, sizeof(text)))
      doctor_find(doctor, "driver", FINDING_OK, NULL, "%s", text);
   else
      doctor_find(doctor, "driver", FINDING_NO, BOOTSTRAP, "%s", text);
}

static void
check_virtual_gpu(struct doctor *doctor)
{
   char path[PATH_MAX], text[160];
   bool found = doctor_runs_in_build_tree(doctor);
   if (found)
      snprintf(path, sizeof(path), "%s/vgpu/libhdb-vgpu.so.0", HDB_BUILD_ROOT);
   else
      found = find_library(doctor, "libhdb-vgpu.so.0", path);
   if (!found)
      doctor_find(doctor, "vgpu", FINDING_NO, BOOTSTRAP, "libhdb-vgpu.so.0 is not there");
   else if (doctor->root[0])
      doctor_find(doctor, "vgpu", FINDING_OK, NULL, "%s", path + strlen(doctor->root));
   else if (try_virtual_gpu(path, text, sizeof(text)))
      doctor_find(doctor, "vgpu", FINDING_OK, NULL, "%s", text);
   else
      doctor_find(doctor, "vgpu", FINDING_NO, BOOTSTRAP, "%s", text);
}

void
check_vulkan(struct doctor *doctor)
{
   char loader[PATH_MAX];
   bool has_loader = check_loader(doctor, loader);
   check_layer(doctor);
   check_driver(doctor, has_loader ? loader : NULL);
   check_virtual_gpu(doctor);
}
