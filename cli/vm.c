/* SPDX-License-Identifier: MIT */
/* `hdb vm`: what the GPU's page tables say of an address, read from outside through the card's debugfs files. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "vm.h"

enum { EXIT_NOT_THERE = 1, EXIT_WRONG_USAGE = 2 };

#define READ_MOST (64u << 20)
#define LIMIT_S 60

static const char usage[] =
   "usage: hdb vm [OPTION]... [PID | --vmid N] [ADDRESS]\n"
   "  --read BYTES    show the memory at ADDRESS, too\n"
   "  --invalidate    drop the GPU's translations of the VMID first\n"
   "  --debugfs DIR, --sysfs DIR, --proc DIR   instead of /sys/kernel/debug/dri, /sys and /proc\n";

struct options {
   const char *debugfs, *sysfs, *proc;
   pid_t pid; /* 0: none */
   int vmid;  /* -1: none */
   bool address_given, invalidate, help;
   uint64_t address, read;
};

/* ---- callbacks of the walker ---- */

static int
write_register(void *user, uint32_t offset, uint32_t value)
{
   struct vm_card *card = user;
   return hdb_debugfs_write_register(&card->files, NULL, GC_REGISTER(0, offset), value);
}

static int
read_memory(void *user, bool system, uint64_t address, void *data, size_t size)
{
   struct vm_card *card = user;
   return hdb_debugfs_read_memory(&card->files, system, address, data, size);
}

/* ---- what is printed ---- */

static const char *
size_text(uint64_t bytes, char text[32])
{
   static const char units[] = " KMGTPE";
   int unit = 0;
   while (bytes >= 1024 && bytes % 1024 == 0 && units[unit + 1]) {
      bytes /= 1024;
      unit++;
   }
   if (unit)
      snprintf(text, 32, "%" PRIu64 " %ciB", bytes, units[unit]);
   else
      snprintf(text, 32, "%" PRIu64 " B", bytes);
   return text;
}

static const char *
mtype_name(uint64_t entry)
{
   static const char *const names[] = {"NC", "RW", "CC", "UC", "4", "5", "6", "7"};
   return names[HDB_PTE_MTYPE(entry)];
}

static void
print_flags(enum hdb_vm_entry_kind kind, uint64_t entry)
{
   static const struct {
      uint64_t bit;
      const char *name;
      bool table, page;
   } flags[] = {
      {HDB_PTE_VALID, "V", true, true},  {HDB_PTE_SYSTEM, "S", true, true},        {HDB_PTE_SNOOPED, "C", true, true},
      {HDB_PTE_TMZ, "TMZ", false, true}, {HDB_PTE_EXECUTE, "X", false, true},      {HDB_PTE_READ, "R", false, true},
      {HDB_PTE_WRITE, "W", false, true}, {HDB_PTE_PRT, "PRT", false, true},        {HDB_PDE_PTE, "P", true, true},
      {HDB_PTE_LOG, "LOG", false, true}, {HDB_PTE_FURTHER, "F", true, true},       {HDB_PDE_TFS, "TFS", true, false},
      {HDB_PTE_GCR, "GCR", false, true}, {HDB_PTE_NOALLOC, "NOALLOC", true, true},
   };
   bool page = kind == HDB_VM_PTE;
   for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
      if (entry & flags[i].bit && (page ? flags[i].page : flags[i].table))
         printf(" %s", flags[i].name);
   }
   if (page)
      printf(" fragment %u", HDB_PTE_FRAGMENT(entry));
   else if (HDB_PDE_BFS(entry))
      printf(" BFS %u", HDB_PDE_BFS(entry));
   printf(" %s", mtype_name(entry));
}

static void
print_entry(const struct hdb_vm_entry *entry)
{
   char name[16] = "base", place[40] = "", size[32];
   if (entry->level > 0)
      snprintf(name, sizeof(name), "PDE%u", entry->level - 1);
   else
      strcpy(name, "PTE");
   if (entry->kind == HDB_VM_ROOT)
      strcpy(name, "base");
   else
      snprintf(place, sizeof(place), "%s 0x%" PRIx64 " [%u]", entry->system ? "system" : "VRAM", entry->address,
               entry->index);
   printf("  %-5s %-28s 0x%016" PRIx64 " for %s from 0x%" PRIx64 ":", name, place, entry->value,
          size_text(entry->span, size), entry->va);
   print_flags(entry->kind, entry->value);
   putchar('\n');
}

