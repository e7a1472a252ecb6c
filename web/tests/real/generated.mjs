// A program of 100 classes that makes a million calls: each class decides by the number that comes, goes round a loop of a
// few variants, hands on to one of the next classes, and now and then fails and is caught.

const CLASSES = 100;
const ROUNDS = 8000;

/** Its sources by name. */
export function sources() {
  const all = { Main: main() };
  for (let number = 0; number < CLASSES; number++) all[`C${number}`] = one(number);
  return all;
}

const main = () => `package made;

public class Main {
    public static void main(String[] arguments) {
        long sum = 0;
        for (int round = 0; round < ${ROUNDS}; round++) {
            try {
                sum += new C0().step(round, 60);
            } catch (IllegalStateException failed) {
                sum--;
            }
        }
        System.out.println(sum);
    }
}
`;

function one(number) {
  const next = (by) => `C${(number + by) % CLASSES}`;
  return `package made;

class C${number} {
    private int seen;

    int getSeen() {
        return seen;
    }

    long step(int n, int left) {
        seen++;
        if (left == 0) return end(n);
        long sum = 0;
        for (int at = 0; at < n % 3; at++) {
            if ((n + at) % ${2 + (number % 5)} == 0) sum += even(at);
            else sum += at;
        }
        switch ((n / ${1 + (number % 7)}) % 3) {
            case 0: return sum + new ${next(1)}().step(n + 1, left - 1);
            case 1: return sum + new ${next(7)}().step(n, left - 1) + getSeen();
            default: return sum + new ${next(13)}().step(n + ${number}, left - 1);
        }
    }

    private int even(int at) {
        return at * ${number} + 1;
    }

    private long end(int n) {
        if (n % ${50 + number} == 3) throw new IllegalStateException("C${number} cannot end " + n);
        return n;
    }
}
`;
}
