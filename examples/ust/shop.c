/* A little shop with three workers, each a thread, each with loops in loops:
 *
 *   clerk    a day is    open, orders, close;   an order is  order_begin, item..., pay, ship
 *   baker    a batch is  mix, knead three or four times, bake
 *   courier  a tour is   load, then for each stop  drive..., deliver
 *
 * Usage: shop DAYS PAUSE_US. The shop sleeps PAUSE_US microseconds between days; the shorter the
 * nights, the sooner a tracer's buffers are full. At the end it prints how many events each worker
 * sent: that is the truth a trace of it can be held against. It does nothing else, and the numbers
 * in it depend on nothing but DAYS. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "shop.h"

static int days;
static int pause_us;
static pthread_barrier_t doors; /* all workers start together, so that their events mix */

static const char *const CUSTOMERS[] = {"Ada", "Grace", "Zoë", "Linus \"the loaf\"", ""};

struct worker {
    const char *name;
    void (*day)(struct worker *, int day);
    uint64_t step; /* events sent so far */
};

static void clerk_day(struct worker *me, int day)
{
    lttng_ust_tracepoint(shop, open, me->step++, day);
    for (int order = 0; order < 6; order++) {
        uint16_t weights[3];
        int items = 1 + (day + order) % 3;
        double sum = 0;

        lttng_ust_tracepoint(shop, order_begin, me->step++, htonl((uint32_t)(day * 6 + order)),
                             CUSTOMERS[(day + order) % 5]);
        for (int item = 0; item < items; item++) {
            float price = 0.25f * (float)(1 + (order + item) % 8);
            weights[item] = (uint16_t)(500 + 250 * item);
            sum += price;
            lttng_ust_tracepoint(shop, item, me->step++, (uint8_t)(200 + item),
                                 (int16_t)(3 - order - item), price);
        }
        lttng_ust_tracepoint(shop, pay, me->step++, order % 5, sum);
        lttng_ust_tracepoint(shop, ship, me->step++, weights, (size_t)items, "SEAL");
    }
    lttng_ust_tracepoint(shop, close, me->step++, day, "swept and locked", 16);
}

static void baker_day(struct worker *me, int day)
{
    for (int batch = 0; batch < 5; batch++) {
        const uint8_t grams[3] = {20, (uint8_t)(40 + batch), 5};
        const int32_t probes[2] = {-18 + batch, 230};

        lttng_ust_tracepoint(shop, mix, me->step++, grams);
        for (int turn = 0; turn < 3 + day % 2; turn++)
            lttng_ust_tracepoint(shop, knead, me->step++);
        lttng_ust_tracepoint(shop, bake, me->step++, 240 - 10 * batch, probes);
    }
}

static void courier_day(struct worker *me, int day)
{
    for (int tour = 0; tour < 2; tour++) {
        lttng_ust_tracepoint(shop, load, me->step++, 0xC0FFEE00u + (uint64_t)tour);
        for (int stop = 0; stop < 3; stop++) {
            for (int street = 0; street < 2 + stop % 2; street++)
                lttng_ust_tracepoint(shop, drive, me->step++, 48.5 + street / 100.0, -1e-3 * day);
            lttng_ust_tracepoint(shop, deliver, me->step++, CUSTOMERS[(tour + stop) % 5]);
        }
    }
}

static void *work(void *argument)
{
    struct worker *me = argument;
    struct timespec pause = {pause_us / 1000000, (pause_us % 1000000) * 1000L};

    pthread_setname_np(pthread_self(), me->name);
    pthread_barrier_wait(&doors);
    for (int day = 0; day < days; day++) {
        me->day(me, day);
        if (pause_us > 0)
            nanosleep(&pause, NULL);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct worker workers[] = {
        {"clerk", clerk_day, 0}, {"baker", baker_day, 0}, {"courier", courier_day, 0}};
    pthread_t threads[3];
    uint64_t total = 0;

    if (argc != 3) {
        fprintf(stderr, "usage: %s DAYS PAUSE_US\n", argv[0]);
        return 2;
    }
    days = atoi(argv[1]);
    pause_us = atoi(argv[2]);
    pthread_barrier_init(&doors, NULL, 3);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, &workers[i]);
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        printf("%s sent %llu events\n", workers[i].name, (unsigned long long)workers[i].step);
        total += workers[i].step;
    }
    printf("together %llu events\n", (unsigned long long)total);
    return 0;
}
