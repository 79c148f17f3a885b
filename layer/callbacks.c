/* SPDX-License-Identifier: MIT */
/*
 * The application's messengers: created, called, destroyed, in any order and from any thread, their own callbacks
 * included. No lock is held while one is called.
 */
#include "callbacks.h"

#include <errno.h>
#include <stdlib.h>

static struct {
   pthread_mutex_t lock;
   pthread_cond_t returned; /* a callback has */
   struct hdb_messenger *first;
} messengers = {.lock = PTHREAD_MUTEX_INITIALIZER, .returned = PTHREAD_COND_INITIALIZER};

/* initial-exec: an access allocates nothing. */
static _Thread_local struct layer_call *innermost __attribute__((tls_model("initial-exec")));

/* ---- the list; with the lock ---- */

static void
append(struct hdb_messenger *messenger)
{
   struct hdb_messenger **link = &messengers.first;
   while (*link && (messenger->device || !(*link)->device)) /* those of instances come first */
      link = &(*link)->next;
   messenger->next = *link;
   *link = messenger;
}

static void
free_if_done(struct hdb_messenger *messenger)
{
   if (!messenger->dead || messenger->busy)
      return;
   struct hdb_messenger **link = &messengers.first;
   while (*link != messenger)
      link = &(*link)->next;
   *link = messenger->next;
   free(messenger);
}

static bool
is_callable(const struct hdb_messenger *messenger, const struct layer_call *call)
{
   bool concerned = !call->device || messenger->device == call->device ||
                    (messenger->instance && messenger->instance == call->device->instance);
   return concerned && !messenger->dead && messenger->info.reports & call->report &&
          messenger->info.severities & call->severity;
}

/* Of what shaders print. */
static bool
wants_lines(const struct hdb_messenger *messenger)
{
   return messenger->info.reports & HDB_REPORT_MESSAGE && messenger->info.severities & HDB_SEVERITY_INFO;
}

static bool
any_alive(void)
{
   const struct hdb_messenger *messenger = messengers.first;
   while (messenger && messenger->dead)
      messenger = messenger->next;
   return messenger;
}

/* ---- calls ---- */

static void
move_to(struct layer_call *call, struct hdb_messenger *messenger)
{
   struct hdb_messenger *last = call->messenger;
   while (messenger && !is_callable(messenger, call))
      messenger = messenger->next;
   if (messenger)
      messenger->busy++;
   call->messenger = messenger;
   if (last) {
      last->busy--;
      free_if_done(last);
      pthread_cond_broadcast(&messengers.returned);
   }
}

void
layer_call_begin(struct layer_call *call, struct layer_device *device, uint32_t report, uint32_t severity)
{
   *call = (struct layer_call){.device = device, .report = report, .severity = severity, .outer = innermost};
   innermost = call;
   pthread_mutex_lock(&messengers.lock);
   move_to(call, messengers.first);
   pthread_mutex_unlock(&messengers.lock);
}

void
layer_call_next(struct layer_call *call)
{
   pthread_mutex_lock(&messengers.lock);
   move_to(call, call->messenger->next);
   pthread_mutex_unlock(&messengers.lock);
}

void
layer_call_end(struct layer_call *call)
{
   pthread_mutex_lock(&messengers.lock);
   move_to(call, NULL);
   pthread_mutex_unlock(&messengers.lock);
   innermost = call->outer;
}

/* ---- creation and destruction ---- */

static int
create(const struct hdb_messenger_create_info *info, struct layer_instance *instance, struct layer_device *device,
       struct hdb_messenger **out)
{
   if (info->sType != HDB_STRUCTURE_TYPE_MESSENGER_CREATE_INFO || info->version != HDB_CALLBACKS_VERSION)
      return -EINVAL;
   struct hdb_messenger *messenger = calloc(1, sizeof(*messenger));
   if (!messenger)
      return -ENOMEM;
   *messenger = (struct hdb_messenger){.info = *info, .instance = instance, .device = device};
   messenger->info.pNext = NULL;
   if (!info->dispatch)
      messenger->info.reports &= ~HDB_REPORT_DISPATCH;
   if (!info->stop)
      messenger->info.reports &= ~HDB_REPORT_STOP;
   if (!info->fault)
      messenger->info.reports &= ~HDB_REPORT_FAULT;
   if (!info->message)
      messenger->info.reports &= ~HDB_REPORT_MESSAGE;
   pthread_mutex_lock(&messengers.lock);
   append(messenger);
   bool listens = wants_lines(messenger);
   pthread_mutex_unlock(&messengers.lock);
   layer_process_set_observed(true);
   if (listens)
      layer_prints_listen(1);
   if (out)
      *out = messenger;
   return 0;
}

