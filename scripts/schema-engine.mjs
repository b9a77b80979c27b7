#!/usr/bin/env node
// Answers the Prisma CLI's schema-engine protocol (JSON-RPC over stdio) with the WebAssembly build
// from npm and node-postgres, so that generate, migrate and diff need no native download.
import { createInterface } from "node:readline";
import { databaseCommand } from "./lib/schema-engine-database.mjs";
import { openEngine } from "./lib/schema-engine-wasm.mjs";

/** The part of the engine's command line that matters here. */
function parseArguments(argv) {
  const options = { datamodels: [], datasource: undefined, command: undefined, version: false };
  const rest = [...argv];
  while (rest.length > 0) {
    const flag = rest.shift();
    if (flag === "--datamodels") options.datamodels.push(rest.shift());
    else if (flag === "--datasource") options.datasource = JSON.parse(rest.shift());
    else if (flag === "cli") options.command = rest.shift();
    else if (flag === "--version" || flag === "-V") options.version = true;
    else if (flag.startsWith("--")) rest.shift();
  }
  return options;
}

const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

/** Asks the CLI to print something and waits until it has. */
function createPrinter() {
  const waiting = new Map();
  const print = (content) =>
    new Promise((resolve) => {
      const id = `print-${waiting.size + 1}`;
      waiting.set(id, resolve);
      send({ jsonrpc: "2.0", id, method: "print", params: { content } });
    });
  return { print, answered: (id) => waiting.get(id)?.() };
}

/** Method names of the native engine that the WebAssembly build calls differently. */
const RENAMED = { dropDatabase: "reset", getDatabaseVersion: "version" };

async function answer(engine, { method, params }, print) {
  const name = RENAMED[method] ?? method;
  if (typeof engine[name] !== "function") throw new Error(`The engine has no method ${method}.`);
  const result = (await engine[name](params)) ?? {};
  if (method === "diff" && result.stdout) {
    await print(result.stdout);
    result.stdout = null;
  }
  return result;
}

function rpcError(error) {
  const message = typeof error === "string" ? error : (error?.message ?? JSON.stringify(error));
  const data = { is_panic: false, message, error_code: error?.code ?? null, meta: error?.meta };
  return { code: 4466, message: "An error happened. Check the data field for details.", data };
}

function serve(options, url) {
  const { print, answered } = createPrinter();
  const pending = new Set();
  const fail = (error) => {
    for (const id of pending) send({ jsonrpc: "2.0", id, error: rpcError(error) });
    process.exitCode = 1;
  };
  process.on("uncaughtException", fail);
  const engine = openEngine({ datamodels: options.datamodels, url, onPanic: fail });
  const lines = createInterface({ input: process.stdin });
  lines.on("close", () => process.exit(0));
  lines.on("line", async (line) => {
    if (!line.trim()) return;
    const request = JSON.parse(line);
    if (request.result !== undefined) {
      answered(request.id);
      return;
    }
    const { id } = request;
    pending.add(id);
    try {
      const result = await answer(await engine, request, print);
      send({ jsonrpc: "2.0", id, result });
    } catch (error) {
      send({ jsonrpc: "2.0", id, error: rpcError(error) });
    }
    pending.delete(id);
  });
}

const options = parseArguments(process.argv.slice(2));
const url = options.datasource?.url ?? process.env.DATABASE_MIGRATE_URL ?? process.env.DATABASE_URL;
if (options.version) process.stdout.write("schema-engine-cli wasm\n");
else if (options.command) process.exitCode = await databaseCommand(options.command, url);
else serve(options, url);
