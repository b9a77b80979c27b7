import { warningAt } from "./diagnostics";
import type { ProjectScan } from "./project-scan";
import type { Walk } from "./walk";
import { codeStem, entriesOf, foundModule } from "./walk";

const EVALS = "evals/";

/** Finds `*.eval.ts` files below `evals/` (named by their path) and the settings they share. */
export const discoverEvals = (walk: Walk): ProjectScan["evals"] => {
  const code = entriesOf(walk, EVALS).flatMap(({ file }) => {
    const stem = codeStem(file.slice(file.lastIndexOf("/") + 1));
    return stem === undefined ? [] : [{ file, stem }];
  });
  const evals = code
    .filter(({ stem }) => stem.endsWith(".eval"))
    .map(({ file }) => ({ file, name: file.slice(EVALS.length).replace(/\.eval\.[a-z]+$/, "") }));
  const config = code.find(
    ({ file, stem }) => stem === "evals.config" && !file.slice(EVALS.length).includes("/"),
  );
  for (const { name, file } of evals) foundModule(walk, "evals", name, file);
  if (config !== undefined) foundModule(walk, "evals", "evals.config", config.file);
  if (evals.length > 0 && config === undefined) {
    walk.report(
      warningAt("missing_evals_config", "the evals run with default settings", {
        file: "evals",
        fix: "add evals/evals.config.ts with defineEvalConfig",
      }),
    );
  }
  return evals;
};