/* How many of the calls in progress are this thread's, which can't be waited for. */
static uint32_t
own_calls(const struct hdb_messenger *messenger)
{
   uint32_t count = 0;
   for (const struct layer_call *call = innermost; call; call = call->outer)
      count += call->messenger == messenger;
   return count;
}

static void
destroy(struct hdb_messenger *messenger)
{
   pthread_mutex_lock(&messengers.lock);
   bool listened = wants_lines(messenger);
   messenger->dead = true;
   messenger->busy++; /* it is not freed while it is waited for */
   while (messenger->busy > own_calls(messenger) + 1)
      pthread_cond_wait(&messengers.returned, &messengers.lock);
   messenger->busy--;
   free_if_done(messenger);
   bool observed = any_alive();
   pthread_mutex_unlock(&messengers.lock);
   layer_process_set_observed(observed);
   if (listened)
      layer_prints_listen(-1);
}

static void
destroy_all(const struct layer_instance *instance, const struct layer_device *device)
{
   struct hdb_messenger *messenger;
   do {
      pthread_mutex_lock(&messengers.lock);
      messenger = messengers.first;
      while (messenger &&
             (messenger->dead || (messenger->device ? messenger->device != device : messenger->instance != instance)))
         messenger = messenger->next;
      pthread_mutex_unlock(&messengers.lock);
      if (messenger)
         destroy(messenger);
   } while (messenger);
}

bool
layer_callbacks_exist(void)
{
   pthread_mutex_lock(&messengers.lock);
   bool exist = any_alive();
   pthread_mutex_unlock(&messengers.lock);
   return exist;
}

void
layer_callbacks_add_instance(struct layer_instance *instance, const VkInstanceCreateInfo *info)
{
   for (const VkBaseInStructure *next = info->pNext; next && !layer_inert; next = next->pNext) {
      if ((int32_t)next->sType != HDB_STRUCTURE_TYPE_MESSENGER_CREATE_INFO)
         continue;
      const struct hdb_messenger_create_info *messenger = (const void *)next;
      if (create(messenger, instance, NULL, NULL) == -EINVAL)
         fprintf(stderr,
                 "hdb: the messenger in VkInstanceCreateInfo is of version %u, and this is version %u: not called\n",
                 messenger->version, HDB_CALLBACKS_VERSION);
   }
}

void
layer_callbacks_remove_instance(const struct layer_instance *instance)
{
   if (!layer_inert)
      destroy_all(instance, NULL);
}

void
layer_callbacks_remove_device(const struct layer_device *device)
{
   destroy_all(NULL, device);
}

/* ---- the functions of hdb.h ---- */

static int
hdb_messenger_create(void *handle, const struct hdb_messenger_create_info *info, struct hdb_messenger **messenger)
{
   if (!handle || !info || !messenger)
      return -EINVAL;
   struct layer_device *device = layer_device_of(handle);
   *messenger = NULL;
   if (!device || layer_inert)
      return -ECHILD;
   int result = create(info, NULL, device, messenger);
   if (!result)
      layer_device_join_engine(device);
   return result;
}

static void
hdb_messenger_destroy(void *handle, struct hdb_messenger *messenger)
{
   if (messenger && !layer_inert)
      destroy(messenger);
}

static int
hdb_stop_visit(void *handle, hdb_stop_callback callback, void *user)
{
   if (!handle || !callback)
      return -EINVAL;
   struct layer_device *device = layer_device_of(handle);
   int result = -ENOENT;
   if (!device || layer_inert)
      return -ECHILD;
   pthread_rwlock_rdlock(&device->core_lock);
   if (device->core)
      result = hdb_device_visit_stop(device->core, device->handle, callback, user);
   pthread_rwlock_unlock(&device->core_lock);
   return result;
}

static int
hdb_trigger(void *handle, enum hdb_trigger kind, const char *file)
{
   if (!handle)
      return -EINVAL;
   struct hdb_engine *engine = layer_process_engine_if_any();
   return engine && !layer_inert ? hdb_engine_trigger(engine, kind, file) : -ECHILD;
}

PFN_vkVoidFunction
layer_own_function(const char *name)
{
   static const struct {
      const char *name;
      PFN_vkVoidFunction function;
   } functions[] = {
      {"hdb_messenger_create", (PFN_vkVoidFunction)hdb_messenger_create},
      {"hdb_messenger_destroy", (PFN_vkVoidFunction)hdb_messenger_destroy},
      {"hdb_stop_visit", (PFN_vkVoidFunction)hdb_stop_visit},
      {"hdb_trigger", (PFN_vkVoidFunction)hdb_trigger},
   };
   for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
      if (!strcmp(functions[i].name, name))
         return functions[i].function;
   }
   return NULL;
}
