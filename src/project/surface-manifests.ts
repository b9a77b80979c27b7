import { z } from "zod";
import type { Manifest } from "../protocol/manifest";
import { CRON_FIX, cronProblem } from "./cron";
import { describedOf, type Join, keyPlace } from "./described";
import { errorAt } from "./diagnostics";

const Callback = z.object({ $berth: z.literal("function") }, "it has to be a function");
const Text = z.string().optional();
const optionalText = (description: string | undefined) =>
  description === undefined ? {} : { description };

const Channel = z.object({
  kind: z.enum(["custom", "slack", "github"]).default("custom"),
  routes: z.array(z.object({ method: z.string(), path: z.string(), description: Text })),
});

export const channelManifests = (join: Join): Manifest["channels"] =>
  describedOf(join, "channels", Channel).map(({ name, file, value }) => ({
    name,
    file,
    kind: value.kind,
    routes: value.routes.map(({ method, path, description }) => ({
      method,
      path,
      ...optionalText(description),
    })),
  }));

const Schedule = z
  .object({ cron: z.string(), markdown: z.string().optional(), run: Callback.optional() })
  .refine(
    ({ markdown, run }) => (markdown === undefined) !== (run === undefined),
    "a schedule has exactly one of markdown and run",
  );

export const scheduleManifests = (join: Join, now: Date): Manifest["schedules"] => {
  const written = join.scan.schedules.map((found) => ({ ...found, kind: "markdown" as const }));
  const coded = describedOf(join, "schedules", Schedule).map(({ name, file, value }) => {
    const problem = cronProblem(value.cron, now);
    if (problem !== undefined) {
      const message = `the schedule "${name}" cannot run: ${problem}`;
      const place = { ...keyPlace(join, file, "cron"), fix: CRON_FIX };
      join.diagnostics.push(errorAt("invalid_cron", message, place));
    }
    const { cron, markdown } = value;
    const kind = markdown === undefined ? ("handler" as const) : ("markdown" as const);
    return { name, file, cron, kind, ...(markdown === undefined ? {} : { prompt: markdown }) };
  });
  return [...written, ...coded];
};

/** A path below the skill's own folder. */
const SkillPath = z
  .string()
  .refine(
    (path) => path.split("/").every((part) => !["", ".", ".."].includes(part)),
    "a file of a skill has a relative path without ..",
  );

const Skill = z.object({
  description: z.string().min(1, "a skill needs a description"),
  markdown: z.string(),
  files: z.record(SkillPath, z.string()).default({}),
});

export const skillManifests = (join: Join): Manifest["skills"] => [
  ...join.scan.skills.map((found) => ({ ...found, dynamic: false })),
  ...describedOf(join, "skills", Skill).map(({ name, file, value }) => ({
    name,
    file,
    description: value.description,
    files: Object.keys(value.files),
    dynamic: true,
    content: { markdown: value.markdown, files: value.files },
  })),
];

const Connection = z
  .object({
    description: Text,
    url: Text,
    command: Text,
    agent: Text,
    cursorAccount: z.boolean().optional(),
  })
  .refine(
    (connection) =>
      ["url", "command", "agent", "cursorAccount"].filter((key) => Object.hasOwn(connection, key))
        .length === 1,
    "a connection has exactly one of url, command and agent",
  );

export const connectionManifests = (
  join: Join,
  kind: "mcpConnections" | "hostConnections",
): Manifest["mcpConnections"] =>
  describedOf(join, kind, Connection).map(({ name, file, value }) => {
    if (value.cursorAccount !== undefined) {
      const message = `the connection "${name}" uses servers of another vendor's account`;
      const fix = "connect to the server by url or command";
      const place = { ...keyPlace(join, file, "cursorAccount"), fix };
      join.diagnostics.push(errorAt("unsupported_connection", message, place));
    }
    return { name, file, ...optionalText(value.description) };
  });

const Hook = z.object({ events: z.record(z.string(), Callback) });
const Reminder = z.object({ run: Callback });
const Result = z.object({ commit: Callback });
const Extension = z.record(z.string(), z.unknown());

export const hookManifests = (join: Join): Manifest["hooks"] =>
  describedOf(join, "hooks", Hook).map(({ name, file, value }) => ({
    name,
    file,
    events: Object.keys(value.events),
  }));

export const reminderManifests = (join: Join): Manifest["reminders"] =>
  describedOf(join, "reminders", Reminder).map(({ name, file }) => ({ name, file }));

export const extensionManifests = (join: Join): Manifest["extensions"] => [
  ...join.scan.extensionFolders,
  ...describedOf(join, "extensions", Extension).map(({ name, file }) => ({ name, file })),
];

export const resultManifest = (join: Join): Pick<Manifest, "result"> => {
  const [found] = describedOf(join, "result", Result);
  return found === undefined ? {} : { result: { file: found.file } };
};
