/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <x86intrin.h>

#include "gpu.h"
#include "isa/hwreg.h"
#include "isa/lane_float.h"
#include "isa/memory.h"
#include "isa/traffic.h"
#include "isa/watch.h"

void *
memory_at(struct wave *wave, uint64_t va, uint32_t access, bool *prt)
{
   *prt = false;
   return vm_translate(wave->vm, wave->tlb, wave->gpu->vm_generation, va, access, prt);
}

/* Copies what may cross the end of a page, in the direction of `access`. */
static bool
copy(struct wave *wave, uint64_t va, void *data, unsigned bytes, uint32_t access)
{
   while (bytes) {
      unsigned here = (unsigned)(4096 - (va & 4095));
      if (here > bytes)
         here = bytes;
      bool prt;
      void *host = memory_at(wave, va, access, &prt);
      if (!host && !prt)
         return false;
      if (host && access == VM_WRITE)
         memcpy(host, data, here);
      else if (host)
         memcpy(data, host, here);
      else if (access == VM_READ)
         memset(data, 0, here);
      va += here;
      data = (uint8_t *)data + here;
      bytes -= here;
   }
   return true;
}

bool
memory_read(struct wave *wave, uint64_t va, void *data, unsigned bytes)
{
   return copy(wave, va, data, bytes, VM_READ);
}

bool
scalar_load(struct wave *wave, uint64_t va, uint32_t *value)
{
   return memory_read(wave, va, value, 4);
}

/* Where `bytes` of one lane lie in LDS; NULL: beyond its end. */
static uint8_t *
lds_at(const struct wave *wave, uint64_t offset, unsigned bytes)
{
   return offset <= wave->lds_size && bytes <= wave->lds_size - offset ? wave->lds + offset : NULL;
}

static bool
out_of_bounds(struct wave *wave, const struct lane_access *access, unsigned lane, unsigned dword)
{
   if (!access->bounded || dword < access->in_bounds[lane])
      return false;
   wave->trapsts |= TRAPSTS_BUFFER_OOB;
   return true;
}

static unsigned
next_lane(uint64_t *lanes)
{
   unsigned lane = (unsigned)__builtin_ctzll(*lanes);
   *lanes &= *lanes - 1;
   return lane;
}

/* The common case: all lanes of the wave, dwords side by side in one page. */
static void *
contiguous(struct wave *wave, const struct lane_access *access, uint32_t direction)
{
   unsigned count = wave_lanes(wave);
   if (access->lds || access->bounded || access->lanes != (count == 64 ? ~UINT64_C(0) : 0xffffffff))
      return NULL;
   uint64_t first = access->va[0], differs = (first & 4095) + count * 4 > 4096;
   for (unsigned l = 0; l < count; l++)
      differs |= access->va[l] ^ (first + l * 4);
   bool prt;
   return differs ? NULL : memory_at(wave, first, direction, &prt);
}

static uint32_t
extend(uint32_t value, unsigned bytes, bool is_signed)
{
   if (bytes >= 4)
      return value;
   unsigned unused = 32 - bytes * 8;
   return is_signed ? (uint32_t)((int32_t)(value << unused) >> unused) : value << unused >> unused;
}

/* Host memory that all lanes' accesses lie in: LDS, or the one page they are in. */
struct window {
   uint8_t *host;   /* NULL: they do not */
   uint64_t origin; /* address of its first byte */
};

static struct window
common_window(struct wave *wave, const struct lane_access *access, unsigned bytes, uint32_t direction)
{
   struct window window = {NULL, 0};
   if (access->stride != 4 || access->bounded || !access->lanes)
      return window;
   unsigned first = (unsigned)__builtin_ctzll(access->lanes);
   uint64_t origin = access->lds ? 0 : access->va[first] & ~UINT64_C(4095);
   uint64_t size = access->lds ? wave->lds_size : 4096;
   if (size < bytes)
      return window;
   uint64_t farthest = 0;
   for (uint64_t left = access->lanes; left;) {
      uint64_t offset = access->va[next_lane(&left)] - origin;
      farthest = offset > farthest ? offset : farthest;
   }
   if (farthest > size - bytes)
      return window;
   bool prt;
   window.host = access->lds ? wave->lds : memory_at(wave, origin, direction, &prt);
   window.origin = origin;
   return window;
}

