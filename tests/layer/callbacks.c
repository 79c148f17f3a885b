/* SPDX-License-Identifier: MIT */
/*
 * A program with callbacks of hdb (hdb/hdb.h):  callbacks CASE [OPTION...]
 *
 * order     messengers of the instance come first, then the device's in order; the first that answers decides
 * masks     reports and severities that are not wanted don't come
 * threads   dispatches are told on the submitting thread, stops on another one, on which signals are blocked and
 *           numbers have points, whatever the program's locale
 * look      waves, registers, expressions, memory, push constants, resources; and what is wrong with wrong questions
 * change    registers, variables and memory are changed, and the results are what follows from it
 * step      the four kinds of steps, and the focus
 * hold      a stop is left standing, visited from another thread and let go by its answer
 * visits    a stop is visited from several threads at once
 * apart     messages about a device go to its own messengers
 * warned    what can't be attached to is said so before and after
 * within    messengers are destroyed within their own callbacks
 * wait      hdb_messenger_destroy on another thread waits for a callback that is running, and none comes after it
 * vulkan    callbacks of each kind call Vulkan: create, destroy, map, submit
 * nested    a dispatch callback submits to another queue
 * lost      a fault of a dispatch that is attached to, and of one that is not
 * push      push constants are as many as the layout has
 * left      the device is destroyed with a messenger that was not, while another thread uses another device
 * refused   what is no valid structure, function's argument or trigger
 * client    prints the stops that it passes on to a debugger; holds the last one, which is let go by the debugger
 * answered  lets each stop go
 * logged    prints the lines that it is told
 * utils     stops are told to VK_EXT_debug_utils' messengers
 */
#include <dlfcn.h>
#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "callbacks.h"

#define TIME_LIMIT 60 /* seconds */

/* ---- an instance with a messenger ---- */

int callbacks_failures;
char callbacks_order[64];

void
callbacks_note(char letter)
{
   size_t length = strlen(callbacks_order);
   if (length + 1 < sizeof(callbacks_order))
      callbacks_order[length] = letter;
}

static enum hdb_dispatch_answer
note_dispatch(const struct hdb_dispatch_info *dispatch, void *user)
{
   callbacks_note(*(const char *)user);
   return HDB_DISPATCH_PASS;
}

static uint32_t instance_messenger_version; /* 0: there is none */

/* In front of the loader's, for the samples' own code. */
__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkCreateInstance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *instance)
{
   PFN_vkCreateInstance create = (PFN_vkCreateInstance)dlsym(RTLD_NEXT, "vkCreateInstance");
   const struct hdb_messenger_create_info messenger = {
      .sType = HDB_STRUCTURE_TYPE_MESSENGER_CREATE_INFO,
      .pNext = info->pNext,
      .version = instance_messenger_version,
      .severities = HDB_SEVERITY_ALL,
      .reports = HDB_REPORT_ALL,
      .dispatch = note_dispatch,
      .user = (void *)"i",
   };
   VkInstanceCreateInfo chained = *info;
   if (instance_messenger_version)
      chained.pNext = &messenger;
   return create(&chained, allocator, instance);
}

/* ---- what all cases do ---- */

void
program_init(struct program *program, int argc, char **argv)
{
   sample_init(&program->sample, "callbacks", N, argc, argv);
   affine_init(&program->affine, &program->sample, N);
   VkInstance instance = program->sample.instance;
   program->create = (PFN_hdb_messenger_create)(void *)vkGetInstanceProcAddr(instance, "hdb_messenger_create");
   program->destroy = (PFN_hdb_messenger_destroy)(void *)vkGetInstanceProcAddr(instance, "hdb_messenger_destroy");
   program->visit = (PFN_hdb_stop_visit)(void *)vkGetDeviceProcAddr(program->sample.device, "hdb_stop_visit");
   if (!program->create || !program->destroy || !program->visit)
      sample_fail(&program->sample, "%s not found", "hdb's functions");
}

void
program_finish(struct program *program)
{
   affine_finish(&program->affine);
   sample_finish(&program->sample);
}

struct hdb_messenger *
program_messenger(struct program *program, hdb_dispatch_callback dispatch, hdb_stop_callback stop, void *user)
{
   const struct hdb_messenger_create_info info = {
      .sType = HDB_STRUCTURE_TYPE_MESSENGER_CREATE_INFO,
      .version = HDB_CALLBACKS_VERSION,
      .severities = HDB_SEVERITY_ALL,
      .reports = HDB_REPORT_ALL,
      .dispatch = dispatch,
      .stop = stop,
      .user = user,
   };
   struct hdb_messenger *messenger = NULL;
   CHECK(program->create(program->sample.device, &info, &messenger) == 0);
   return messenger;
}

