#!/usr/bin/env python3
"""Checks certificates that 2L programs never halt, as docs/bb-6x6.md describes them.

Usage: check.py FILE [K/N]    check each line (of N parts, part K, from 0); exit code 1 if one is refused.
Nothing but that page and this file is needed; nothing of Tracewright is used.
"""
import sys

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
NOOP, DATA, TURN, OPEN = range(4)
MOVES = [(0, 1), (1, 0), (0, -1), (-1, 0)]  # up, right, down, left: +1 is clockwise
UP, RIGHT, DOWN, LEFT = range(4)


class Refused(Exception):
    pass


def need(condition, why):
    if not condition:
        raise Refused(why)


def grid_of(text):
    """The cells of a program by (column, row)."""
    need(text and all(c in LETTERS for c in text), "letters")
    bits = "".join(format(LETTERS.index(c), "06b") for c in text)
    width, height = int(bits[:4], 2), int((bits + "0000")[4:8], 2)
    used = 8 + 2 * width * height
    need(width and height and 0 <= len(bits) - used < 6 and "1" not in bits[used:], "size")
    cells = [int(bits[at : at + 2], 2) for at in range(8, used, 2)]
    return {(i % width, height - 1 - i // width): cell for i, cell in enumerate(cells)}


def block(grid, begin):
    """What the block does that begins at (column, row, direction, value is zero): what kind, by how much, and the
    position and direction at its end."""
    x, y, d, zero = begin
    data, seen = 0, set()
    while True:
        while grid.get((x + MOVES[d][0], y + MOVES[d][1])) == TURN:
            if data:
                amount = data if d in (UP, RIGHT) else -data
                return ("add" if d in (UP, DOWN) else "move"), amount, (x, y, d)
            d = (d + (3 if zero else 1)) % 4
        x, y = x + MOVES[d][0], y + MOVES[d][1]
        if (x, y) not in grid:
            return "exit", 0, None
        if grid[x, y] == OPEN:
            return "open", 0, None
        data += grid[x, y] == DATA
        if not data:
            if (x, y, d) in seen:
                return "endless", 0, None
            seen.add((x, y, d))


class Run:
    """A program on its way, between two blocks."""

    def __init__(self, grid):
        self.grid, self.known = grid, {}
        self.at, self.dp, self.tape = (0, -1, UP), 0, {}

    def value(self):
        return self.tape.get(self.dp, 0)

    def what(self, begin):
        if begin not in self.known:
            self.known[begin] = block(self.grid, begin)
        return self.known[begin]

    def due(self):
        return (*self.at, self.value() == 0)

    def step(self):
        kind, amount, end = self.what(self.due())
        need(end, "ends at an %s block" % kind)
        if kind == "add":
            self.tape[self.dp] = self.value() + amount
        else:
            self.dp += amount
        self.at = end


def repeats(run, period):
    need(period >= 1, "no period")
    first, x, before = run.due(), run.dp, dict(run.tape)
    tests = []
    for _ in range(period):
        run.step()
        tests.append((run.dp, run.value()))
    need(run.due() == first, "another block is due")
    shift, after = run.dp - x, run.tape
    if shift == 0:
        for at, v in tests:
            c = after.get(at, 0) - before.get(at, 0)
            need(c == 0 or v % c != 0 or v // c > 0, "a test comes out otherwise")
        return
    places = [x] + [at for at, _ in tests]
    cells = places + list(before) + [at - shift for at in after]
    ahead = range(min(places), max(cells) + 1) if shift > 0 else range(min(cells), max(places) + 1)
    for at in ahead:
        need(before.get(at, 0) == after.get(at + shift, 0), "another value ahead")


def closed(run, reach, exact, modulus, period=1):
    need(1 <= period <= 15 and reach <= 12 and modulus >= 1 and 2 * exact + 1 + 2 * modulus <= 32, "numbers")

    def class_of(v):
        return v if abs(v) <= exact else (v > 0, v % modulus)

    classes = {class_of(v) for v in range(-exact - modulus, exact + modulus + 1)}
    sums = {}

    def after_adding(seen, amount):
        if (seen, amount) not in sums:
            far = exact + abs(amount) + 2 * modulus
            sums[seen, amount] = {class_of(v + amount) for v in range(-far, far + 1) if class_of(v) == seen}
        return sums[seen, amount]

    views, todo = set(), []
    words = ({}, {})  # by side: position and first reach - 1 classes -> last classes
    waiting = ({}, {})  # by side: position and first reach - 1 classes -> views without the last

    def view(new):
        if new not in views:
            views.add(new)
            todo.append(new)

    def whole(part, side, last):
        *rest, sides = part
        view((*rest, tuple(s + (last,) if i == side else s for i, s in enumerate(sides))))

    def word(side, at, new):
        key = (at % period, new[:-1])
        lasts = words[side].setdefault(key, set())
        if new[-1] not in lasts:
            lasts.add(new[-1])
            for part in waiting[side].get(key, ()):
                whole(part, side, new[-1])

    def begins(at, value):
        """The block due there, and how far it moves."""
        due = (*at, value == 0)
        kind, amount, _ = run.what(due)
        return due, abs(amount) if kind == "move" else 0

    def classes_from(at, step):
        return tuple(class_of(run.tape.get(at + n * step, 0)) for n in range(reach))

    dp, cells = run.dp, list(run.tape) + [run.dp]
    if reach:
        for at in range(min(cells) - 1 - period, dp - 1):
            word(0, at, classes_from(at, -1))
        for at in range(dp + 2, max(cells) + 2 + period):
            word(1, at, classes_from(at, 1))
    now = class_of(run.value())
    view((*begins(run.at, now), now, dp % period, (classes_from(dp - 1, -1), classes_from(dp + 1, 1))))
    while todo:
        due, left_to_move, value, at, sides = todo.pop()
        kind, amount, end = run.what(due)
        if kind == "endless":
            continue
        need(end, "may end at an %s block" % kind)
        if kind == "add":
            for new in after_adding(value, amount):
                view((*begins(end, new), new, at, sides))
            continue
        ahead, step = int(amount > 0), 1 if amount > 0 else -1
        now_at = (at + step) % period
        for new in sides[ahead][:1] or classes:
            next_due = begins(end, new) if left_to_move == 1 else (due, left_to_move - 1)
            if not reach:
                view((*next_due, new, now_at, sides))
                continue
            word(1 - ahead, at - step, sides[1 - ahead])
            grown, near = (value,) + sides[1 - ahead][:-1], sides[ahead][1:]
            part = (*next_due, new, now_at, (near, grown) if ahead == 0 else (grown, near))
            key = ((now_at + step) % period, near)
            waiting[ahead].setdefault(key, set()).add(part)
            for last in list(words[ahead].get(key, ())):
                whole(part, ahead, last)


def check(line):
    body, _, digest = line.rpartition(" ")
    hashed = 0xCBF29CE484222325
    for byte in body.encode():
        hashed = (hashed ^ byte) * 0x100000001B3 % 2**64
    need(digest == "%016x" % hashed, "digest")
    program, after, claim, *numbers = (body.split(" ") + ["", ""])[: max(3, body.count(" ") + 1)]
    need(all(n.isdecimal() and str(int(n)) == n for n in [after, *numbers]), "numbers")
    run, numbers = Run(grid_of(program)), [int(n) for n in numbers]
    for _ in range(int(after)):
        run.step()
    if claim == "turning" and len(numbers) == 0:
        need(run.what(run.due())[0] == "endless", "it does not turn for ever")
    elif claim == "repeats" and len(numbers) == 1:
        repeats(run, *numbers)
    elif claim == "closed" and (len(numbers) == 3 or len(numbers) == 4 and numbers[3] > 1):
        closed(run, *numbers)
    else:
        raise Refused("claim")


def main(path, part="0/1"):
    k, n = map(int, part.split("/"))
    good = bad = 0
    for number, line in enumerate(open(path, encoding="utf-8", errors="replace"), 1):
        if number % n != k:
            continue
        try:
            check(line.rstrip("\n"))
            good += 1
        except Refused as why:
            bad += 1
            print("line %d: refused: %s" % (number, why))
    print("%d accepted, %d refused" % (good, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
