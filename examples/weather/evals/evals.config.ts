import { defineEvalConfig } from "openberth/evals";

export default defineEvalConfig({ maxConcurrency: 2 });