/* Copies for each lane; `bytes` is a constant where this is expanded. */
static __attribute__((always_inline)) inline void
window_load(struct window window, const struct lane_access *access, unsigned bytes, bool is_signed,
            uint32_t (*data)[64])
{
   for (uint64_t left = access->lanes; left;) {
      unsigned lane = next_lane(&left);
      uint32_t value[4] = {0};
      memcpy(value, window.host + (access->va[lane] - window.origin), bytes);
      for (unsigned d = 0; d < (bytes + 3) / 4; d++)
         data[d][lane] = extend(value[d], bytes, is_signed);
   }
}

static __attribute__((always_inline)) inline void
window_store(struct window window, const struct lane_access *access, unsigned bytes, unsigned shift,
             const uint32_t *const *source)
{
   for (uint64_t left = access->lanes; left;) {
      unsigned lane = next_lane(&left);
      uint32_t value[4];
      for (unsigned d = 0; d < (bytes + 3) / 4; d++)
         value[d] = source[d][lane] >> shift;
      memcpy(window.host + (access->va[lane] - window.origin), value, bytes);
   }
}

#define EACH_SIZE(size, call) \
   switch (size) {            \
   case 1:                    \
      call(1);                \
      break;                  \
   case 2:                    \
      call(2);                \
      break;                  \
   case 4:                    \
      call(4);                \
      break;                  \
   case 8:                    \
      call(8);                \
      break;                  \
   case 12:                   \
      call(12);               \
      break;                  \
   default:                   \
      call(16);               \
      break;                  \
   }

bool
lanes_load(struct wave *wave, const struct inst *inst, const struct lane_access *access, unsigned bytes, bool is_signed,
           uint32_t (*data)[64])
{
   traffic_count_lanes(wave, inst, access, bytes, STATS_READ);
   watch_lanes(wave, access, bytes, WATCH_READ);
   const void *block = bytes == 4 ? contiguous(wave, access, VM_READ) : NULL;
   if (block) {
      memcpy(data[0], block, wave_lanes(wave) * 4);
      return true;
   }
   unsigned dwords = (bytes + 3) / 4;
   struct window window = common_window(wave, access, bytes, VM_READ);
   if (window.host) {
#define LOAD(size) window_load(window, access, size, is_signed, data)
      EACH_SIZE(bytes, LOAD)
      return true;
   }
   for (uint64_t left = access->lanes; left;) {
      unsigned lane = next_lane(&left);
      uint32_t value[4] = {0};
      if (access->lds) {
         const uint8_t *host = lds_at(wave, access->va[lane], bytes);
         if (host)
            memcpy(value, host, bytes);
      } else {
         for (unsigned d = 0; d < dwords; d++) {
            uint64_t va = access->va[lane] + d * access->stride;
            if (out_of_bounds(wave, access, lane, d))
               continue;
            if (!copy(wave, va, &value[d], bytes < 4 ? bytes : 4, VM_READ)) {
               isa_raise_memory(wave, inst, va, false);
               return false;
            }
         }
      }
      for (unsigned d = 0; d < dwords; d++)
         data[d][lane] = extend(value[d], bytes, is_signed);
   }
   return true;
}

