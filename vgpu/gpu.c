/* SPDX-License-Identifier: MIT */
/*
 * The card: its memory, its descriptor, its life.
 *
 * All physical memory is one sparse memfd: VRAM from offset 0, the system memory behind GTT after it. It is mapped
 * once, whole, without reservation; pages appear when touched and are punched out when freed.
 */
#include "gpu.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cp/cp.h"
#include "debugfs/serve.h"
#include "image/layout.h"
#include "kmd/kmd.h"
#include "stats.h"
#include "vm/vm.h"
#include "vm/written.h"

#define MIB (1ull << 20)
#define GIB (1ull << 30)

static struct {
   pthread_mutex_t lock;
   struct vgpu *cards;
   struct vgpu *process_card;
   unsigned process; /* goes up in each forked child */
   bool fork_handler;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void
after_fork_in_child(void)
{
   registry.process++;
   pthread_mutex_init(&registry.lock, NULL);
   debugfs_forked();
}

bool
vgpu_is_inert(const struct vgpu *gpu)
{
   return gpu->process != registry.process;
}

int
vgpu_thread_start(pthread_t *thread, const char *name, void *(*run)(void *user), void *user)
{
   sigset_t all, old;
   sigfillset(&all);
   pthread_sigmask(SIG_SETMASK, &all, &old);
   int result = pthread_create(thread, NULL, run, user);
   pthread_sigmask(SIG_SETMASK, &old, NULL);
   if (!result)
      pthread_setname_np(*thread, name);
   return -result;
}

/* ---- log ------------------------------------------------------------------------------------------------------- */

void
vgpu_log(struct vgpu *gpu, const char *format, ...)
{
   char line[1024];
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(line, sizeof(line), format, arguments);
   va_end(arguments);

   if (gpu->options.log)
      gpu->options.log(gpu->options.log_user, line);
   else
      fprintf(stderr, "hdb-vgpu: %s\n", line);
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

/* Both heaps together are promised no more than half of the machine's memory. */
static void
choose_sizes(struct vgpu *gpu)
{
   uint64_t half = (uint64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 2;

   gpu->vram_size = gpu->options.vram_size;
   if (!gpu->vram_size)
      gpu->vram_size = half / 4 * 3 < 8 * GIB ? half / 4 * 3 : 8 * GIB;
   gpu->gtt_size = half / 4 < 4 * GIB ? half / 4 : 4 * GIB;

   gpu->vram_size = (gpu->vram_size + 2 * MIB - 1) & ~(2 * MIB - 1);
   gpu->gtt_size &= ~(256 * MIB - 1);
   if (gpu->gtt_size < 256 * MIB)
      gpu->gtt_size = 256 * MIB;
}

static int
create_memory(struct vgpu *gpu)
{
   uint64_t size = gpu->vram_size + gpu->gtt_size;
   struct rlimit limit;
   if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < size)
      return -EFBIG; /* ftruncate would raise SIGXFSZ */

   gpu->fd = memfd_create("hdb-vgpu", MFD_CLOEXEC);
   struct stat status;
   if (gpu->fd < 0 || ftruncate(gpu->fd, size) || fstat(gpu->fd, &status))
      return -errno;
   gpu->device = status.st_dev;
   gpu->inode = status.st_ino;

   void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, gpu->fd, 0);
   if (memory == MAP_FAILED)
      return -errno;
   gpu->memory = memory;
   madvise(memory, size, MADV_DONTFORK);
   madvise(memory, size, MADV_DONTDUMP);
   return 0;
}

void
vgpu_release_memory(struct vgpu *gpu, uint64_t offset, uint64_t size)
{
   /* Where the hole cannot be punched (a sealed or exotic file system), the pages must read as zero all the same. */
   if (fallocate(gpu->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, size))
      memset(gpu->memory + offset, 0, size);
}

/* ---- life ------------------------------------------------------------------------------------------------------ */

int
vgpu_create(const struct vgpu_options *options, struct vgpu **out)
{
   struct vgpu *gpu = calloc(1, sizeof(*gpu));
   if (!gpu)
      return -ENOMEM;
   gpu->fd = -1;
   if (options)
      gpu->options = *options;
   pthread_mutex_init(&gpu->interrupt_lock, NULL);
   pthread_mutex_init(&gpu->watch_lock, NULL);
   choose_sizes(gpu);

   pthread_mutex_lock(&registry.lock);
   if (!registry.fork_handler)
      registry.fork_handler = pthread_atfork(NULL, NULL, after_fork_in_child) == 0;
   gpu->process = registry.process;
   pthread_mutex_unlock(&registry.lock);

   int r = create_memory(gpu);
   if (!r)
      r = written_create(gpu);
   if (!r)
      r = heap_init(&gpu->vram, gpu->vram_size);
   if (!r)
      r = heap_init(&gpu->gtt, gpu->gtt_size);
   if (!r)
      r = registers_init(gpu);
   if (!r)
      r = cp_init(gpu);
   if (!r)
      r = kmd_init(gpu);
   if (r) {
      vgpu_destroy(gpu);
      return r;
   }
   gpu->stats = stats_create(gpu);

   pthread_mutex_lock(&registry.lock);
   gpu->next = registry.cards;
   registry.cards = gpu;
   pthread_mutex_unlock(&registry.lock);
   *out = gpu;
   return 0;
}

void
vgpu_destroy(struct vgpu *gpu)
{
   if (!gpu || vgpu_is_inert(gpu))
      return;

   pthread_mutex_lock(&registry.lock);
   for (struct vgpu **link = &registry.cards; *link; link = &(*link)->next) {
      if (*link == gpu) {
         *link = gpu->next;
         break;
      }
   }
   if (registry.process_card == gpu)
      registry.process_card = NULL;
   pthread_mutex_unlock(&registry.lock);

   debugfs_stop(gpu);
   kmd_stop(gpu);
   cp_finish(gpu);
   stats_report(gpu);
   kmd_finish(gpu);
   registers_finish(gpu);
   layout_cache_destroy(gpu->layouts);
   heap_finish(&gpu->gtt);
   heap_finish(&gpu->vram);
   if (gpu->memory)
      munmap(gpu->memory, gpu->vram_size + gpu->gtt_size);
   if (gpu->fd >= 0)
      close(gpu->fd);
   pthread_mutex_destroy(&gpu->interrupt_lock);
   pthread_mutex_destroy(&gpu->watch_lock);
   free(gpu->stats);
   written_destroy(gpu->written);
   free(gpu);
}

/* Most cards are never destroyed. The library's own end comes after that of those who use it, and after atexit. */
static void __attribute__((destructor)) report_at_exit(void)
{
   pthread_mutex_lock(&registry.lock);
   for (struct vgpu *gpu = registry.cards; gpu; gpu = gpu->next) {
      if (!vgpu_is_inert(gpu))
         stats_report(gpu);
   }
   pthread_mutex_unlock(&registry.lock);
}

/* ---- the process's card ---------------------------------------------------------------------------------------- */

static uint32_t
parse_flags(struct vgpu *gpu, const char *words)
{
   static const struct {
      const char *word;
      uint32_t flag;
   } known[] = {
      {"poison", VGPU_POISON},
      {"late-loads", VGPU_LATE_LOADS},
      {"strict-caches", VGPU_STRICT_CACHES},
      {"check-dealloc", VGPU_CHECK_DEALLOC},
      {"vmid-taken", VGPU_VMID_TAKEN},
   };
   uint32_t flags = 0;

   while (words && *words) {
      size_t length = strcspn(words, ",");
      bool found = length == 0;
      for (size_t i = 0; i < sizeof(known) / sizeof(known[0]) && !found; i++) {
         found = strlen(known[i].word) == length && !strncmp(words, known[i].word, length);
         if (found)
            flags |= known[i].flag;
      }
      if (!found)
         vgpu_log(gpu,
                  "HDB_VGPU: unknown word \"%.*s\" ignored (known: poison, late-loads, strict-caches, "
                  "check-dealloc, vmid-taken)",
                  (int)length, words);
      words += length + (words[length] == ',');
   }
   return flags;
}

/* Drivers ask with every call to the kernel: what they are told of a wrong value is told once. */
static bool
virtual_is_chosen(void)
{
   static atomic_flag said = ATOMIC_FLAG_INIT;
   const char *choice = getenv("HDB_GPU");
   if (!choice || !*choice || !strcmp(choice, "amdgpu"))
      return false;
   if (!strcmp(choice, "virtual"))
      return true;
   if (!atomic_flag_test_and_set(&said))
      vgpu_log(&(struct vgpu){0}, "HDB_GPU=%s is neither virtual nor amdgpu; ignored", choice);
   return false;
}

struct vgpu *
vgpu_process_card(void)
{
   pthread_mutex_lock(&registry.lock);
   struct vgpu *gpu = registry.process_card;
   bool wanted = !gpu || vgpu_is_inert(gpu);
   pthread_mutex_unlock(&registry.lock);
   if (!wanted)
      return gpu;

   if (!virtual_is_chosen())
      return NULL;

   struct vgpu nameless = {0};
   struct vgpu_options options = {.flags = parse_flags(&nameless, getenv("HDB_VGPU"))};
   int r = vgpu_create(&options, &gpu);
   if (r) {
      vgpu_log(&nameless, "the virtual GPU cannot be created: %s", strerror(-r));
      return NULL;
   }

   /* Two threads may have come here at once. */
   pthread_mutex_lock(&registry.lock);
   struct vgpu *other = registry.process_card;
   bool lost = other && !vgpu_is_inert(other);
   if (!lost)
      registry.process_card = gpu;
   pthread_mutex_unlock(&registry.lock);
   if (lost)
      vgpu_destroy(gpu);
   else
      debugfs_serve(gpu);
   return lost ? other : gpu;
}

/* ---- descriptors ----------------------------------------------------------------------------------------------- */

int
vgpu_fd(struct vgpu *gpu)
{
   return gpu->fd;
}

struct vgpu *
vgpu_from_fd(int fd)
{
   struct stat status;
   if (!__atomic_load_n(&registry.cards, __ATOMIC_ACQUIRE) || fstat(fd, &status))
      return NULL;

   struct vgpu *found = NULL;
   pthread_mutex_lock(&registry.lock);
   for (struct vgpu *gpu = registry.cards; gpu && !found; gpu = gpu->next) {
      bool is_card = status.st_dev == gpu->device && status.st_ino == gpu->inode;
      if (is_card || (!vgpu_is_inert(gpu) && kmd_owns_file(gpu, fd)))
         found = gpu;
   }
   pthread_mutex_unlock(&registry.lock);
   return found;
}

/* ---- the hardware's face: memory ------------------------------------------------------------------------------- */

static bool
is_vram_range(const struct vgpu *gpu, uint64_t address, size_t size)
{
   return address <= gpu->vram_size && size <= gpu->vram_size - address;
}

int
vgpu_vram_read(struct vgpu *gpu, uint64_t address, void *data, size_t size)
{
   if (vgpu_is_inert(gpu))
      return -EIO;
   if (!is_vram_range(gpu, address, size))
      return -EFAULT;
   memcpy(data, gpu->memory + address, size);
   return 0;
}

int
vgpu_vram_write(struct vgpu *gpu, uint64_t address, const void *data, size_t size)
{
   if (vgpu_is_inert(gpu))
      return -EIO;
   if (!is_vram_range(gpu, address, size))
      return -EFAULT;
   memcpy(gpu->memory + address, data, size);
   written_add(gpu, address, size);
   return 0;
}

static struct vm *
vm_of(struct vgpu *gpu, uint32_t vmid)
{
   return vmid < VGPU_VMIDS ? __atomic_load_n(&gpu->vmid[vmid], __ATOMIC_ACQUIRE) : NULL;
}

int
vgpu_memory_read(struct vgpu *gpu, uint32_t vmid, uint64_t va, void *data, size_t size)
{
   if (vgpu_is_inert(gpu))
      return -EIO;
   struct vm *vm = vm_of(gpu, vmid);
   return vm ? vm_copy_from(vm, va, data, size) : -EFAULT;
}

int
vgpu_memory_write(struct vgpu *gpu, uint32_t vmid, uint64_t va, const void *data, size_t size)
{
   if (vgpu_is_inert(gpu))
      return -EIO;
   struct vm *vm = vm_of(gpu, vmid);
   return vm ? vm_copy_to(vm, va, data, size) : -EFAULT;
}

int
vgpu_memory_access(struct vgpu *gpu, uint32_t vmid, uint64_t va, uint32_t *access)
{
   if (vgpu_is_inert(gpu))
      return -EIO;
   struct vm *vm = vm_of(gpu, vmid);
   if (!vm)
      return -EFAULT;
   struct vm_walk walk;
   vm_walk(vm, va, &walk);
   bool writes = walk.result == VM_PRT || walk.access & VM_WRITE,
        reads = walk.result == VM_PRT || walk.access & VM_READ;
   *access = (reads ? VGPU_ACCESS_READ : 0) | (writes ? VGPU_ACCESS_WRITE : 0);
   return walk.result == VM_NOT_MAPPED ? -EFAULT : 0;
}
