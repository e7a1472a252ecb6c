inline fun half(x: Int): Int {
    if (x > 4) return x / 2
    return x
}

fun main(args: Array<String>) {
    var s = 0
    for (i in 0..3) {
        s += twice(i) { it + 2 }
        s += half(s)
    }
    println(s)
}
