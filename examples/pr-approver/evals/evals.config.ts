import { defineEvalConfig } from "openberth/evals";

export default defineEvalConfig({ maxConcurrency: 1, timeoutMs: 120_000 });
