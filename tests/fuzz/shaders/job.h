/* SPDX-License-Identifier: MIT */
/*
 * A job is a GLSL file that says in comments how it is to be run:
 *
 *    //! groups 2 3 1           workgroups
 *    //! indirect               their numbers are read from a buffer
 *    //! seed 17                what the buffers hold before
 *    //! wave 32                lanes of a wave, where the device has a choice
 *    //! debug                  compiled for debugging, where the driver can
 *    //! controls               SignedZeroInfNanPreserve and RoundingModeRTE for the floats of all sizes
 *    //! constant 0 4 12345     specialization constant: id, bytes, bits
 *    //! resource ...           an image or texel buffer in set 1; the numbers are those of struct job_resource
 */
#ifndef JOB_H
#define JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOB_MAX_CONSTANTS 16
#define JOB_MAX_RESOURCES 4

struct job {
   char *text;
   uint32_t groups[3];
   uint32_t seed;
   uint32_t wave_size; /* 0: the driver's choice */
   bool indirect;
   bool debug;
   bool float_controls;
   uint32_t constant_count;
   struct job_constant {
      uint32_t id, size;
      uint64_t bits;
   } constants[JOB_MAX_CONSTANTS];
   uint32_t resource_count;
   struct job_resource {
      uint32_t binding;
      uint32_t type;       /* VkDescriptorType: combined image sampler, storage image, a texel buffer */
      uint32_t shape;      /* VkImageViewType */
      uint32_t format;     /* VkFormat */
      uint32_t texel_size; /* bytes */
      uint32_t width, height, depth, layers, levels;
      uint32_t address_mode; /* VkSamplerAddressMode */
      uint32_t mask;         /* of the random words it holds before: keeps NaNs out */
   } resources[JOB_MAX_RESOURCES];
};

/* Reads the file. 0 or negative errno. */
int job_init(struct job *job, const char *path);
void job_finish(struct job *job);

/* Compiles the text to SPIR-V with every float operation marked NoContraction; the words are to be freed. NULL: does
 * not compile, and `*log` says why until the next call. */
uint32_t *job_compile(const struct job *job, size_t *word_count, const char **log);

#endif
