/* Enumerates all 2L Busy Beaver programs of a size, as docs/bb-6x6.md describes them.
 *
 * Usage: enumerate W H STEPS
 *
 * Prints each program that runs for STEPS steps and neither halts nor meets an open cell: these need a certificate.
 * Standard error gets the number of those that halt, with the longest, and of those that need a certificate.
 * Nothing but that page and this file is needed; nothing of Tracewright is used. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOOP, DATA, TURN, OPEN };

static int width, height;
static long most_steps;
static unsigned char grid[8][8]; /* by column and row; row 0 is the lowest */
static long *tape;               /* most_steps cells on each side of the middle */

static long halting, hanging, longest;
static char longest_program[32];

static void text_of(char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    int bits[8 + 2 * 64 + 6] = {0}, count = 0;
    for (int bit = 3; bit >= 0; bit--) bits[count++] = width >> bit & 1;
    for (int bit = 3; bit >= 0; bit--) bits[count++] = height >> bit & 1;
    for (int row = height - 1; row >= 0; row--)
        for (int column = 0; column < width; column++) {
            bits[count++] = grid[column][row] >> 1;
            bits[count++] = grid[column][row] & 1;
        }
    for (int at = 0; at < count; at += 6) {
        int letter = 0;
        for (int bit = 0; bit < 6; bit++) letter = 2 * letter + bits[at + bit];
        *text++ = letters[letter];
    }
    *text = 0;
}

/* Runs the program. Says how many steps it took to halt; 0 if it did not within most_steps; -1 if it met an open
 * cell, with its column and row. */
static long run(int *column, int *row)
{
    static const int dx[] = {0, 1, 0, -1}, dy[] = {1, 0, -1, 0}; /* up, right, down, left */
    int x = 0, y = -1, d = 0;
    long *dp = tape + most_steps, *low = dp, *high = dp, steps = 0, answer = 0;
    while (steps < most_steps) {
        int next_x = x + dx[d], next_y = y + dy[d];
        int outside = next_x < 0 || next_x >= width || next_y < 0 || next_y >= height;
        int cell = outside ? NOOP : grid[next_x][next_y];
        if (cell == TURN) {
            d = (d + (*dp == 0 ? 3 : 1)) % 4;
            continue;
        }
        if (cell == OPEN) {
            *column = next_x;
            *row = next_y;
            answer = -1;
            break;
        }
        steps++;
        if (outside) {
            answer = steps;
            break;
        }
        x = next_x;
        y = next_y;
        if (cell == DATA) {
            if (d == 0) ++*dp;
            if (d == 2) --*dp;
            if (d == 1 && ++dp > high) high = dp;
            if (d == 3 && --dp < low) low = dp;
        }
    }
    memset(low, 0, (high - low + 1) * sizeof *low);
    return answer;
}

static void enumerate(void)
{
    char text[32];
    int column = 0, row = 0;
    long steps = run(&column, &row);
    if (steps < 0) {
        for (int cell = NOOP; cell <= TURN; cell++) {
            grid[column][row] = cell;
            enumerate();
        }
        grid[column][row] = OPEN;
    } else if (steps == 0) {
        hanging++;
        text_of(text);
        puts(text);
    } else {
        halting++;
        if (steps > longest) {
            longest = steps;
            text_of(longest_program);
        }
    }
}

static void start(int k, int m)
{
    memset(grid, OPEN, sizeof grid);
    for (int row = 0; row < k + m; row++) grid[0][row] = row < k ? NOOP : DATA;
    grid[0][k + m] = TURN;
}

int main(int count, char **words)
{
    if (count != 4) return 2;
    width = atoi(words[1]);
    height = atoi(words[2]);
    most_steps = atol(words[3]);
    if (width < 1 || width > 8 || height < 1 || height > 8 || most_steps < 1) return 2;
    tape = calloc(2 * most_steps + 1, sizeof *tape);
    if (!tape) return 2;
    for (int k = height - 2; k >= 0; k--)
        for (int m = height - 1 - k; m >= 1; m--) {
            start(k, m);
            if (k > 0 || m > 1) {
                enumerate();
                continue;
            }
            for (int k2 = width - 3; k2 >= 0; k2--)
                for (int m2 = width - 2 - k2; m2 >= 1; m2--) {
                    start(0, 1);
                    for (int n = 1; n <= k2 + m2; n++) grid[n][0] = n <= k2 ? NOOP : DATA;
                    grid[1 + k2 + m2][0] = TURN;
                    enumerate();
                }
        }
    fprintf(stderr, "%ld halt, the longest after %ld steps: %s; %ld need a certificate\n", halting, longest, longest_program,
            hanging);
    return fflush(stdout) != 0;
}
