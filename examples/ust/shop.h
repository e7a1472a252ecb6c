/* What the little shop tells its tracer: one tracepoint for each thing that happens there.
 *
 * Every event carries `step`, the number of events that its thread sent before. So a trace of this
 * program can be checked without a second trace: where the steps of a thread jump, events are lost.
 * The other fields have as many different types as a tracer can write, because a reader is to be
 * tried on them. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER shop

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./shop.h"

#if !defined(SHOP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define SHOP_H

#include <lttng/tracepoint.h>
#include <stddef.h>
#include <stdint.h>

/* ---- the clerk: orders from the first word to the parcel ---- */

LTTNG_UST_TRACEPOINT_ENUM(shop, payment,
    LTTNG_UST_TP_ENUM_VALUES(
        lttng_ust_field_enum_value("cash", 0)
        lttng_ust_field_enum_value("card", 1)
        lttng_ust_field_enum_range("voucher", 2, 4)))

LTTNG_UST_TRACEPOINT_EVENT(shop, open,
    LTTNG_UST_TP_ARGS(uint64_t, step, int, day),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, step, step)
        lttng_ust_field_integer(int, day, day)))

LTTNG_UST_TRACEPOINT_EVENT(shop, order_begin,
    LTTNG_UST_TP_ARGS(uint64_t, step, uint32_t, order, const char *, customer),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, step, step)
        lttng_ust_field_integer_network(uint32_t, order, order) /* big-endian on every machine */
        lttng_ust_field_string(customer, customer)))

LTTNG_UST_TRACEPOINT_EVENT(shop, item,
    LTTNG_UST_TP_ARGS(uint64_t, step, uint8_t, shelf, int16_t, stock, float, price),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, step, step)
        lttng_ust_field_integer(uint8_t, shelf, shelf)
        lttng_ust_field_integer(int16_t, stock, stock) /* goes below zero: sold, not yet baked */
        lttng_ust_field_float(float, price, price)))

LTTNG_UST_TRACEPOINT_EVENT(shop, pay,
    LTTNG_UST_TP_ARGS(uint64_t, step, int, how, double, sum),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, step, step)
        lttng_ust_field_enum(shop, payment, int, how, how)
        lttng_ust_field_float(double, sum, sum)))

LTTNG_UST_TRACEPOINT_EVENT(shop, ship,
    LTTNG_UST_TP_ARGS(uint64_t, step, const uint16_t *, weights, size_t, count, const char *, seal),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, step, step)
        lttng_ust_field_sequence(uint16_t, weights, weights, size_t, count)
        lttng_ust_field_array_text(char, seal, seal, 4)))

LTTNG_UST_TRACEPOINT_EVENT(shop, close,
    LTTNG_UST_TP_ARGS(uint64_t, step, int, day, const char *, note, size_t, note_len),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, step, step)
        lttng_ust_field_integer(int, day, day)
        lttng_ust_field_sequence_text(char, note, note, size_t, note_len)))

/* ---- the baker: batches of bread ---- */

LTTNG_UST_TRACEPOINT_EVENT(shop, mix,
    LTTNG_UST_TP_ARGS(uint64_t, step, const uint8_t *, grams),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, step, step)
        lttng_ust_field_array(uint8_t, grams, grams, 3))) /* salt, yeast, sugar */

LTTNG_UST_TRACEPOINT_EVENT(shop, knead,
    LTTNG_UST_TP_ARGS(uint64_t, step),
    LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, step, step)))

LTTNG_UST_TRACEPOINT_EVENT(shop, bake,
    LTTNG_UST_TP_ARGS(uint64_t, step, int32_t, celsius, const int32_t *, probes),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, step, step)
        lttng_ust_field_integer(int32_t, celsius, celsius)
        lttng_ust_field_array(int32_t, probes, probes, 2)))

/* ---- the courier: tours through the town ---- */

LTTNG_UST_TRACEPOINT_EVENT(shop, load,
    LTTNG_UST_TP_ARGS(uint64_t, step, uint64_t, van),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, step, step)
        lttng_ust_field_integer_hex(uint64_t, van, van)))

LTTNG_UST_TRACEPOINT_EVENT(shop, drive,
    LTTNG_UST_TP_ARGS(uint64_t, step, double, north, double, east),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, step, step)
        lttng_ust_field_float(double, north, north)
        lttng_ust_field_float(double, east, east)))

LTTNG_UST_TRACEPOINT_EVENT(shop, deliver,
    LTTNG_UST_TP_ARGS(uint64_t, step, const char *, to),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint64_t, step, step)
        lttng_ust_field_string(to, to)))

#endif

#include <lttng/tracepoint-event.h>
