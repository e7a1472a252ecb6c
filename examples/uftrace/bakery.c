/* Bakes a few loaves, two bakers at a time; an oven that is too hot burns every fourth. */
#include <pthread.h>
#include <stdio.h>

static int heat(int number) { return number % 4 == 3; }
static void knead(int *dough) { *dough += 1; }
static void bake(int *dough) { *dough *= 2; }
static void throw_away(int *dough) { *dough = 0; }
static int price(int dough) { return dough < 2 ? dough : price(dough - 1) + price(dough - 2); }

static int loaf(int number) {
    int dough = number;
    for (int i = 0; i < 3; i++)
        knead(&dough);
    bake(&dough);
    if (heat(number))
        throw_away(&dough);
    return dough;
}

static void *baker(void *oven) {
    int sum = 0;
    for (int number = 0; number < 20; number++)
        sum += loaf(number);
    *(int *)oven = sum;
    return NULL;
}

int main(void) {
    pthread_t bakers[2];
    int ovens[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&bakers[i], NULL, baker, &ovens[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(bakers[i], NULL);
    printf("%d and %d loaves, at %d\n", ovens[0], ovens[1], price(6));
    return 0;
}
