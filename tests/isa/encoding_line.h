/* SPDX-License-Identifier: MIT */
/* Parts of the encodings' test: an encoding and what has been made of it, and how two of them compare. */
#ifndef ENCODING_LINE_H
#define ENCODING_LINE_H

#include "encodings.h"
#include "isa/table.h"
#include "llvm_mc.h"

enum { TEXT = 300 };

struct line {
   struct encoding encoding;
   struct inst inst;       /* size 0: refused */
   char ours[TEXT];        /* empty: refused */
   char llvm[TEXT];        /* empty: refused */
   struct llvm_line again; /* LLVM's text assembled */
   struct llvm_line own;   /* our text assembled, where it is another */
};

/* encoding_differences.c: why ours and LLVM's may differ; NULL: they may not. */
const char *why_taken(const struct line *line);          /* LLVM refuses, we take */
const char *why_refused(const struct line *line);        /* LLVM takes, we refuse */
const char *why_told_otherwise(const struct line *line); /* both take, we say or mean something else */
bool is_not_assembled(const struct line *line);          /* LLVM has printed it, but has reasons not to assemble it */

/* encoding_meaning.c: in what two instructions differ, NULL if they do the same though they may be encoded differently.
 */
const char *difference_of(const struct inst *first, const struct inst *second);

/* encoding_coverage.c: which instructions and parts of text have been seen to agree. */
struct coverage;
struct coverage *coverage_create(void);
void coverage_destroy(struct coverage *coverage);
void coverage_add(struct coverage *coverage, const struct line *line);
bool coverage_has_gaps(const struct coverage *coverage, bool wave64); /* and says which */

#endif
