/* SPDX-License-Identifier: MIT */
/* Queues and submissions, from the call to the end on the GPU: queue.c, submit.c, watcher.c, dispatches.c. Part of
 * layer.h. */
#ifndef LAYER_SUBMISSIONS_H
#define LAYER_SUBMISSIONS_H

#include <pthread.h>
#include <vulkan/vulkan.h>

#include "hdb_core.h"

struct layer_device;

#define LAYER_QUEUE_NAME_SIZE 24

struct layer_queue {
   struct layer_device *device;
   VkQueue handle;
   char name[LAYER_QUEUE_NAME_SIZE]; /* "queue FAMILY.INDEX" */

   /* Labels of the queue; the application synchronises access. */
   char **labels;
   uint32_t label_depth, label_capacity;

   /* The watcher: waits for submissions in order, since a queue finishes them so. */
   pthread_mutex_t lock;
   pthread_cond_t wake;
   pthread_t thread;
   bool has_thread, stopping;
   struct layer_submission *first, *last;

   struct layer_queue *next;
};

void layer_queue_add(struct layer_device *device, VkQueue handle, uint32_t family, uint32_t index);
struct layer_queue *layer_queue_find(struct layer_device *device, VkQueue handle); /* NULL: never fetched */
void layer_queue_begin_label(struct layer_queue *queue, const char *name);
void layer_queue_end_label(struct layer_queue *queue);
void layer_queues_finish(struct layer_device *device); /* no submission may be watched any more */

/* A submission that the engine was told of, from the decision to the GPU's end. */
struct layer_submission {
   struct layer_queue *queue;
   VkFence fence; /* behind it on the same queue */
   uint64_t token;
   const void **command_buffers; /* all whose dispatches it holds; owned */
   size_t command_buffer_count;
   bool generated;  /* it holds generated dispatches */
   bool waits;      /* for semaphores */
   uint64_t number; /* of all of the device */
   struct layer_submission *next_pending, *next_watched;
};

/* Gathers the dispatches, tells the engine, which may block until the user has answered. NULL: nothing to wait for. */
struct layer_submission *layer_submission_begin(struct layer_device *device, VkQueue queue, uint32_t frame,
                                                uint32_t count, const VkCommandBuffer *command_buffers);
/* After the submission, still in the application's call. */
void layer_submission_end(struct layer_submission *submission, VkResult result);
/* The GPU is done with it, or it never began. Frees it. */
void layer_submission_complete(struct layer_submission *submission, VkResult result);

/* Before the device goes: its watchers have a moment to tell the engine of what the application has waited for. */
void layer_submissions_catch_up(struct layer_device *device);

/* Before a command buffer, or every one of a pool, is freed, reset or recorded again. The GPU is done with it then, but
 * the watcher may be a moment behind, and what it disarms are words in that command buffer: waits for it. If the
 * application does so too early the words are left alone from then on. */
void layer_submissions_release(struct layer_device *device, VkCommandBuffer commands);
void layer_submissions_release_pool(struct layer_device *device, VkCommandPool pool);
/* Only waits. */
void layer_submissions_settle(struct layer_device *device, VkCommandBuffer commands);
/* The same for words in indirect execution sets. */
void layer_submissions_settle_generated(struct layer_device *device);

int layer_watcher_start(struct layer_queue *queue);
void layer_watcher_stop(struct layer_queue *queue);
void layer_watcher_add(struct layer_queue *queue, struct layer_submission *submission);

/* What a submission would run, with copies of all names. */
struct layer_offers {
   uint32_t frame;
   struct hdb_offer *offers;
   size_t count, capacity;
   char *text; /* names, until layer_offers_seal() as offsets plus one in the offers' pointers */
   size_t text_size, text_capacity;
   bool failed; /* out of memory: the rest is missing */
};

void layer_offers_add(struct layer_offers *offers, struct layer_device *device, struct layer_queue *queue,
                      VkCommandBuffer commands);
/* Lets the application's callbacks answer. No lock may be held. */
void layer_callbacks_offer(struct layer_device *device, struct layer_queue *queue, struct layer_offers *offers);
void layer_offers_seal(struct layer_offers *offers);
void layer_offers_finish(struct layer_offers *offers);

#endif