static void
print_page(uint64_t va, const struct hdb_vm_walk *walk)
{
   char size[32];
   const char *where = walk->system ? "system memory" : "VRAM";
   size_text(walk->page_size, size);
   switch (walk->page) {
   case HDB_VM_MEMORY:
      printf("0x%" PRIx64 " is %s 0x%" PRIx64 ", in a page of %s: %s%s%s%s, MTYPE %s\n", va, where, walk->address, size,
             walk->flags & HDB_PTE_READ ? "r" : "-", walk->flags & HDB_PTE_WRITE ? "w" : "-",
             walk->flags & HDB_PTE_EXECUTE ? "x" : "-", walk->flags & HDB_PTE_SNOOPED ? ", snooped" : "",
             mtype_name(walk->flags));
      break;
   case HDB_VM_PARTIALLY_RESIDENT:
      printf("0x%" PRIx64 " has no memory (PRT, %s): it reads 0, what is written is lost\n", va, size);
      break;
   case HDB_VM_UNTRANSLATED:
      printf("0x%" PRIx64 " is %s 0x%" PRIx64 ", untranslated: VMID 0 reaches %s from 0x%" PRIx64 " on directly\n", va,
             where, walk->address, size, walk->page_va);
      break;
   case HDB_VM_NONE:
      printf("0x%" PRIx64 " leads nowhere: %s\n", va, walk->reason);
   }
}

static void
print_space(const struct hdb_vm *vm)
{
   if (!vm->enabled) {
      printf("VMID %u: not enabled\n", vm->vmid);
      return;
   }
   printf("VMID %u: 0x%" PRIx64 " to 0x%" PRIx64 ", ", vm->vmid, vm->start, vm->end);
   if (!(vm->root & HDB_PTE_VALID))
      puts("no page tables yet");
   else if (vm->depth == 0)
      printf("one flat table, base 0x%016" PRIx64 "\n", vm->root);
   else
      printf("%u levels, page tables for %u MiB, base 0x%016" PRIx64 "\n", vm->depth + 1, 2u << vm->block_size,
             vm->root);
}

static int
print_memory(struct vm_card *card, const struct hdb_vm *vm, uint64_t va, size_t size)
{
   uint8_t *data = malloc(size);
   int result = data ? hdb_vm_read_range(vm, read_memory, card, va, data, size) : -ENOMEM;
   if (result < 0) {
      free(data);
      return error("%zu bytes from 0x%" PRIx64 " on can't be read: %s", size, va, strerror(-result));
   }
   for (size_t i = 0; i < size; i += 16) {
      printf("0x%" PRIx64 ":", va + i);
      for (size_t k = i; k < size && k < i + 16; k++)
         printf(" %02x", data[k]);
      putchar('\n');
   }
   free(data);
   return 0;
}

/* ---- the command ---- */

static int
show(struct vm_card *card, const struct options *options, int vmid)
{
   struct hdb_vm vm;
   int result = hdb_vm_init(&vm, vmid, vm_read_register, card);
   if (result == -EIO)
      return error("the card's registers read as all ones: it is powered down");
   if (result < 0)
      return error("VMID %d: %s", vmid, strerror(-result));
   if (options->invalidate) {
      result = hdb_vm_invalidate(1u << vmid, vm_read_register, write_register, card);
      if (result < 0)
         return error("the GPU did not drop VMID %d's translations: %s", vmid, strerror(-result));
      printf("VMID %d's translations dropped\n", vmid);
   }
   print_space(&vm);
   if (!options->address_given)
      return 0;
   struct hdb_vm_walk walk;
   result = hdb_vm_walk(&vm, read_memory, card, options->address, &walk);
   for (uint32_t i = 0; i < walk.count; i++)
      print_entry(&walk.entry[i]);
   if (result < 0 && result != -EFAULT)
      return error("page tables can't be read: %s", strerror(-result));
   print_page(options->address, &walk);
   if (result == 0 && options->read)
      return print_memory(card, &vm, options->address, options->read);
   return result == 0 ? 0 : -1;
}

static void
give_up(int number)
{
   static const char text[] = "hdb: the card does not answer\n";
   ssize_t written = write(STDERR_FILENO, text, sizeof(text) - 1);
   (void)written;
   _exit(EXIT_NOT_THERE);
}

