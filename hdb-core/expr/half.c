/* SPDX-License-Identifier: MIT */
/* 16-bit floats (IEEE 754 binary16: sign 15, exponent 14:10 with bias 15, fraction 9:0). */
#include <math.h>

#include "expr/private.h"

double
half_to_double(uint16_t half)
{
   int exponent = half >> 10 & 31;
   double fraction = half & 0x3ff, number;
   if (exponent == 31)
      number = fraction ? NAN : INFINITY;
   else if (exponent == 0)
      number = ldexp(fraction, -24);
   else
      number = ldexp(fraction + 1024, exponent - 25);
   return copysign(number, half & 0x8000 ? -1 : 1);
}

/* To the nearest, ties to even. */
uint16_t
half_from_double(double number)
{
   uint16_t sign = signbit(number) ? 0x8000 : 0;
   double magnitude = fabs(number);
   if (isnan(number))
      return sign | 0x7e00;
   if (magnitude >= 65520) /* halfway between the greatest number and the next one there would be */
      return sign | 0x7c00;
   if (magnitude == 0) /* frexp gives it the exponent of 0.5 */
      return sign;
   int exponent;
   frexp(magnitude, &exponent);
   int scale = exponent - 11 > -24 ? exponent - 11 : -24; /* of the last bit */
   uint32_t fraction = (uint32_t)rint(ldexp(magnitude, -scale));
   if (scale == -24) /* denormal, or the smallest normal numbers: the carry makes the exponent */
      return sign | fraction;
   if (fraction == 2048) {
      fraction = 1024;
      scale++;
   }
   return sign | (uint16_t)((scale + 25) << 10) | (fraction & 0x3ff);
}
