// Real programs of Debian's packages, each doing one small thing while it is recorded.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../harness.mjs";
import { sources } from "./generated.mjs";

const JARS = "/usr/share/java";
const here = import.meta.dirname;
const jars = (names) => names.map((name) => `${JARS}/${name}.jar`);

const ANTLR = jars([
  "antlr4",
  "antlr4-runtime",
  "antlr3-runtime",
  "stringtemplate4",
  "treelayout",
  "icu4j",
  "javax.json",
]);
const TOMCAT = jars(
  [
    "catalina",
    "coyote",
    "util",
    "util-scan",
    "juli",
    "api",
    "jni",
    "servlet-api",
    "annotations-api",
    "el-api",
    "jaspic-api",
  ].map((name) => `tomcat10-${name}`),
);

/**
 * `inputs` are copied into the folder that the program runs on, `files` are what it cannot do without, and `arguments` are
 * those of `java`.
 */
export const programs = {
  plantuml: {
    package: "plantuml",
    inputs: "diagram.puml",
    files: ["/usr/share/plantuml/plantuml.jar"],
    arguments: (folder) => [
      "-Djava.awt.headless=true",
      "-jar",
      "/usr/share/plantuml/plantuml.jar",
      join(folder, "diagram.puml"),
    ],
  },
  tomcat: {
    package: "libtomcat10-java",
    inputs: "shop",
    files: TOMCAT,
    prepare: (folder) =>
      execFileSync("javac", ["-g", "-cp", TOMCAT.join(":"), "-d", folder, join(folder, "shop/App.java")], {
        stdio: "pipe",
      }),
    arguments: (folder) => ["-cp", [folder, ...TOMCAT].join(":"), "shop.App"],
  },
  antlr4: {
    package: "antlr4",
    inputs: "Note.g4",
    files: ANTLR.slice(0, 4),
    arguments: (folder) => [
      "-cp",
      ANTLR.join(":"),
      "org.antlr.v4.Tool",
      "-o",
      join(folder, "out"),
      join(folder, "Note.g4"),
    ],
  },
  rhino: {
    package: "librhino-java",
    inputs: "sums.js",
    files: jars(["js"]),
    arguments: (folder) => [
      "-cp",
      `${JARS}/js.jar`,
      "org.mozilla.javascript.tools.shell.Main",
      join(folder, "sums.js"),
    ],
  },
};

/** The generated program, recorded as the others are. */
export const generated = {
  files: [],
  prepare(folder) {
    mkdirSync(join(folder, "made"));
    const all = Object.entries(sources()).map(([name, text]) => {
      const path = join(folder, "made", `${name}.java`);
      writeFileSync(path, text);
      return path;
    });
    execFileSync("javac", ["-g", "-d", folder, ...all], { stdio: "pipe" });
  },
  arguments: (folder) => ["-cp", folder, "made.Main"],
};

const of = (name) => (name === "generated" ? generated : programs[name]);

/** Why a program cannot be recorded here; `false`: it can. */
export function missing(name) {
  const { files, package: debian } = of(name);
  const file = files.find((path) => !existsSync(path));
  if (file) return `${file} is not there (Debian: ${debian})`;
  try {
    execFileSync("javac", ["-version"], { stdio: "ignore" });
    return false;
  } catch {
    return "there is no JDK";
  }
}

/** Records a program; its inputs, which may be source, and its capture lie in a folder of their own. */
export function record(name) {
  const program = of(name);
  const folder = mkdtempSync(join(tmpdir(), `tracewright-${name}-`));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    if (program.inputs) cpSync(join(here, program.inputs), join(folder, program.inputs), { recursive: true });
    program.prepare?.(folder);
    const capture = join(folder, "recording.capture");
    run("record", "-o", capture, "--", "java", ...program.arguments(folder));
    return { folder, capture, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
