/* Two processes, ping and pong, that talk over two pipes, and what can become of that:

     pipes reads    each waits for the other one's message: a deadlock
     pipes writes   each fills the other one's pipe before it reads: a deadlock
     pipes locks    two threads of a process take two locks in opposite orders: a deadlock
     pipes talk     they talk without an end
     pipes serves   pong waits for a request, and ping sends one now and then

   The program itself ends after 0.3 s and leaves them as they are; an alarm ends them after 10 s. */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 5 };

static char full[1 << 17];

static void pass(int milliseconds)
{
    struct timespec time = { 0, milliseconds * 1000000L };
    nanosleep(&time, NULL);
}

static void send_to(int descriptor, const char *bytes, size_t count)
{
    if (write(descriptor, bytes, count) != (ssize_t)count)
        exit(1);
}

static void receive(int descriptor)
{
    char ball[4];
    if (read(descriptor, ball, sizeof ball) <= 0)
        exit(1);
}

/* One of both: `begins` sends first. */
static void play(int in, int out, int begins, const char *how)
{
    int ends = strcmp(how, "talk") && strcmp(how, "serves");
    for (int round = 0; !ends || round < ROUNDS; round++) {
        if (!begins)
            receive(in);
        else if (!ends)
            pass(!strcmp(how, "serves") ? 20 : 2);
        send_to(out, "ball", 4);
        if (begins)
            receive(in);
    }
    if (!strcmp(how, "writes"))
        send_to(out, full, sizeof full);
    receive(in);
}

static pthread_mutex_t locks[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };

static void *take_both(void *first)
{
    int one = *(int *)first;
    pthread_mutex_lock(&locks[one]);
    pass(20);
    pthread_mutex_lock(&locks[1 - one]);
    return NULL;
}

static void lock(void)
{
    int order[2] = { 0, 1 };
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, take_both, &order[i]))
            exit(1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

static void begin(const char *name)
{
    prctl(PR_SET_NAME, name);
    alarm(10);
}

int main(int count, char **arguments)
{
    int there[2], back[2];
    if (count != 2 || pipe(there) || pipe(back)) {
        fprintf(stderr, "usage: pipes reads|writes|locks|talk|serves\n");
        return 2;
    }
    const char *how = arguments[1];
    if (!strcmp(how, "locks")) {
        if (!fork()) {
            begin("locks");
            lock();
            return 0;
        }
    } else {
        if (!fork()) {
            begin("ping");
            close(there[0]);
            close(back[1]);
            play(back[0], there[1], 1, how);
            return 0;
        }
        if (!fork()) {
            begin("pong");
            close(there[1]);
            close(back[0]);
            play(there[0], back[1], 0, how);
            return 0;
        }
    }
    for (int i = 0; i < 2; i++) {
        close(there[i]);
        close(back[i]);
    }
    pass(300);
    return 0;
}
