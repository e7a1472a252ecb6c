inline fun twice(x: Int, f: (Int) -> Int): Int {
    val a = f(x)
    return f(a) + 1
}