void
program_dispatch(struct program *program, uint32_t amount)
{
   VkCommandBuffer commands = sample_begin(&program->sample);
   affine_record(&program->affine, commands, &(struct affine_step){0, N, 1, amount}, "adding");
   sample_submit(&program->sample, commands);
}

enum hdb_dispatch_answer
attach_always(const struct hdb_dispatch_info *info, void *user)
{
   return HDB_DISPATCH_ATTACH;
}

/* ---- callbacks_order and masks ---- */

static enum hdb_dispatch_answer
note_and_attach(const struct hdb_dispatch_info *info, void *user)
{
   callbacks_note(*(const char *)user);
   return HDB_DISPATCH_ATTACH;
}

static enum hdb_stop_answer
note_stop(const struct hdb_stop *stop, void *user)
{
   callbacks_note((char)(*(const char *)user - 'a' + 'A'));
   return *(const char *)user == 'b' ? HDB_STOP_RESUME : HDB_STOP_PASS;
}

static void
case_order(struct program *program)
{
   struct hdb_messenger *a = program_messenger(program, note_dispatch, note_stop, (void *)"a");
   struct hdb_messenger *b = program_messenger(program, note_and_attach, note_stop, (void *)"b");
   struct hdb_messenger *c = program_messenger(program, note_dispatch, note_stop, (void *)"c");
   program_dispatch(program, 1);
   CHECK(strcmp(callbacks_order, "iabAB") == 0);
   program->destroy(program->sample.device, b);
   memset(callbacks_order, 0, sizeof(callbacks_order));
   program_dispatch(program, 1);
   CHECK(strcmp(callbacks_order, "iac") == 0); /* nobody has attached */
   program->destroy(program->sample.device, a);
   program->destroy(program->sample.device, c);
   program->destroy(program->sample.device, NULL);
   CHECK(affine_count(&program->affine, 2) == N);
}

static atomic_int messages;

static void
count_message(const struct hdb_message_info *message, void *user)
{
   messages++;
}

static void
case_masks(struct program *program)
{
   struct hdb_messenger *messengers[4];
   struct hdb_messenger_create_info info = {
      .sType = HDB_STRUCTURE_TYPE_MESSENGER_CREATE_INFO,
      .version = HDB_CALLBACKS_VERSION,
      .dispatch = note_and_attach,
      .stop = note_stop,
      .message = count_message,
   };
   static const struct {
      uint32_t severities, reports;
      const char *letter;
   } masks[4] = {
      {HDB_SEVERITY_INFO, HDB_REPORT_ALL, "d"},
      {HDB_SEVERITY_ALL, HDB_REPORT_STOP | HDB_REPORT_MESSAGE, "e"},
      {HDB_SEVERITY_VERBOSE, HDB_REPORT_ALL, "f"},
      {HDB_SEVERITY_WARNING | HDB_SEVERITY_ERROR, HDB_REPORT_ALL, "g"},
   };
   for (int i = 0; i < 4; i++) {
      info.severities = masks[i].severities;
      info.reports = masks[i].reports;
      info.user = (void *)masks[i].letter;
      CHECK(program->create(program->sample.device, &info, &messengers[i]) == 0);
   }
   program_dispatch(program, 1);
   CHECK(strcmp(callbacks_order, "fDE") == 0);
   CHECK(messages >= 2); /* "dispatch ... finished", to d and to e */
   for (int i = 0; i < 4; i++)
      program->destroy(program->sample.device, messengers[i]);
}

/* ---- threads ---- */

static pthread_t dispatch_thread, stop_thread;
static bool signals_blocked, decimal_points;

static enum hdb_dispatch_answer
note_dispatch_thread(const struct hdb_dispatch_info *info, void *user)
{
   dispatch_thread = pthread_self();
   return HDB_DISPATCH_ATTACH;
}