bool
lanes_store_rows(struct wave *wave, const struct inst *inst, const struct lane_access *access, unsigned bytes,
                 unsigned shift, const uint32_t *const *source)
{
   traffic_count_lanes(wave, inst, access, bytes, STATS_WRITTEN);
   watch_lanes(wave, access, bytes, WATCH_WRITE);
   unsigned dwords = (bytes + 3) / 4;
   void *block = bytes == 4 ? contiguous(wave, access, VM_WRITE) : NULL;
   if (block) {
      memcpy(block, source[0], wave_lanes(wave) * 4);
      return true;
   }
   struct window window = common_window(wave, access, bytes, VM_WRITE);
   if (window.host) {
#define STORE(size) window_store(window, access, size, shift, source)
      EACH_SIZE(bytes, STORE)
      return true;
   }
   for (uint64_t left = access->lanes; left;) {
      unsigned lane = next_lane(&left);
      uint32_t value[4];
      for (unsigned d = 0; d < dwords; d++)
         value[d] = source[d][lane] >> shift;
      if (access->lds) {
         uint8_t *host = lds_at(wave, access->va[lane], bytes);
         if (host)
            memcpy(host, value, bytes);
      } else {
         for (unsigned d = 0; d < dwords; d++) {
            uint64_t va = access->va[lane] + d * access->stride;
            if (out_of_bounds(wave, access, lane, d))
               continue;
            if (!copy(wave, va, &value[d], bytes < 4 ? bytes : 4, VM_WRITE)) {
               isa_raise_memory(wave, inst, va, true);
               return false;
            }
         }
      }
   }
   return true;
}

bool
lanes_store(struct wave *wave, const struct inst *inst, const struct lane_access *access, unsigned bytes,
            unsigned shift, unsigned first)
{
   const uint32_t *source[4];
   for (unsigned d = 0; d < (bytes + 3) / 4; d++)
      source[d] = vgpr_source(wave, first + d);
   return lanes_store_rows(wave, inst, access, bytes, shift, source);
}

/* ---- atomics (RDNA3 ISA guide, 16.15: BUFFER_ATOMIC_*; 16.14: DS_*) ---- */

/* A signalling NaN wins, memory's first, and becomes quiet; a quiet one loses. */
static bool
signalling_atomic(bool wide, uint64_t *old)
{
   uint64_t quiet = wide ? UINT64_C(1) << 51 : 1u << 22, infinity = wide ? UINT64_C(0x7ff) << 52 : 0x7f800000;
   uint64_t magnitude = *old & (wide ? INT64_MAX : INT32_MAX);
   if (magnitude <= infinity || magnitude & quiet)
      return false;
   *old |= quiet;
   return true;
}

static uint64_t
float_atomic(enum atomic_operation operation, bool wide, uint64_t old, uint64_t source, uint64_t compare)
{
   if (operation == ATOMIC_FMIN || operation == ATOMIC_FMAX) {
      if (signalling_atomic(wide, &old))
         return old;
      if (signalling_atomic(wide, &source))
         return source;
   }
   if (wide) {
      double a = as_double(old), b = as_double(source);
      switch (operation) {
      case ATOMIC_FCMPSWAP:
         return a == as_double(compare) ? source : old;
      case ATOMIC_FMIN:
         return double_bits(min_f64(a, b));
      case ATOMIC_FMAX:
         return double_bits(max_f64(a, b));
      default:
         return double_bits(a + b);
      }
   }
   float a = as_float((uint32_t)old), b = as_float((uint32_t)source);
   switch (operation) {
   case ATOMIC_FCMPSWAP:
      return a == as_float((uint32_t)compare) ? source : old;
   case ATOMIC_FMIN:
      return float_bits(min_f32(a, b));
   case ATOMIC_FMAX:
      return float_bits(max_f32(a, b));
   default:
      return float_bits(a + b);
   }
}

/* Floats in atomics round to nearest. Those in LDS treat denormals as MODE says; memory flushes them in sums and
 * leaves them alone otherwise (RDNA3 ISA guide, 13.1 and 13.2). */
static unsigned
mxcsr_of_atomic(const struct wave *wave, enum atomic_operation operation, bool wide, bool lds)
{
   unsigned flush = _MM_FLUSH_ZERO_ON | MXCSR_DAZ;
   if (lds)
      return _MM_MASK_MASK | (mxcsr_of_mode(wave->mode, wide) & flush);
   return _MM_MASK_MASK | (operation == ATOMIC_FADD ? flush : 0);
}

