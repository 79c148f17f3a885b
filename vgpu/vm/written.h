/* SPDX-License-Identifier: MIT */
/*
 * Which pages of the card's memory may have changed. What the card writes goes through translations: while writes are
 * noted, a page is only writable in a TLB once it is marked, so that its first write comes by vm_translate_slow. What
 * the host can write to by a mapping of its own, may always have changed.
 */
#ifndef VGPU_VM_WRITTEN_H
#define VGPU_VM_WRITTEN_H

#include "vm/vm.h"

struct written; /* of a card */

int written_create(struct vgpu *gpu);
void written_destroy(struct written *written);

/* `offset`: in the card's memory. */
void written_add(struct vgpu *gpu, uint64_t offset, uint64_t size);
void written_add_host(struct vgpu *gpu, uint64_t offset, uint64_t size); /* may be written by the host from now on */

/* What of `allowed` a TLB may have for the page of `host`, after an access (a set of enum vm_access) to it. */
uint32_t written_filter(struct vgpu *gpu, const uint8_t *host, uint32_t access, uint32_t allowed);

#endif