static enum hdb_stop_answer
note_stop_thread(const struct hdb_stop *stop, void *user)
{
   sigset_t mask;
   stop_thread = pthread_self();
   pthread_sigmask(SIG_SETMASK, NULL, &mask);
   signals_blocked = sigismember(&mask, SIGINT) && sigismember(&mask, SIGALRM);
   struct hdb_value_info value;
   decimal_points = uselocale(NULL) != LC_GLOBAL_LOCALE && strcmp(localeconv()->decimal_point, ".") == 0 &&
                    stop->functions->evaluate(stop, 0, 0, "0.5 + 0.25", &value) == 0 && value.number == 0.75 &&
                    strcmp(value.text, "0.75") == 0;
   return HDB_STOP_PASS;
}

static void
case_threads(struct program *program)
{
   struct hdb_messenger *messenger = program_messenger(program, note_dispatch_thread, note_stop_thread, NULL);
   setlocale(LC_ALL, "de_DE.UTF-8"); /* with a decimal comma; it need not be installed */
   program_dispatch(program, 1);
   CHECK(pthread_equal(dispatch_thread, pthread_self()));
   CHECK(!pthread_equal(stop_thread, pthread_self()));
   CHECK(signals_blocked && decimal_points);
   CHECK(affine_count(&program->affine, 1) == N);
   program->destroy(program->sample.device, messenger);
}

/* ---- together with a debugger: callbacks.py ---- */

static enum hdb_stop_answer
print_and_pass(const struct hdb_stop *stop, void *user)
{
   uint32_t *held = user;
   printf("told: %s\n", stop->text);
   fflush(stdout);
   return *held && stop->dispatch_number == *held ? HDB_STOP_HOLD : HDB_STOP_PASS;
}

static enum hdb_stop_answer
resume(const struct hdb_stop *stop, void *user)
{
   return HDB_STOP_RESUME;
}

static void
case_answered(struct program *program)
{
   struct hdb_messenger *messenger = program_messenger(program, attach_always, resume, NULL);
   for (uint32_t i = 0; i < 3; i++)
      program_dispatch(program, 1);
   program->destroy(program->sample.device, messenger);
   CHECK(affine_count(&program->affine, 3) == N);
}

static void
case_client(struct program *program)
{
   uint32_t held = 2;
   struct hdb_messenger *messenger = program_messenger(program, attach_always, print_and_pass, &held);
   for (uint32_t i = 0; i < 3; i++)
      program_dispatch(program, 1);
   program->destroy(program->sample.device, messenger);
   CHECK(affine_count(&program->affine, 3) == N);
}

static void
print_message(const struct hdb_message_info *message, void *user)
{
   printf("heard: [%s]\n", message->text);
   fflush(stdout);
}

static void
case_logged(struct program *program)
{
   struct hdb_messenger *messenger;
   const struct hdb_messenger_create_info info = {
      .sType = HDB_STRUCTURE_TYPE_MESSENGER_CREATE_INFO,
      .version = HDB_CALLBACKS_VERSION,
      .severities = HDB_SEVERITY_INFO,
      .reports = HDB_REPORT_MESSAGE,
      .message = print_message,
   };
   CHECK(program->create(program->sample.device, &info, &messenger) == 0);
   program_dispatch(program, 7);
   program->destroy(program->sample.device, messenger);
}

/* ---- the rest ---- */

static void
case_left(struct program *program)
{
   struct program other;
   program_init(&other, 0, NULL);
   struct hdb_messenger *messenger = program_messenger(&other, note_and_attach, note_stop, (void *)"o");
   struct hdb_messenger *mine = program_messenger(program, note_and_attach, note_stop, (void *)"b");
   CHECK(messenger != NULL);
   program_dispatch(&other, 7);
   CHECK(strcmp(callbacks_order, "oO") == 0); /* the one of the other device hears nothing */
   program_finish(&other);
   program_dispatch(program, 7);
   CHECK(strcmp(callbacks_order, "oObB") == 0);
   program->destroy(program->sample.device, mine);
   CHECK(affine_count(&program->affine, 7) == N);
}

