import { AsyncLocalStorage } from "node:async_hooks";

/** The call that the running code serves; absent outside any call. */
export const callStore = new AsyncLocalStorage<{ callId: string }>();
