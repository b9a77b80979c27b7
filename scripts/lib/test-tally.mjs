import { relative } from "node:path";
import { ROOT } from "./root.mjs";

/**
 * The one kind of skip that CI accepts: memory limits need a cgroup that containers often lack.
 * Such tests carry this text in their title.
 */
const DECLARED_SKIP = "[needs a memory cgroup]";

/** A file that could not even be read (a broken import) counts as one failure. */
const brokenFiles = (files) =>
  files.filter(({ status, assertionResults }) => {
    const failed = assertionResults.some((test) => test.status === "failed");
    return status === "failed" && !failed;
  });

/**
 * Counts a vitest JSON report: `{ passed, failed, skipped, undeclared, broken }`, the last two as
 * the titles of skips that CI must not accept and the paths of files that did not load.
 */
export function tally(report) {
  const files = report.testResults;
  const tests = files.flatMap((file) => file.assertionResults);
  const withStatus = (...states) => tests.filter(({ status }) => states.includes(status));
  const skipped = withStatus("skipped", "pending", "todo", "disabled");
  const broken = brokenFiles(files);
  return {
    passed: withStatus("passed").length,
    failed: withStatus("failed").length + broken.length,
    skipped: skipped.length,
    undeclared: skipped
      .map(({ fullName }) => fullName)
      .filter((name) => !name.includes(DECLARED_SKIP)),
    broken: broken.map(({ name }) => relative(ROOT, name)),
  };
}