static int
run(const struct options *options)
{
   struct vm_card card;
   char why[512];
   dev_t node = options->pid ? vm_render_node(options->proc, options->pid) : vm_first_card(options->sysfs);
   const char *debugfs = options->debugfs ? options->debugfs : "/sys/kernel/debug/dri";
   if (hdb_card_place_find(node, debugfs, options->sysfs, &card.place, why, sizeof(why)) < 0)
      return error("%s", why);
   if (options->pid && !vm_find_client(&card.place, debugfs, options->pid))
      return error("process %d does not use a card in %s", options->pid, debugfs);
   if (hdb_debugfs_open(&card.files, &card.place, why, sizeof(why)) < 0)
      return error("%s", why);

   signal(SIGALRM, give_up); /* a file operation may hang, in the kernel */
   alarm(LIMIT_S);
   struct vm_awake awake;
   int result = vm_keep_awake(&card.files, &awake);
   bool held = result == 0;
   if (result < 0) {
      error("the card can't be kept awake: %s", strerror(-result));
   } else if (options->vmid < 0 && !options->pid) {
      for (int vmid = 0; vmid < VMIDS && result == 0; vmid++)
         result = show(&card, options, vmid);
   } else {
      int vmid = options->pid ? vm_find_vmid(&card, options->sysfs, options->proc, options->pid) : options->vmid;
      result = vmid < 0 ? -1 : show(&card, options, vmid);
   }
   if (held)
      vm_let_sleep(&awake);
   alarm(0);
   hdb_debugfs_close(&card.files);
   return result;
}

/* 0, or -1 after a message. */
static int
parse(int argc, char **argv, struct options *options)
{
   enum { VMID = 256, READ, INVALIDATE, DEBUGFS, SYSFS, PROC };
   static const struct option names[] = {
      {"vmid", required_argument, NULL, VMID},
      {"read", required_argument, NULL, READ},
      {"invalidate", no_argument, NULL, INVALIDATE},
      {"debugfs", required_argument, NULL, DEBUGFS},
      {"sysfs", required_argument, NULL, SYSFS},
      {"proc", required_argument, NULL, PROC},
      {"help", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0},
   };
   opterr = 0;
   for (int option; (option = getopt_long(argc, argv, "h", names, NULL)) != -1;) {
      uint64_t number = 0;
      switch (option) {
      case VMID:
         if (!parse_unsigned(optarg, &number) || number >= VMIDS)
            return error("--vmid %s: it is a number below %d", optarg, VMIDS);
         options->vmid = (int)number;
         break;
      case READ:
         if (!parse_unsigned(optarg, &options->read) || options->read > READ_MOST)
            return error("--read %s: it is a number of bytes, at most %u", optarg, READ_MOST);
         break;
      case INVALIDATE:
         options->invalidate = true;
         break;
      case DEBUGFS:
         options->debugfs = optarg;
         break;
      case SYSFS:
         options->sysfs = optarg;
         break;
      case PROC:
         options->proc = optarg;
         break;
      case 'h':
         options->help = true;
         return 0;
      default:
         fputs(usage, stderr);
         return -1;
      }
   }
   if (options->vmid < 0 && optind < argc) {
      uint64_t pid;
      if (!parse_unsigned(argv[optind], &pid) || pid == 0 || pid > INT_MAX)
         return error("%s is no process id", argv[optind]);
      options->pid = (pid_t)pid;
      optind++;
   }
   if (optind < argc) {
      if (!parse_unsigned(argv[optind], &options->address))
         return error("%s is no address", argv[optind]);
      options->address_given = true;
      optind++;
   }
   bool space = options->pid || options->vmid >= 0;
   if (optind < argc || (options->read && !options->address_given) || (options->invalidate && !space)) {
      fputs(usage, stderr);
      return -1;
   }
   return 0;
}

int
vm_command(int argc, char **argv)
{
   struct options options = {.vmid = -1, .proc = "/proc"};
   if (parse(argc, argv, &options) < 0)
      return EXIT_WRONG_USAGE;
   if (options.help) {
      fputs(usage, stdout);
      return EXIT_SUCCESS;
   }
   return run(&options) == 0 ? EXIT_SUCCESS : EXIT_NOT_THERE;
}
