import type { ZodType } from "zod";

/** What `check` compares a value with. */
export type Matcher =
  | { readonly kind: "includes"; readonly value: string | RegExp }
  | { readonly kind: "matches"; readonly schema: ZodType }
  | {
      readonly kind: "satisfies";
      readonly check: (value: unknown) => boolean;
      readonly label: string;
    }
  | { readonly kind: "judge"; readonly question: string };

/** The handle of one eval run. */
export interface T {
  send(text: string, options?: { workspaceFiles?: Record<string, string> }): Promise<unknown>;
  readonly reply: unknown;
  succeeded(): void;
  /** Matches partially; values may be regular expressions. */
  calledTool(name: string, options?: { input?: Record<string, unknown> }): void;
  notCalledTool(name: string): void;
  check(value: unknown, matcher: Matcher): void;
}

export interface Case {
  id: string;
  description?: string | undefined;
  tags?: string[] | undefined;
  test(t: T): unknown;
}

export interface EvalDefinition {
  description?: string | undefined;
  tags?: string[] | undefined;
  timeoutMs?: number | undefined;
  iterations?: number | undefined;
  cases?: Case[] | undefined;
  test?(t: T): unknown;
}

export interface EvalConfig {
  maxConcurrency?: number | undefined;
  timeoutMs?: number | undefined;
}

/** Declares an eval with one `test` or a list of cases. */
export const defineEval = (definition: EvalDefinition): EvalDefinition => definition;

/** Declares the settings that all evals of a project share. */
export const defineEvalConfig = (config: EvalConfig): EvalConfig => config;

/** The text contains the string, or the regular expression finds something in it. */
export const includes = (value: string | RegExp): Matcher => ({ kind: "includes", value });

/** The value parses with the schema. */
export const matches = (schema: ZodType): Matcher => ({ kind: "matches", schema });

/** The predicate holds; the label names it in reports. */
export const satisfies = (check: (value: unknown) => boolean, label: string): Matcher => ({
  kind: "satisfies",
  check,
  label,
});

/** A model answers the question about the value with yes. */
export const judge = (question: string): Matcher => ({ kind: "judge", question });
