import { z } from "zod";
import type { Manifest } from "../protocol/manifest";
import { ModelField } from "./agent-settings";
import { describedOf, type Join } from "./described";
import { modelSettings } from "./model-settings";

const Subagent = z.object({
  description: z.string("a subagent needs a description").min(1, "a subagent needs a description"),
  model: ModelField.optional(),
  instructions: z.string().optional(),
});

/** The subagents; inline instructions stand back behind an instructions file. */
export const subagentManifests = (join: Join): Manifest["subagents"] =>
  describedOf(join, "subagents", Subagent).map(({ name, file, value }) => {
    const instructions = join.scan.subagentInstructions[name] ?? value.instructions;
    const [model] = value.model === undefined ? [] : modelSettings(value.model);
    return {
      name,
      file,
      description: value.description,
      ...(model === undefined ? {} : { model }),
      ...(instructions === undefined ? {} : { instructions }),
    };
  });
