/* SPDX-License-Identifier: MIT */
/* DAP's framing, and base64. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "dap/base64.h"
#include "dap/stream.h"

struct pair {
   struct stream stream;
   int peer;
};

static struct pair
make_pair(void)
{
   int sockets[2];
   struct pair pair;
   assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
   stream_init(&pair.stream, sockets[0]);
   pair.peer = sockets[1];
   return pair;
}

static void
free_pair(struct pair *pair)
{
   stream_finish(&pair->stream);
   close(pair->peer);
}

static void
feed(struct pair *pair, const char *text, size_t size)
{
   assert_int_equal(write(pair->peer, text, size), size);
   assert_int_equal(stream_receive(&pair->stream), 0);
}

static void
test_pieces(void **state)
{
   static const char text[] = "Content-Length: 7\r\n\r\n{\"a\":1}content-length:2\r\nX: y\r\n\r\n{}";
   struct pair pair = make_pair();
   json_t *message;
   const char *error;
   unsigned received = 0;
   for (size_t i = 0; i < sizeof(text) - 1; i++) {
      feed(&pair, text + i, 1);
      int result = stream_next(&pair.stream, &message, &error);
      assert_true(result >= 0);
      if (result) {
         assert_int_equal(json_object_size(message), received == 0);
         json_decref(message);
         received++;
      }
   }
   assert_int_equal(received, 2);
   free_pair(&pair);
}

static void
check_refused(const char *text)
{
   struct pair pair = make_pair();
   json_t *message;
   const char *error = NULL;
   feed(&pair, text, strlen(text));
   assert_int_equal(stream_next(&pair.stream, &message, &error), -EPROTO);
   assert_non_null(error);
   free_pair(&pair);
}

static void
test_refused(void **state)
{
   char endless[8192];
   memset(endless, 'x', sizeof(endless) - 1);
   endless[sizeof(endless) - 1] = 0;
   check_refused("Content-Length: 2\r\n\r\n[]");
   check_refused("Content-Length: 2\r\n\r\n{x");
   check_refused("Content-Length: 4\r\n\r\n{}{}");
   check_refused("Content-Length: 99999999999999999999\r\n\r\n{}");
   check_refused("Content-Length: -2\r\n\r\n{}");
   check_refused("Content-Length: 2x\r\n\r\n{}");
   check_refused("Content-Length:\r\n\r\n{}");
   check_refused("Length: 2\r\n\r\n{}");
   check_refused("\r\n\r\n{}");
   check_refused(endless);
}

static void
test_end(void **state)
{
   struct pair pair = make_pair();
   close(pair.peer);
   assert_int_equal(stream_receive(&pair.stream), -EPIPE);
   json_t *message = json_pack("{s:s}", "type", "event");
   assert_int_equal(stream_send(&pair.stream, message), -EPIPE); /* and no SIGPIPE */
   json_decref(message);
   stream_finish(&pair.stream);
}

/* A peer that does not read must not block us; it gets everything once it reads. */
static void
test_slow_reader(void **state)
{
   struct pair pair = make_pair();
   char *text = malloc(100001), *received = malloc(1 << 22);
   size_t size = 0, sent = 0;
   memset(text, 'a', 100000);
   text[100000] = 0;
   json_t *message = json_pack("{s:s}", "a", text);
   for (int i = 0; i < 20; i++)
      assert_int_equal(stream_send(&pair.stream, message), 0);
   assert_true(stream_wants_to_write(&pair.stream));
   sent = 20 * (strlen("Content-Length: 100008\r\n\r\n") + 100008);
   while (size < sent) {
      ssize_t got = recv(pair.peer, received + size, (1 << 22) - size, MSG_DONTWAIT);
      if (got > 0)
         size += got;
      assert_int_equal(stream_flush(&pair.stream), 0);
   }
   assert_int_equal(size, sent);
   assert_false(stream_wants_to_write(&pair.stream));
   json_decref(message);
   free(text);
   free(received);
   free_pair(&pair);
}

static void
test_base64(void **state)
{
   uint8_t data[64], back[64];
   for (size_t i = 0; i < sizeof(data); i++)
      data[i] = i * 37 + 200;
   for (size_t size = 0; size <= sizeof(data); size++) {
      char *text = base64_encode(data, size);
      assert_int_equal(strlen(text), (size + 2) / 3 * 4);
      assert_int_equal(base64_decode(text, strlen(text), back), size);
      assert_memory_equal(data, back, size);
      free(text);
   }
   char *text = base64_encode("Man", 3); /* RFC 4648 */
   assert_string_equal(text, "TWFu");
   free(text);
   assert_int_equal(base64_decode("TWF", 3, back), -1);
   assert_int_equal(base64_decode("T=Fu", 4, back), -1);
   assert_int_equal(base64_decode("TWF*", 4, back), -1);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pieces),      cmocka_unit_test(test_refused), cmocka_unit_test(test_end),
      cmocka_unit_test(test_slow_reader), cmocka_unit_test(test_base64),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
