# SPDX-License-Identifier: MIT
"""Cuts a shader smaller while the drivers' verdict on it stays the same. Nothing is known here of what a shader means:
what cannot be cut without harm is not a separate piece of the tree (see expressions.py), and what the compiler rejects
was a cut too many."""
import time

from .tree import Expr


class Reducer:
    def __init__(self, shader, judge, seconds):
        self.shader, self.judge, self.end = shader, judge, time.monotonic() + seconds
        self.verdict = judge(shader.text())

    def stays(self):
        return time.monotonic() < self.end and self.judge(self.shader.text()) == self.verdict

    def run(self):
        changed = self.verdict not in ('equal', 'invalid', 'unknown')
        while changed and time.monotonic() < self.end:
            changed = False
            for block in self.blocks():
                changed |= self.cut(block)
            changed |= self.cut(self.shader.functions)
            changed |= self.cut(self.shader.head)
            changed |= self.cut(self.shader.notes)
            for block in self.blocks():
                changed |= self.unwrap(block)
            changed |= self.simplify()
        return self.shader

    def bodies(self):
        return [function.body for function in self.shader.functions if function.body] + [self.shader.main]

    def blocks(self):
        """All of them, the outer ones first."""
        found = self.bodies()
        for block in found:
            for stmt in block:
                found += stmt.blocks
        return found

    def cut(self, items):
        """Takes away runs of items, halves first."""
        changed, size = False, max(1, len(items) // 2)
        while size:
            at = len(items) - size
            while at > -size:
                low = max(at, 0)
                piece = items[low:low + size]
                kept = [item for item in piece if getattr(item, 'keep', False)]
                items[low:low + size] = kept
                if len(kept) < len(piece) and self.stays():
                    changed = True
                else:
                    items[low:low + len(kept)] = piece
                at -= size
            size //= 2
        return changed

    def unwrap(self, block):
        """A block in place of the statement it stands in."""
        changed = False
        for stmt in list(block):
            for inner in stmt.blocks:
                at = block.index(stmt)
                block[at:at + 1] = inner
                if self.stays():
                    changed = True
                    break
                block[at:at + len(inner)] = [stmt]
        return changed

    def simplify(self):
        """Smaller expressions in place of larger ones, from the root down."""
        changed = False
        for block in self.blocks():
            for stmt in block:
                changed |= self.simplify_list(stmt.exprs)
        return changed

    def simplify_list(self, exprs):
        changed = False
        for i, old in enumerate(exprs):
            for new in self.smaller(old):
                exprs[i] = new
                if self.stays():
                    changed = True
                    break
                exprs[i] = old
            changed |= self.simplify_list(exprs[i].kids)
        return changed

    @staticmethod
    def smaller(expr):
        literal = simple_literal(expr.type)
        if literal and expr.form != literal.form:
            yield literal
        below = list(expr.kids)
        for kid in below[:40]:
            below += kid.kids
            if kid.type is expr.type and kid.most <= expr.most and kid.grain <= expr.grain and \
                    kid.clean >= expr.clean and kid.tame >= expr.tame:
                yield kid


def simple_literal(type_):
    if not type_.base or type_.is_int and type_.bits == 8:  # see Expressions.hide
        return None
    one = 'true' if type_.base == 'bool' else '1' if type_.base == 'int' else f'{type_.base}(1)'
    return Expr(type_, one if type_.rows * type_.columns == 1 else f'{type_}({one})', most=1.0, tame=True, constant=True)

