/* SPDX-License-Identifier: MIT */
#include "dap/base64.h"

#include <stdint.h>
#include <stdlib.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *
base64_encode(const void *data, size_t size)
{
   const uint8_t *bytes = data;
   char *text = malloc((size + 2) / 3 * 4 + 1), *out = text;
   if (!text)
      return NULL;
   for (size_t i = 0; i < size; i += 3) {
      size_t left = size - i;
      uint32_t group = bytes[i] << 16 | (left > 1 ? bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0);
      *out++ = digits[group >> 18];
      *out++ = digits[group >> 12 & 63];
      *out++ = left > 1 ? digits[group >> 6 & 63] : '=';
      *out++ = left > 2 ? digits[group & 63] : '=';
   }
   *out = 0;
   return text;
}

static int
digit_value(char c)
{
   if (c >= 'A' && c <= 'Z')
      return c - 'A';
   if (c >= 'a' && c <= 'z')
      return c - 'a' + 26;
   if (c >= '0' && c <= '9')
      return c - '0' + 52;
   return c == '+' ? 62 : c == '/' ? 63 : -1;
}

long
base64_decode(const char *text, size_t length, void *data)
{
   uint8_t *out = data;
   if (length % 4 != 0)
      return -1;
   for (size_t i = 0; i < length; i += 4) {
      int padding = i + 4 < length ? 0 : (text[i + 3] == '=') + (text[i + 3] == '=' && text[i + 2] == '=');
      uint32_t group = 0;
      for (int j = 0; j < 4; j++) {
         int value = j >= 4 - padding ? 0 : digit_value(text[i + j]);
         if (value < 0)
            return -1;
         group = group << 6 | value;
      }
      for (int j = 0; j < 3 - padding; j++)
         *out++ = group >> (16 - 8 * j);
   }
   return out - (uint8_t *)data;
}