static uint64_t
atomic_result(enum atomic_operation operation, bool wide, uint64_t old, uint64_t source, uint64_t second)
{
   int64_t signed_old = wide ? (int64_t)old : (int32_t)old, signed_source = wide ? (int64_t)source : (int32_t)source;
   switch (operation) {
   case ATOMIC_SWAP:
      return source;
   case ATOMIC_CMPSWAP:
      return old == second ? source : old;
   case ATOMIC_ADD:
      return old + source;
   case ATOMIC_SUB:
      return old - source;
   case ATOMIC_RSUB:
      return source - old;
   case ATOMIC_CSUB:
      return old >= source ? old - source : 0;
   case ATOMIC_SMIN:
      return signed_source < signed_old ? source : old;
   case ATOMIC_UMIN:
      return source < old ? source : old;
   case ATOMIC_SMAX:
      return signed_source >= signed_old ? source : old;
   case ATOMIC_UMAX:
      return source >= old ? source : old;
   case ATOMIC_AND:
      return old & source;
   case ATOMIC_OR:
      return old | source;
   case ATOMIC_XOR:
      return old ^ source;
   case ATOMIC_INC:
      return old >= source ? 0 : old + 1;
   case ATOMIC_DEC:
      return old == 0 || old > source ? source : old - 1;
   case ATOMIC_MSKOR:
      return (old & ~source) | second;
   case ATOMIC_WRAP:
      return old >= source ? old - source : old + second;
   default:
      return float_atomic(operation, wide, old, source, second);
   }
}

/* The host may watch and change the same memory. */
static uint64_t
exchange32(uint32_t *host, enum atomic_operation operation, uint64_t source, uint64_t second)
{
   uint32_t old = __atomic_load_n(host, __ATOMIC_RELAXED);
   while (!__atomic_compare_exchange_n(host, &old, (uint32_t)atomic_result(operation, false, old, source, second),
                                       false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
      ;
   return old;
}

static uint64_t
exchange64(uint64_t *host, enum atomic_operation operation, uint64_t source, uint64_t second)
{
   uint64_t old = __atomic_load_n(host, __ATOMIC_RELAXED);
   while (!__atomic_compare_exchange_n(host, &old, atomic_result(operation, true, old, source, second), false,
                                       __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
      ;
   return old;
}

bool
lanes_atomic(struct wave *wave, const struct inst *inst, const struct lane_access *access,
             enum atomic_operation operation, bool wide, unsigned source, unsigned second, uint32_t (*data)[64])
{
   unsigned bytes = wide ? 8 : 4;
   traffic_count_lanes(wave, inst, access, bytes, STATS_ATOMICS);
   watch_lanes(wave, access, bytes, WATCH_ATOMIC);
   const uint32_t *source_lo = vgpr_source(wave, source), *source_hi = vgpr_source(wave, source + 1);
   const uint32_t *second_lo = vgpr_source(wave, second), *second_hi = vgpr_source(wave, second + 1);
   bool is_float = operation >= ATOMIC_FCMPSWAP, done = true;
   if (is_float)
      _mm_setcsr(mxcsr_of_atomic(wave, operation, wide, access->lds));
   for (uint64_t left = access->lanes; left;) {
      unsigned lane = next_lane(&left);
      uint64_t va = access->va[lane] & ~(uint64_t)(bytes - 1);
      data[0][lane] = data[1][lane] = 0;
      if (out_of_bounds(wave, access, lane, wide))
         continue;
      bool prt = false;
      void *host = access->lds ? lds_at(wave, va, bytes) : memory_at(wave, va, VM_READ | VM_WRITE, &prt);
      if (!host) {
         if (access->lds || prt)
            continue;
         isa_raise_memory(wave, inst, va, true);
         done = false;
         break;
      }
      uint64_t value = source_lo[lane] | (wide ? (uint64_t)source_hi[lane] << 32 : 0);
      uint64_t other = second_lo[lane] | (wide ? (uint64_t)second_hi[lane] << 32 : 0);
      uint64_t old = wide ? exchange64(host, operation, value, other) : exchange32(host, operation, value, other);
      data[0][lane] = (uint32_t)old;
      data[1][lane] = (uint32_t)(old >> 32);
   }
   if (is_float)
      _mm_setcsr(mxcsr_of_mode(wave->mode, false));
   return done;
}
