import { z } from "zod";

/** Every permission, named `<resource>:<verb>` (SPEC 3). */
export const PERMISSIONS = [
  "org:manage",
  "members:manage",
  "keys:manage",
  "models:manage",
  "usage:read",
  "audit:read",
  "agents:create",
  "agents:read",
  "agents:update",
  "agents:delete",
  "agents:invoke",
  "tools:call",
  "deployments:read",
  "deployments:write",
  "secrets:read",
  "secrets:write",
  "secrets:use",
  "sessions:read",
  "sessions:write",
  "approvals:decide",
  "schedules:write",
  "reminders:write",
  "egress:write",
  "webhooks:write",
  "evals:run",
  "artifacts:read",
] as const;

export const Permission = z.enum(PERMISSIONS);
export type Permission = z.infer<typeof Permission>;

/** Roles from the most to the least powerful. */
export const ROLES = ["owner", "admin", "developer", "operator", "viewer"] as const;
export const Role = z.enum(ROLES);
export type Role = z.infer<typeof Role>;

const VIEWER: readonly Permission[] = [
  "agents:read",
  "deployments:read",
  "sessions:read",
  "artifacts:read",
  "usage:read",
];
const OPERATOR: readonly Permission[] = [
  ...VIEWER,
  "agents:invoke",
  "tools:call",
  "sessions:write",
  "approvals:decide",
  "schedules:write",
  "reminders:write",
];
const DEVELOPER: readonly Permission[] = [
  ...OPERATOR,
  "agents:create",
  "agents:update",
  "deployments:write",
  "secrets:read",
  "secrets:write",
  "secrets:use",
  "egress:write",
  "webhooks:write",
  "evals:run",
];
const ADMIN: readonly Permission[] = [
  ...DEVELOPER,
  "agents:delete",
  "members:manage",
  "keys:manage",
  "models:manage",
  "audit:read",
];

/** The one table that maps a role to what it may do. */
export const ROLE_PERMISSIONS: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  owner: new Set(PERMISSIONS),
  admin: new Set(ADMIN),
  developer: new Set(DEVELOPER),
  operator: new Set(OPERATOR),
  viewer: new Set(VIEWER),
};
