import { randomUUID } from "node:crypto";
import { typeidUnboxed } from "typeid-js";
import type { Id, IdPrefix } from "../../protocol/id";

/** A new id of a kind; ids of one process sort by the time they were made. */
export const newId = <P extends IdPrefix>(prefix: P): Id<P> => typeidUnboxed(prefix) as Id<P>;

/** A random id for rows that nobody addresses. */
export const newUuid = (): string => randomUUID();
