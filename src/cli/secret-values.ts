import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import type { Cli } from "./cli";
import { usageError } from "./exit-code";
import { hiddenPrompt } from "./hidden-prompt";
import { decodeUtf8, readStdin } from "./read-stdin";

export interface SecretSources {
  envFile?: string;
  fromFile: string[];
  fromEnv: string[];
  raw?: boolean;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const STDIN_FORM = 'printf %s "$VALUE" | berth secrets set AGENT NAME';

function requireName(name: string): string {
  if (NAME.test(name)) return name;
  if (name.includes("=")) {
    throw usageError(
      "Values are not taken from the command line: others could read them there.",
      STDIN_FORM,
    );
  }
  throw usageError(`"${name}" cannot be a secret's name.`, "Letters, digits and _ only.");
}

const ONE_LINE_END = /^([^\r\n]*)\r?\n$/;

/** A piped value: its one final line feed is dropped unless `raw`; longer texts are untouched. */
export function pipedValue(cli: Cli, text: string, raw: boolean): string {
  const oneLine = raw ? null : ONE_LINE_END.exec(text);
  if (!oneLine) return text;
  cli.output.note("The line feed at the end was left out; --raw keeps it.");
  return oneLine[1] ?? "";
}

async function fromStdin(cli: Cli, names: string[], raw: boolean): Promise<[string, string][]> {
  const [name, ...others] = names;
  if (name === undefined) return [];
  if (others.length > 0) {
    throw usageError("stdin holds the value of one secret only.", "Use --env-file for several.");
  }
  const text = decodeUtf8(await readStdin(cli.io.stdin), `The value of ${name}`);
  return [[name, pipedValue(cli, text, raw)]];
}

async function fromPrompts(cli: Cli, names: string[]): Promise<[string, string][]> {
  const values: [string, string][] = [];
  for (const name of names) values.push([name, await hiddenPrompt(cli, `Value of ${name}`)]);
  return values;
}

async function readText(cli: Cli, file: string): Promise<string> {
  const bytes = await readFile(resolve(cli.io.cwd, file)).catch((error: Error) => {
    throw usageError(`${file} cannot be read: ${error.message}`);
  });
  return decodeUtf8(bytes, file);
}

function fromFiles(cli: Cli, pairs: string[]): Promise<[string, string][]> {
  const read = async (pair: string): Promise<[string, string]> => {
    const cut = pair.indexOf("=");
    if (cut < 1) throw usageError(`--from-file wants NAME=path, not "${pair}".`);
    return [requireName(pair.slice(0, cut)), await readText(cli, pair.slice(cut + 1))];
  };
  return Promise.all(pairs.map(read));
}

async function fromEnvFile(cli: Cli, file: string | undefined): Promise<[string, string][]> {
  if (file === undefined) return [];
  const parsed = Object.entries(parseEnv(await readText(cli, file)));
  return parsed.map(([name, value]) => [requireName(name), value ?? ""]);
}

function fromEnv(cli: Cli, names: string[]): [string, string][] {
  return names.map((name) => {
    const value = cli.io.env[requireName(name)];
    if (value === undefined) throw usageError(`The environment has no ${name}.`);
    return [name, value];
  });
}

const QUOTED = /^(["'`])[\s\S]*\1$/;

function warn(cli: Cli, name: string, value: string): void {
  if (value !== value.trim() && !value.includes("\n"))
    cli.output.note(`warning: ${name} starts or ends with white space; it was kept.`);
  if (value.length > 1 && QUOTED.test(value))
    cli.output.note(`warning: ${name} is in quotes; they are part of the value.`);
}

/**
 * Collects every value that was asked for, from hidden prompts, stdin, files and environment;
 * nothing is sent when one of them is missing or empty.
 * @throws CliError with exit code 2
 */
export async function collectSecrets(
  cli: Cli,
  names: string[],
  sources: SecretSources,
): Promise<Record<string, string>> {
  for (const name of names) requireName(name);
  const given = [
    ...(await fromEnvFile(cli, sources.envFile)),
    ...(await fromFiles(cli, sources.fromFile)),
    ...fromEnv(cli, sources.fromEnv),
  ];
  const typed = cli.io.stdin.isTTY
    ? await fromPrompts(cli, names)
    : await fromStdin(cli, names, sources.raw === true);
  const all = [...given, ...typed];
  if (all.length === 0) throw usageError("No secret is named.", STDIN_FORM);
  for (const [name, value] of all) {
    if (value === "") throw usageError(`The value of ${name} is empty; nothing was stored.`);
    warn(cli, name, value);
  }
  return Object.fromEntries(all);
}