static void
case_refused(struct program *program)
{
   struct hdb_messenger_create_info info = {
      .sType = HDB_STRUCTURE_TYPE_MESSENGER_CREATE_INFO,
      .version = HDB_CALLBACKS_VERSION + 1,
      .severities = HDB_SEVERITY_ALL,
      .reports = HDB_REPORT_ALL,
   };
   struct hdb_messenger *messenger = (struct hdb_messenger *)&info;
   CHECK(program->create(program->sample.device, &info, &messenger) == -EINVAL && !messenger);
   info.version = HDB_CALLBACKS_VERSION;
   info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
   CHECK(program->create(program->sample.device, &info, &messenger) == -EINVAL && !messenger);
   /* Nothing is wanted, and no callback is there. */
   info.sType = HDB_STRUCTURE_TYPE_MESSENGER_CREATE_INFO;
   CHECK(program->create(program->sample.device, &info, &messenger) == 0 && messenger);
   program_dispatch(program, 7);
   CHECK(!*callbacks_order); /* nor has the instance's been called, which is of another version */
   program->destroy(program->sample.device, messenger);
   CHECK(affine_count(&program->affine, 7) == N);
   CHECK(!vkGetInstanceProcAddr(program->sample.instance, "hdb_nothing"));
   void *device = program->sample.device;
   CHECK(program->create(device, NULL, &messenger) == -EINVAL && program->create(device, &info, NULL) == -EINVAL);
   CHECK(program->visit(device, NULL, NULL) == -EINVAL);
   PFN_hdb_trigger trigger = (PFN_hdb_trigger)(void *)vkGetDeviceProcAddr(device, "hdb_trigger");
   CHECK(trigger(device, (enum hdb_trigger)(HDB_TRIGGER_CAPTURE + 1), NULL) == -EINVAL);
   CHECK(trigger(device, (enum hdb_trigger) - 1, NULL) == -EINVAL);
   CHECK(trigger(device, (enum hdb_trigger)100000, NULL) == -EINVAL);
   CHECK(trigger(NULL, HDB_TRIGGER_CAPTURE, NULL) == -EINVAL && trigger(NULL, HDB_TRIGGER_STOP, NULL) == -EINVAL);
}

static char told[256];

static VKAPI_ATTR VkBool32 VKAPI_CALL
be_told(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
        const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
   if (data->pMessageIdName && strcmp(data->pMessageIdName, "hdb-stop") == 0 &&
       severity == VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT)
      snprintf(told, sizeof(told), "%s", data->pMessage);
   return VK_FALSE;
}

static void
case_utils(struct program *program)
{
   VkInstance instance = program->sample.instance;
   PFN_vkCreateDebugUtilsMessengerEXT create_utils =
      (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(instance, "vkCreateDebugUtilsMessengerEXT");
   PFN_vkDestroyDebugUtilsMessengerEXT destroy_utils =
      (PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(instance, "vkDestroyDebugUtilsMessengerEXT");
   VkDebugUtilsMessengerCreateInfoEXT info = {
      .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
      .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT,
      .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
      .pfnUserCallback = be_told,
   };
   VkDebugUtilsMessengerEXT messenger;
   CHECK(create_utils(instance, &info, NULL, &messenger) == VK_SUCCESS);
   struct hdb_messenger *attaching = program_messenger(program, attach_always, NULL, NULL);
   program_dispatch(program, 7);
   CHECK(strncmp(told, "entry in affine at affine.comp:", 31) == 0);
   destroy_utils(instance, messenger, NULL);
   told[0] = 0;
   program_dispatch(program, 7);
   CHECK(!told[0]);
   program->destroy(program->sample.device, attaching);
}

int
main(int argc, char **argv)
{
   static const struct {
      const char *name;
      void (*run)(struct program *program);
   } cases[] = {
      {"order", case_order},   {"masks", case_masks},   {"threads", case_threads}, {"look", case_look},
      {"change", case_change}, {"step", case_step},     {"apart", case_apart},     {"hold", case_hold},
      {"visits", case_visits}, {"within", case_within}, {"wait", case_wait},       {"vulkan", case_vulkan},
      {"nested", case_nested}, {"lost", case_lost},     {"left", case_left},       {"refused", case_refused},
      {"utils", case_utils},   {"warned", case_warned}, {"client", case_client},   {"answered", case_answered},
      {"push", case_push},     {"logged", case_logged},
   };
   struct program program = {0};
   const char *name = argc > 1 ? argv[1] : "";
   alarm(TIME_LIMIT);
   for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      if (strcmp(cases[i].name, name) != 0)
         continue;
      if (strcmp(name, "order") == 0)
         instance_messenger_version = HDB_CALLBACKS_VERSION;
      else if (strcmp(name, "refused") == 0)
         instance_messenger_version = HDB_CALLBACKS_VERSION + 1;
      program_init(&program, argc - 1, argv + 1);
      cases[i].run(&program);
      program_finish(&program);
      printf("callbacks %s: %s\n", name, callbacks_failures ? "failed" : "right");
      return callbacks_failures ? 1 : 0;
   }
   fprintf(stderr, "callbacks: no case \"%s\"\n", name);
   return 2;
}
