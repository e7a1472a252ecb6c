// Adds up the areas of some shapes; every third of them is refused by an exception.
#include <cstdio>
#include <memory>
#include <stdexcept>

struct Shape {
    virtual ~Shape() = default;
    virtual double area(int size) const = 0;
};
struct Square : Shape {
    double area(int size) const override { return size * size; }
};
struct Triangle : Shape {
    double area(int size) const override { return size * size / 2.0; }
};

static void check(int size) {
    if (size % 3 == 0)
        throw std::invalid_argument("three");
}

static double measured(const Shape &shape, int size) {
    try {
        check(size);
    } catch (const std::invalid_argument &) {
        return 0;
    }
    return shape.area(size);
}

int main() {
    double sum = 0;
    for (int size = 1; size < 7; size++) {
        std::unique_ptr<Shape> shape;
        if (size % 2)
            shape.reset(new Square);
        else
            shape.reset(new Triangle);
        sum += measured(*shape, size);
    }
    std::printf("%.1f\n", sum);
}
