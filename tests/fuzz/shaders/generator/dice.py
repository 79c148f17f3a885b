# SPDX-License-Identifier: MIT
"""Random numbers that do not change with Python's version, as those of the module `random` do."""

MASK = (1 << 64) - 1


class Dice:
    """PCG-XSH-RR 64/32 (O'Neill 2014)."""

    def __init__(self, seed):
        self.state = 0
        self.bits32()
        self.state = (self.state + seed * 0x9e3779b97f4a7c15 + 0x853c49e6748fea9b) & MASK
        self.bits32()

    def bits32(self):
        old = self.state
        self.state = (old * 6364136223846793005 + 1442695040888963407) & MASK
        word = ((old >> 18 ^ old) >> 27) & 0xffffffff
        turn = old >> 59
        return (word >> turn | word << (-turn & 31)) & 0xffffffff

    def bits(self, count):
        return (self.bits32() << 32 | self.bits32()) & ((1 << count) - 1)

    def below(self, limit):
        return self.bits(64) % limit

    def between(self, low, high):
        """Both included."""
        return low + self.below(high - low + 1)

    def choice(self, items):
        return items[self.below(len(items))]

    def chance(self, percent):
        return self.below(100) < percent

    def weighted(self, pairs):
        """The item of one (weight, item)."""
        ticket = self.below(sum(weight for weight, _ in pairs))
        for weight, item in pairs:
            ticket -= weight
            if ticket < 0:
                return item
        raise AssertionError
