/** Lower rows may be imported by higher rows; modules of one row may not import each other. */
export const SERVER_RANKS = [
  ["platform"],
  ["telemetry", "jobs", "audit", "limits", "idempotency", "mail"],
  ["tenancy"],
  ["secrets", "agents", "blobs", "egress"],
  ["sessions", "sandbox", "models", "mcp-client", "storage"],
  ["turns", "usage", "workspaces"],
  ["schedules", "reminders", "approvals", "artifacts", "hooks"],
  ["deployments", "tools", "retention"],
  ["runner", "channels"],
  ["api", "mcp-server", "evals", "webhooks", "search"],
];

/** Which top-level folder may import which. */
export const PROCESS_IMPORTS = {
  protocol: [],
  sdk: ["protocol"],
  runtime: ["sdk", "protocol"],
  project: ["sdk", "protocol"],
  cli: ["project", "sdk", "protocol"],
  gateway: ["protocol"],
  generated: [],
  // The pure parts of project (the manifest of a description) also run where a build is finished.
  server: ["protocol", "generated", "project"],
  worker: ["server", "protocol"],
  web: ["server", "protocol"],
  ui: ["protocol"],
  app: ["server", "ui", "protocol"],
};

const rankRules = SERVER_RANKS.flatMap((row, rank) =>
  row.map((module) => ({
    name: `rank:${module}`,
    severity: "error",
    comment: `server/${module} may import only modules of lower ranks (see SERVER_RANKS).`,
    from: { path: `^src/server/${module}/` },
    to: {
      path: "^src/server/[^/]+/",
      pathNot: [`^src/server/(${[module, ...SERVER_RANKS.slice(0, rank).flat()].join("|")})/`],
    },
  })),
);

const processRules = Object.entries(PROCESS_IMPORTS).map(([from, to]) => ({
  name: `process:${from}`,
  severity: "error",
  comment: `src/${from} may import only ${to.join(", ") || "nothing of ours"} (see PROCESS_IMPORTS).`,
  from: { path: `^src/${from}/` },
  to: {
    path: "^src/",
    pathNot: [
      `^src/(${[from, ...to].join("|")})/`,
      // The gateway shares the guard and the host patterns with the module that owns egress.
      ...(from === "gateway" ? ["^src/server/egress/"] : []),
    ],
  },
}));

const only = (name, packages, allowedFrom) => ({
  name,
  severity: "error",
  from: { path: "^src/", pathNot: allowedFrom },
  to: { path: packages, dependencyTypesNot: ["type-only"] },
});

export default {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    {
      name: "no-unresolved",
      comment: "Every import must lead somewhere; an unresolved one escapes all other rules.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true, pathNot: "^(bun|next/dist)" },
    },
    ...processRules,
    ...rankRules,
    {
      name: "module-door",
      comment: "Enter another server module through its index.ts.",
      severity: "error",
      from: { path: "^src/server/([^/]+)/" },
      to: {
        path: "^src/server/[^/]+/",
        pathNot: ["^src/server/$1/", "^src/server/platform/", "^src/server/[^/]+/index\\.ts$"],
      },
    },
    {
      name: "server-takes-pure-project",
      comment: "The server judges what a build said; it never builds or reads a project itself.",
      severity: "error",
      from: { path: "^src/server/" },
      to: {
        path: "^src/project/",
        pathNot: "^src/project/(build-line|info-of|project-scan|to-manifest)\\.ts$",
      },
    },
    {
      name: "delivery-uses-doors",
      comment: "app, worker and web reach the domain through the modules' index.ts.",
      severity: "error",
      from: { path: "^src/(app|worker|web)/" },
      to: {
        path: "^src/server/",
        pathNot: ["^src/server/[^/]+/index\\.ts$", "^src/server/platform/"],
      },
    },
    {
      name: "no-own-door",
      comment: "Inside a module import the sibling file, never your own index.ts.",
      severity: "error",
      from: { path: "^src/server/([^/]+)/(?!index\\.ts$)" },
      to: { path: "^src/server/$1/index\\.ts$" },
    },
    only("only-db-imports-prisma", "node_modules/@prisma|src/generated/prisma", [
      "^src/server/platform/db\\.ts$",
      "^src/generated/",
    ]),
    only("only-jobs-imports-bullmq", "node_modules/bullmq", ["^src/server/jobs/"]),
    only("only-platform-imports-ioredis", "node_modules/ioredis", ["^src/server/platform/"]),
  ],
  options: {
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    doNotFollow: { path: ["node_modules", "src/generated"] },
    exclude: { path: "\\.test(-d)?\\.tsx?$" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default", "types"],
      mainFields: ["module", "main", "types"],
    },
  },
};
