/* SPDX-License-Identifier: MIT */
/* What else the engine is linked with, and what this machine has nothing of. */
#include <errno.h>
#include <stdio.h>

#include "stop/machine.h"
#include "target/target.h"
#include "vgpu.h"

static void
destroy_target(struct hdb_target *target)
{
}

int
hdb_target_vgpu_create(int drm_fd, struct hdb_target **target)
{
   static const struct hdb_target_ops ops = {.name = "fake", .destroy = destroy_target};
   static struct hdb_target fake_target = {.ops = &ops};
   *target = &fake_target;
   return 0;
}

bool
hdb_target_vgpu_is(struct hdb_target *target, int drm_fd)
{
   return true;
}

int
hdb_target_amdgpu_create(struct hdb_driver *driver, const struct hdb_amdgpu_options *options,
                         struct hdb_target **target)
{
   return -ENODEV;
}

bool
hdb_target_amdgpu_is(struct hdb_target *target, int drm_fd)
{
   return false;
}

void
hdb_target_amdgpu_set_driver(struct hdb_target *target, struct hdb_driver *driver)
{
}

int
vgpu_disassemble(const void *code, size_t size, uint32_t wave_size, uint64_t pc, char *text, size_t text_size)
{
   snprintf(text, text_size, "fake_%02x", (unsigned)(pc & 0xff));
   return size >= 4 ? 4 : -ENODATA;
}

/* There are no images. */
int
vgpu_image_open(const uint32_t descriptor[8], uint32_t gb_addr_config, struct vgpu_image **image, const char **why)
{
   *why = "no image";
   *image = NULL;
   return -ENOENT;
}

void
vgpu_image_close(struct vgpu_image *image)
{
}

const struct vgpu_image_info *
vgpu_image_info(const struct vgpu_image *image)
{
   return NULL;
}

void
vgpu_image_size(const struct vgpu_image *image, uint32_t level, uint32_t size[3])
{
}

int
vgpu_image_read(struct vgpu_image *image, uint32_t level, uint32_t layer, uint32_t x, uint32_t y, uint32_t width,
                uint32_t height, int (*read)(void *user, uint64_t va, void *data, size_t size), void *user,
                uint32_t *texels)
{
   return -ENOENT;
}

void
hdb_machine_set_driver(struct hdb_machine *machine, struct hdb_driver *driver)
{
}

void
hdb_machine_share_wave_ids(struct hdb_machine *machine, uint32_t *counter)
{
}

void
hdb_machine_set_lockstep(struct hdb_machine *machine, bool on)
{
}

void
hdb_machine_forget_ended(struct hdb_machine *machine)
{
}

const char *
hdb_machine_problem(const struct hdb_machine *machine)
{
   return NULL;
}

void
hdb_machine_add_shader(struct hdb_machine *machine, const struct hdb_shader *shader)
{
}

void
hdb_machine_use_entry_traps(struct hdb_machine *machine, bool use)
{
}

/* Of traps that the machine plants itself; the engine counts its own. */
bool
hdb_machine_has_plants(struct hdb_machine *machine, const struct hdb_shader *shader)
{
   return false;
}

void
hdb_machine_drop_entry_traps(struct hdb_machine *machine, const struct hdb_shader *shader)
{
}

void
hdb_machine_set_workgroup_filter(struct hdb_machine *machine, const uint32_t workgroup[3])
{
}

int
hdb_machine_live_waves(struct hdb_machine *machine, struct hdb_live_wave *waves, int capacity)
{
   return -ENOTSUP;
}

int
hdb_machine_stop_all(struct hdb_machine *machine)
{
   return 0;
}

bool
hdb_machine_has_precise_watches(const struct hdb_machine *machine)
{
   return true;
}

int
hdb_machine_read_watched(struct hdb_machine *machine, const struct hdb_wave *wave, struct hdb_watched *watched)
{
   return -ENOTSUP;
}

void
hdb_machine_give_up(struct hdb_machine *machine)
{
}

uint64_t
hdb_machine_count_edits(const struct hdb_machine *machine)
{
   return 0;
}

uint32_t
hdb_machine_address_config(struct hdb_machine *machine)
{
   return 0;
}

int
hdb_machine_read_queue_register(struct hdb_machine *machine, const struct hdb_wave *wave, uint32_t reg, uint32_t *value)
{
   return -ENOTCONN;
}

int
hdb_machine_next_mapping(struct hdb_machine *machine, uint64_t va, struct hdb_mapping *mapping)
{
   return -ENOTSUP;
}

int
hdb_machine_collect_writes(struct hdb_machine *machine, bool on)
{
   return -ENOTSUP;
}

bool
hdb_machine_may_have_changed(struct hdb_machine *machine, uint64_t va, uint64_t size)
{
   return true;
}
