function Sum(limit) { this.limit = limit; this.total = 0; }
Sum.prototype.add = function (n) {
  if (this.total + n > this.limit) throw new Error("more than " + this.limit);
  this.total += n;
};
var sum = new Sum(10);
for (var n = 1; n < 9; n++) {
  try {
    sum.add(n);
    print(n + " is in: " + sum.total);
  } catch (e) {
    print(n + " is out: " + e.message);
  }
}
print(JSON.stringify({ total: sum.total, words: "a b c".split(" ").length, found: /b+/.test("abbc") }));
