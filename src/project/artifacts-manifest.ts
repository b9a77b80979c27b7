import { z } from "zod";
import type { Manifest } from "../protocol/manifest";
import { describedOf, type Join } from "./described";
import { durationMs } from "./duration";

const LONGEST_MS = 3650 * 86_400_000;

const isRetention = (text: string): boolean => {
  const ms = durationMs(text) ?? 0;
  return ms > 0 && ms <= LONGEST_MS;
};

const ArtifactKind = z.object({
  description: z.string().optional(),
  retention: z.string().refine(isRetention, "write a duration such as 30d").optional(),
});

const Artifacts = z.object({
  kinds: z.record(z.string().min(1).max(100), ArtifactKind),
  agentTool: z.boolean().default(false),
  max: z.number().int().positive().max(1_000_000).optional(),
});
type Kinds = z.output<typeof Artifacts>["kinds"];

/** What each kind that says it says, by kind. */
const saidBy = <V>(kinds: Kinds, said: (kind: Kinds[string]) => V | undefined): Record<string, V> =>
  Object.fromEntries(
    Object.entries(kinds).flatMap(([name, kind]) => {
      const value = said(kind);
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** The kinds of artifact that `artifacts.ts` declares; nothing where there is no such file. */
export const artifactsManifest = (join: Join): Pick<Manifest, "artifacts"> => {
  const [found] = describedOf(join, "artifacts", Artifacts);
  if (found === undefined) return {};
  const { kinds, agentTool, max } = found.value;
  return {
    artifacts: {
      file: found.file,
      kinds: Object.keys(kinds),
      agentTool,
      descriptions: saidBy(kinds, ({ description }) => description),
      retentionMs: saidBy(kinds, ({ retention }) => durationMs(retention ?? "")),
      ...(max === undefined ? {} : { max }),
    },
  };
};
